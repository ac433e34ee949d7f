"""The computer as a launch uses it: one card, the one that CUDA calls device 0. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from core.machine.model import Disk, Machine, Vendor
from core.machine.model import Gpu as SeenGpu
from core.machine.probe.result import Probe
from core.machine.reading import Known
from core.planner.hardware import hardware_of
from core.planner.options import Gpu, Hardware
from core.planner.plan import FREE_SHARE

GB: Final = 1e9


def planned_gpu(machine: Machine) -> SeenGpu | None:
    """The card that a CUDA engine takes: device 0 of CUDA's own order where that is known, else of the driver's."""
    cards = _cards(machine)
    numbered = [gpu for gpu in cards if isinstance(gpu.cuda_index, Known)]
    return min(numbered or cards, key=lambda gpu: gpu.cuda_index.or_none() or 0, default=None)


@dataclass(frozen=True, slots=True)
class CardMemory:
    """Of the card of a launch, in bytes; `free_bytes` what other programs leave."""

    total_bytes: int
    free_bytes: int


def card_memory(machine: Machine) -> CardMemory | None:
    """None where there is no card, or it does not tell."""
    gpu = planned_gpu(machine)
    total, free = (part.or_none() for part in machine.gpu_budget(gpu)) if gpu is not None else (None, None)
    if total is None:
        return None
    return CardMemory(total, int(total * FREE_SHARE) if free is None else free)


def launch_hardware(machine: Machine, probe: Probe | None = None, disk: Disk | None = None) -> Hardware:
    """None stays None where this computer tells nothing. `disk` holds the model's files, None the disk of the models:
    what was measured of that one says nothing of another."""
    hardware, gpu = hardware_of(machine, probe), planned_gpu(machine)
    models = machine.disk("models")
    if disk is not None and (models is None or disk.mount != models.mount):
        kind = str(disk.kind.or_none() or "")
        hardware = replace(hardware, disk_kind=kind, disk_random_iops=None, disk_latency_s=None)
    if gpu is None:
        return replace(hardware, gpus=())
    card = hardware.gpus[[other.id for other in _cards(machine)].index(gpu.id)]
    return replace(hardware, gpus=(_with_measured_link(card, gpu, probe),))


def drives_a_screen(machine: Machine) -> bool:
    """Whether the card of the launch does."""
    return any(gpu.display for gpu in launch_hardware(machine).gpus)


def _cards(machine: Machine) -> list[SeenGpu]:
    return [gpu for gpu in machine.gpus if gpu.vendor is Vendor.NVIDIA and gpu.usable]


def _with_measured_link(card: Gpu, gpu: SeenGpu, probe: Probe | None) -> Gpu:
    links = probe.links if probe is not None else ()
    measured = next((link.pinned_gb_s for link in links if link.gpu_id == gpu.id), 0.0)
    return replace(card, link=measured * GB) if measured else card
