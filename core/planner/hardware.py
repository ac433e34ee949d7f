"""The planner's view of a computer: this one from its snapshot, or one that is only described."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from core.machine.links import host_to_device
from core.machine.model import Gpu as SeenGpu
from core.machine.model import Machine, Vendor
from core.machine.probe.result import Probe
from core.machine.reading import Known
from core.planner.gpu_table import CardModel, find_card
from core.planner.options import GIB, Gpu, Hardware

# Keeps the desktop and its programs at rest; what is above it counts as free in a computer that is not here.
DESKTOP_RAM_BYTES: Final = 2 * GIB


def hardware_of(machine: Machine, probe: Probe | None = None) -> Hardware:
    """This computer. Only NVIDIA cards count; bandwidths come from the table of cards and from what a probe measured,
    and stay unknown where neither tells."""
    ram, models = machine.ram, machine.disk("models")
    read_gb_s = probe.ram_read_gb_s.or_none() if probe is not None else None
    cores = machine.cpu.physical_cores.or_none()
    kind = models.kind.or_none() if models is not None else None
    latency_us = probe.disk_random_latency_us.or_none() if probe is not None else None
    return Hardware(
        gpus=tuple(_gpu(machine, gpu, read_gb_s) for gpu in _cards(machine)),
        ram_total_bytes=ram.total_bytes.or_none(),
        ram_available_bytes=ram.available_bytes.or_none(),
        ram_bandwidth=read_gb_s * 1e9 if read_gb_s else None,
        disk_free_bytes=models.free_bytes.or_none() if models is not None else None,
        shm_free_bytes=ram.shm_free_bytes.or_none(),
        memlock_bytes=ram.memlock_bytes.or_none(),
        cpu_cores=cores,
        wsl=machine.platform.wsl > 0,
        disk_random_iops=probe.disk_random_iops.or_none() if probe is not None else None,
        disk_latency_s=latency_us / 1e6 if latency_us else None,
        disk_kind=str(kind) if kind is not None else "",
    )


def _cards(machine: Machine) -> Iterable[SeenGpu]:
    return (gpu for gpu in machine.gpus if gpu.vendor is Vendor.NVIDIA and gpu.usable)


def _gpu(machine: Machine, gpu: SeenGpu, ram_read_gb_s: float | None) -> Gpu:
    total, free = machine.gpu_budget(gpu)
    card = find_card(gpu.name)
    link = host_to_device(gpu, ram_read_gb_s).or_none()
    stated = capability_of(gpu.compute_capability.or_none() or "")
    return Gpu(
        name=gpu.name,
        total_bytes=total.or_none() or 0,
        free_bytes=free.or_none(),
        capability=stated or (card.capability if card is not None else Gpu().capability),
        bandwidth=card.bandwidth if card is not None else 0.0,
        link=link * 1e9 if link else card.link if card is not None else 0.0,
        display=_shows_a_desktop(machine, gpu),
    )


def _shows_a_desktop(machine: Machine, gpu: SeenGpu) -> bool:
    """Where the driver lists no processes, a session with a screen counts; Windows always draws with its cards."""
    if machine.platform.wsl:
        return True
    processes = gpu.processes.or_none()
    if processes is not None:
        return any(process.graphics for process in processes)
    return machine.platform.headless == Known(False)


def capability_of(text: str) -> tuple[int, int] | None:
    """ "8.6" as (8, 6), "12" as (12, 0), None for anything else."""
    major, _, minor = text.partition(".") if "." in text else (text, "", "0")
    return (int(major), int(minor)) if _digits(major) and _digits(minor) else None


def _digits(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 2


def described(
    card: CardModel | None,
    *,
    vram_bytes: int | None = None,
    capability: tuple[int, int] | None = None,
    ram_bytes: int | None = None,
    cards: int = 1,
) -> Hardware:
    """A computer that is not here: `cards` equal cards of the table or of given size, and RAM as a desktop leaves it.

    Without a card of the table the bandwidths are unknown, and so is the speed.
    """
    gpu = card.gpu() if card is not None else Gpu()
    one = Gpu(gpu.name, vram_bytes or gpu.total_bytes, None, capability or gpu.capability, gpu.bandwidth, gpu.link)
    free = max(0, ram_bytes - DESKTOP_RAM_BYTES) if ram_bytes is not None else None
    return Hardware((one,) * cards if one.total_bytes else (), ram_bytes, free)
