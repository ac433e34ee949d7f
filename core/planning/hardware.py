"""A snapshot of this computer as the planner takes it: free memory, rates measured or from tables. Pure."""

from __future__ import annotations

import re
from typing import Final

from core.machine.links import host_to_device
from core.machine.model import Gpu as MachineGpu
from core.machine.model import Machine, Vendor
from core.machine.probe.result import Probe
from core.machine.reading import Known
from core.planner.gpu_table import find_card
from core.planner.options import Gpu, Hardware

GB: Final = 1e9
_CAPABILITY: Final = re.compile(r"(\d+)\.(\d+)")
# What is assumed of a card that neither the driver nor the table tells the compute capability of.
USUAL_CAPABILITY: Final = (8, 9)


def planned_gpu(machine: Machine) -> MachineGpu | None:
    """The card that a CUDA engine takes: device 0 of CUDA's own order where that is known, else of the driver's."""
    cards = [gpu for gpu in machine.gpus if gpu.vendor is Vendor.NVIDIA and gpu.usable]
    numbered = [gpu for gpu in cards if isinstance(gpu.cuda_index, Known)]
    return min(numbered or cards, key=lambda gpu: gpu.cuda_index.or_none() or 0, default=None)


def hardware_of(machine: Machine, probe: Probe | None = None) -> Hardware:
    """With the card of `planned_gpu` alone: a launch uses one. None stays None where this computer tells nothing."""
    ram, disk = machine.ram, machine.disk("models")
    ram_read = probe.ram_read_gb_s.or_none() if probe is not None else None
    gpu = planned_gpu(machine)
    return Hardware(
        gpus=() if gpu is None else (_gpu(machine, gpu, probe),),
        ram_total_bytes=ram.total_bytes.or_none(),
        ram_available_bytes=ram.available_bytes.or_none(),
        ram_bandwidth=ram_read * GB if ram_read else None,
        disk_free_bytes=disk.free_bytes.or_none() if disk is not None else None,
        shm_free_bytes=ram.shm_free_bytes.or_none(),
        memlock_bytes=ram.memlock_bytes.or_none(),
        cpu_cores=machine.cpu.physical_cores.or_none(),
        wsl=machine.platform.wsl == 2,
    )


def drives_a_screen(machine: Machine, gpu: MachineGpu) -> bool:
    processes = gpu.processes.or_none()
    if processes and any(process.graphics for process in processes):
        return True
    return machine.platform.headless == Known(False) and sum(other.usable for other in machine.gpus) == 1


def _gpu(machine: Machine, gpu: MachineGpu, probe: Probe | None) -> Gpu:
    total, free = machine.gpu_budget(gpu)
    card = find_card(gpu.name)
    told = _CAPABILITY.fullmatch(gpu.compute_capability.or_none() or "")
    capability = (int(told[1]), int(told[2])) if told else card.capability if card else USUAL_CAPABILITY
    return Gpu(
        name=gpu.name,
        total_bytes=total.or_none() or 0,
        free_bytes=free.or_none(),
        capability=capability,
        bandwidth=card.bandwidth if card else 0.0,
        link=_link(gpu, probe) or (card.link if card else 0.0),
        display=drives_a_screen(machine, gpu),
    )


def _link(gpu: MachineGpu, probe: Probe | None) -> float:
    """Bytes per second from RAM: measured, else what card and slot agree on; 0 unknown."""
    measured = next((link.pinned_gb_s for link in probe.links if link.gpu_id == gpu.id), 0.0) if probe else 0.0
    ram_read = probe.ram_read_gb_s.or_none() if probe else None
    return (measured or host_to_device(gpu, ram_read).or_none() or 0.0) * GB
