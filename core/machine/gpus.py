"""All GPUs of the computer in one list, and the numbers CUDA gives them."""

from __future__ import annotations

import logging
import os
import platform
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import replace

from core.machine.amd import AmdReader
from core.machine.model import Driver, Gpu, MemoryKind, Platform, Vendor
from core.machine.nvidia import NvidiaReader
from core.machine.pci import find_gpus, name_of, sleeps
from core.machine.reading import NOT_SUPPORTED, Known, Reading, Unknown, Why
from core.machine.tree import Tree

log = logging.getLogger(__name__)


class GpuReader:
    """NVIDIA first (in NVML's order), then AMD, then those that can only be named. Not thread-safe.

    Args:
        apple_chip: the chip's name on a Mac, "" elsewhere.
    """

    def __init__(
        self,
        tree: Tree,
        host: Platform,
        nvidia: NvidiaReader,
        amd: AmdReader,
        environment: Mapping[str, str] | None = None,
        apple_chip: Callable[[], str] | None = None,
    ) -> None:
        self._tree = tree
        self._host = host
        self._nvidia = nvidia
        self._amd = amd
        self._environment = os.environ if environment is None else environment
        chip = (apple_chip or _apple_chip)()
        self._apple = () if not chip else (Gpu("apple:0", Vendor.APPLE, chip, memory_kind=MemoryKind.UNIFIED),)
        self._named: tuple[Gpu, ...] = self._only_named()

    def rescan(self) -> None:
        self._nvidia.rescan()
        self._amd.rescan()
        self._named = self._only_named()

    def read(self, working: bool = False) -> tuple[tuple[Gpu, ...], Driver]:
        state = self._nvidia.read(working)
        nvidia = state.gpus
        if self._host.jetson and not nvidia:
            # NVML came to Jetson only with Thor; before that the board is all that is known.
            nvidia = (Gpu("jetson:0", Vendor.NVIDIA, self._host.jetson, memory_kind=MemoryKind.UNIFIED),)
        numbered = with_cuda_order(nvidia, self._environment)
        gpus = (*numbered, *self._amd.read(), *self._named, *self._apple)
        return tuple(replace(gpu, index=index) for index, gpu in enumerate(gpus)), state.driver

    def close(self) -> None:
        self._nvidia.close()

    def _only_named(self) -> tuple[Gpu, ...]:
        return tuple(
            Gpu(
                f"pci:{gpu.bus_id}",
                gpu.vendor,
                name_of(gpu, self._tree),
                pci_bus_id=Known(gpu.bus_id),
                asleep=sleeps(gpu, self._tree),
            )
            for gpu in find_gpus(self._tree)
            if gpu.vendor is Vendor.INTEL
        )


def with_cuda_order(gpus: tuple[Gpu, ...], environment: Mapping[str, str]) -> tuple[Gpu, ...]:
    """Fill in `cuda_index` for NVIDIA GPUs as a CUDA program started with `environment` would number them.

    CUDA sorts "fastest first" unless CUDA_DEVICE_ORDER=PCI_BUS_ID, by a measure that NVIDIA does not publish. So
    different models have no known number without it, and MIG slices none at all: CUDA shows a program one slice, the
    one that it is given by UUID. CUDA_VISIBLE_DEVICES may list numbers, UUIDs, their beginnings, or MIG UUIDs; CUDA
    stops at the first entry that it cannot use.
    """
    usable = [gpu for gpu in gpus if gpu.usable and gpu.vendor is Vendor.NVIDIA]
    sliced = any(gpu.parent is not None for gpu in usable)
    same = len({gpu.name for gpu in usable}) <= 1
    ordered = not sliced and (environment.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID" or same)
    visible = environment.get("CUDA_VISIBLE_DEVICES")
    if visible is None:
        places: dict[str, Reading[int]] = {}
        why = "CUDA shows one MIG slice" if sliced else "CUDA numbers the fastest GPU first"
        for place, gpu in enumerate(usable):
            places[gpu.id] = Known(place) if ordered else Unknown(Why.AMBIGUOUS, why)
    else:
        places = _visible_places(visible, usable, ordered)
    hidden = Unknown(Why.HIDDEN, f"CUDA_VISIBLE_DEVICES={visible}")
    return tuple(
        replace(gpu, cuda_index=places.get(gpu.id, hidden) if gpu.usable else NOT_SUPPORTED)
        if gpu.vendor is Vendor.NVIDIA
        else gpu
        for gpu in gpus
    )


def _visible_places(visible: str, usable: list[Gpu], ordered: bool) -> dict[str, Reading[int]]:
    places: dict[str, Reading[int]] = {}
    for place, entry in enumerate(part.strip() for part in visible.split(",")):
        if entry.lstrip("-").isdecimal():
            number = int(entry)
            if not 0 <= number < len(usable):
                break
            if not ordered:
                # Which card a bare number means is not known, so neither is which ones are hidden.
                unknown = Unknown(Why.AMBIGUOUS, f"CUDA_VISIBLE_DEVICES={visible} without CUDA_DEVICE_ORDER=PCI_BUS_ID")
                return {gpu.id: places.get(gpu.id, unknown) for gpu in usable}
            gpu_id = usable[number].id
        else:
            fitting = [gpu.id for gpu in usable if entry and gpu.id.lower().startswith(entry.lower())]
            if len(fitting) != 1:
                break
            gpu_id = fitting[0]
        if gpu_id in places:
            return {gpu.id: Unknown(Why.AMBIGUOUS, f"CUDA_VISIBLE_DEVICES={visible} repeats a GPU") for gpu in usable}
        places[gpu_id] = Known(place)
    return places


def _apple_chip() -> str:
    """ "Apple M2 Pro" from sysctl on an Apple-silicon Mac."""
    if platform.system() != "Darwin" or platform.machine() != "arm64":
        return ""
    try:
        answer = subprocess.run(
            ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"],
            capture_output=True,
            text=True,
            timeout=5,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        log.info("sysctl: %s", error)
        return "Apple GPU"
    return answer.stdout.strip()
