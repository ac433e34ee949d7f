"""AMD GPUs through amdgpu's sysfs files: no ROCm needed. Names from amdsmi, where that is installed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from core.machine.model import Gpu, GpuMemory, MemoryKind, Vendor
from core.machine.nvidia_card import unreached
from core.machine.pci import PciGpu, find_gpus, link_of, name_of, sleeps
from core.machine.reading import NOT_PRESENT, Known, Reading, Unknown, Why, plausible_bytes
from core.machine.tree import Tree

log = logging.getLogger(__name__)

# An APU without a metrics table: firmware carve-outs of that time were at most this.
_SMALL_CARVE_OUT: Final = 1 << 30


class AmdReader:
    """`read` gives the GPUs now. amdgpu's files wake a sleeping GPU, so `power/runtime_status` is looked at first.

    Args:
        market_names: names by PCI bus id, asked once when there is an AMD GPU at all; `amdsmi_names` by default.
    """

    def __init__(self, tree: Tree, market_names: Callable[[], Mapping[str, str]] | None = None) -> None:
        self._tree = tree
        self._market_names = market_names if market_names is not None else amdsmi_names
        self._known: dict[str, Gpu] = {}
        self._on_bus: tuple[PciGpu, ...] = ()
        self._names: Mapping[str, str] | None = None
        self.rescan()

    def rescan(self) -> None:
        self._on_bus = tuple(gpu for gpu in find_gpus(self._tree) if gpu.vendor is Vendor.AMD)

    def read(self) -> tuple[Gpu, ...]:
        return tuple(self._read(gpu) for gpu in self._on_bus)

    def _read(self, on_bus: PciGpu) -> Gpu:
        asleep = sleeps(on_bus, self._tree)
        gpu = self._known.get(on_bus.bus_id)
        if gpu is None:
            gpu = self._identified(on_bus, asleep)
            if not asleep:
                self._known[on_bus.bus_id] = gpu
        return unreached(gpu, Unknown(Why.ASLEEP), asleep=True) if asleep else self._measured(gpu, on_bus)

    def _identified(self, on_bus: PciGpu, asleep: bool) -> Gpu:
        gpu = Gpu(f"pci:{on_bus.bus_id}", Vendor.AMD, name_of(on_bus, self._tree), pci_bus_id=Known(on_bus.bus_id))
        if asleep:
            return gpu
        if self._names is None:
            self._names = self._market_names()
        own = self._tree.text(f"{on_bus.folder}/product_name").or_none()
        unique = self._tree.text(f"{on_bus.folder}/unique_id").or_none()
        return replace(
            gpu,
            # unique_id is the chip's serial number: it stays when the card moves to another slot. APUs have none.
            id=f"amd:{unique}" if unique else gpu.id,
            name=self._names.get(on_bus.bus_id) or own or gpu.name,
            memory_kind=MemoryKind.CARVED if self._is_apu(on_bus) else MemoryKind.DEDICATED,
            pcie=link_of(on_bus, self._tree),
        )

    def _is_apu(self, on_bus: PciGpu) -> bool:
        """amdgpu's metrics table says so: revision 1 is for cards, 2 and 3 are for APUs (kernel's kgd_pp_interface.h).
        Without one: a tiny VRAM beside a larger GTT."""
        try:
            header = self._tree.bytes(f"{on_bus.folder}/gpu_metrics")[:4]
            if len(header) == 4 and header[2] in (1, 2, 3):
                return header[2] > 1
        except OSError as error:
            log.debug("no gpu_metrics for %s: %s", on_bus.bus_id, error)
        vram = self._figure(on_bus, "mem_info_vram_total").or_none()
        gtt = self._figure(on_bus, "mem_info_gtt_total").or_none()
        return vram is not None and gtt is not None and vram <= _SMALL_CARVE_OUT and gtt > vram

    def _measured(self, gpu: Gpu, on_bus: PciGpu) -> Gpu:
        total, used = self._figure(on_bus, "mem_info_vram_total"), self._figure(on_bus, "mem_info_vram_used")
        free: Reading[int] = used if isinstance(used, Unknown) else total
        if isinstance(total, Known) and isinstance(used, Known):
            free = Known(max(0, total.value - used.value))
        hwmon = self._hwmon(on_bus)
        temperature = self._tree.integer(f"{hwmon}/temp1_input") if hwmon else NOT_PRESENT
        return replace(
            gpu,
            memory=GpuMemory(
                total,
                used,
                free,
                gtt_total=self._figure(on_bus, "mem_info_gtt_total"),
                gtt_used=self._figure(on_bus, "mem_info_gtt_used"),
            ),
            utilisation_percent=self._tree.integer(f"{on_bus.folder}/gpu_busy_percent"),
            power_w=self._power(hwmon),
            temperature_c=Known(temperature.value // 1000) if isinstance(temperature, Known) else temperature,
        )

    def _figure(self, on_bus: PciGpu, name: str) -> Reading[int]:
        figure = self._tree.integer(f"{on_bus.folder}/{name}")
        return plausible_bytes(figure.value) if isinstance(figure, Known) else figure

    def _hwmon(self, on_bus: PciGpu) -> str | None:
        names = self._tree.names(f"{on_bus.folder}/hwmon")
        return f"{on_bus.folder}/hwmon/{names[0]}" if names else None

    def _power(self, hwmon: str | None) -> Reading[float]:
        """Microwatts; cards of the RDNA 3 generation on have `power1_input`, older ones `power1_average`."""
        for name in ("power1_average", "power1_input") if hwmon else ():
            power = self._tree.integer(f"{hwmon}/{name}")
            if isinstance(power, Known):
                return Known(power.value / 1_000_000)
        return NOT_PRESENT


def amdsmi_names() -> Mapping[str, str]:
    """Market names by PCI bus id from ROCm's amdsmi; none where it is not installed or does not answer."""
    try:
        import amdsmi  # pyright: ignore[reportMissingImports]
    except (ImportError, OSError, KeyError) as error:
        # Besides being absent it fails on import when its C library is missing.
        log.debug("amdsmi: %s", error)
        return {}
    return names_from(amdsmi)  # pyright: ignore[reportUnknownArgumentType]


def names_from(amdsmi: Any) -> dict[str, str]:
    """Ask an amdsmi module. Its errors all derive from `AmdSmiException`."""
    names: dict[str, str] = {}
    try:
        amdsmi.amdsmi_init()
    except amdsmi.AmdSmiException as error:
        log.info("amdsmi: %s", error)
        return names
    try:
        for handle in amdsmi.amdsmi_get_processor_handles():
            bus_id = str(amdsmi.amdsmi_get_gpu_device_bdf(handle)).lower()
            name = str(amdsmi.amdsmi_get_gpu_asic_info(handle).get("market_name") or "")
            if name and name != "N/A":
                names[bus_id] = name
        amdsmi.amdsmi_shut_down()
    except amdsmi.AmdSmiException as error:
        log.info("amdsmi: %s", error)
    return names
