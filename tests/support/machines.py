"""Samples of other computers for the window, put together by the product's own ledger: a desktop with one card, two
cards, unified memory, a container whose driver tells little, no GPU at all."""

from __future__ import annotations

import math
from collections.abc import Mapping

from core.events import ErrorInfo, MachineChanged
from core.machine.budget import ServerUse
from core.machine.history import Ring, figures_of
from core.machine.ledger import build_ledger
from core.machine.model import (
    Cpu,
    Disk,
    DiskKind,
    Driver,
    Gpu,
    GpuMemory,
    GpuProcess,
    Machine,
    MemoryKind,
    Pcie,
    Platform,
    Ram,
    Vendor,
)
from core.machine.notes import notes_on
from core.machine.processes import ProcessUse
from core.machine.reading import Known, Reading, Unknown, Why

GIB = 1 << 30
SERVER_PID = 4242
NVME = Known(DiskKind.NVME)
_FEATURES = frozenset({"avx2", "avx512f", "avx512_bf16", "avx512_vnni"})
_PROCESSES: Mapping[str, tuple[int, float]] = {
    "firefox": (2100, 3.4),
    "code": (2200, 2.1),
    "gnome-shell": (1500, 0.6),
    "Xorg": (1400, 0.2),
    "slack": (2300, 0.5),
}


def gib(amount: float) -> int:
    return round(amount * GIB)


def card(
    name: str = "NVIDIA GeForce RTX 3060",
    *,
    index: int = 0,
    total: float = 12.0,
    free: float = 10.6,
    reserved: float = 0.3,
    on_it: tuple[tuple[int, float], ...] = ((2100, 0.7), (1400, 0.4)),
) -> Gpu:
    """A card with an NVIDIA driver; `on_it` are (pid, GiB) of its processes."""
    processes = tuple(GpuProcess(pid, Known(gib(size))) for pid, size in on_it)
    used = gib(total) - gib(free) - gib(reserved)
    return Gpu(
        f"GPU-{index}",
        Vendor.NVIDIA,
        name,
        index,
        pci_bus_id=Known(f"0000:0{index + 1}:00.0"),
        cuda_index=Known(index),
        memory=GpuMemory(Known(gib(total)), Known(used), Known(gib(free)), Known(gib(reserved))),
        processes=Known(processes),
        utilisation_percent=Known(37),
        power_w=Known(112.0),
        temperature_c=Known(61),
        pcie=Pcie(Known(4), Known(16), Known(4), Known(16), Known(4), Known(16), Known(4), Known(16)),
        compute_capability=Known("8.6"),
    )


def sample(
    *gpus: Gpu,
    ram: tuple[float, float] = (32.0, 20.5),
    server: ServerUse | None = None,
    server_ram: float = 1.3,
    disks: tuple[Disk, ...] | None = None,
    platform: Platform | None = None,
    driver: Driver | None = None,
) -> MachineChanged:
    """What the monitor would tell on that computer, after five minutes of some work. `ram`: total and available
    GiB."""
    processes = [ProcessUse(pid, name, gib(size)) for name, (pid, size) in _PROCESSES.items()]
    if server is not None:
        processes.append(ProcessUse(SERVER_PID, "VLLM::EngineCore", gib(server_ram), ours=True))
    machine = Machine(
        taken_at=1_700_000_000.0,
        platform=platform or Platform("linux", "6.8.0-45-generic", headless=Known(False), laptop=Known(False)),
        cpu=Cpu("AMD Ryzen 9 7900X", "x86_64", Known(12), Known(24), Known(24.0), _FEATURES),
        ram=Ram(
            Known(gib(ram[0])),
            Known(gib(ram[1])),
            Known(gib(ram[0])),
            Known(gib(ram[1])),
            swap_total_bytes=Known(gib(8)),
            swap_free_bytes=Known(gib(7.5)),
            swap_in_bytes_per_s=Known(0.0),
            swap_out_bytes_per_s=Known(0.0),
            shm_total_bytes=Known(gib(ram[0] / 2)),
            shm_free_bytes=Known(gib(ram[0] / 2)),
        ),
        gpus=gpus,
        disks=disks if disks is not None else (disk("/", 480.0, 212.3),),
        driver=driver or Driver(Known("570.86"), Known("12.8")),
    )
    machine = Machine(
        **{name: getattr(machine, name) for name in Machine.__dataclass_fields__ if name != "notes"},
        notes=notes_on(machine),
    )
    known = {process.pid: process for process in processes}
    ledger = build_ledger(
        machine, tuple(processes), lambda pid: known.get(pid, ProcessUse(pid, "", 0)), server or ServerUse()
    )
    ring = Ring()
    now = figures_of(machine, ledger)
    for second in range(300):
        wave = 1 - 0.25 * (1 - second / 299) * (1 + math.sin(second / 23))
        ring.add(float(second), {key: value * wave for key, value in now.items()})
    ring.add(300.0, now)
    return MachineChanged(machine, ledger, ring.snapshot())


def disk(mount: str, total: float, free: float, kind: Reading[DiskKind] = NVME, *roles: str) -> Disk:
    return Disk(
        mount, "ext4", roles or ("models", "engines", "temp"), Known(gib(total)), Known(gib(free)), kind, ("nvme0n1",)
    )


def desktop() -> MachineChanged:
    """12 GiB card with a browser, the display server and our server on it."""
    gpu = card(free=1.9, on_it=((SERVER_PID, 8.4), (2100, 0.7), (1400, 0.4)))
    server = ServerUse(frozenset({SERVER_PID}), {gpu.id: gib(3.6)}, kv_used=0.2)
    return sample(gpu, server=server)


def idle_desktop() -> MachineChanged:
    return sample(card())


def two_cards() -> MachineChanged:
    gpus = (
        card("NVIDIA GeForce RTX 4090", total=24.0, free=22.1, on_it=((2100, 0.9), (1400, 0.6))),
        card("NVIDIA GeForce RTX 3060", index=1, free=11.6, on_it=()),
    )
    disks = (
        disk("/", 240.0, 61.7, NVME, "engines", "temp"),
        disk("/mnt/models", 3_726.0, 1_204.9, Known(DiskKind.HDD), "models"),
    )
    return sample(*gpus, ram=(128.0, 104.2), disks=disks)


def many_cards() -> MachineChanged:
    gpus = tuple(card("NVIDIA H100 80GB HBM3", index=n, total=79.6, free=79.0, on_it=()) for n in range(8))
    return sample(*gpus, ram=(1_007.0, 940.0))


def unified() -> MachineChanged:
    """A GB10: NVML answers "not supported" for its memory, which is the RAM."""
    gpu = Gpu(
        "GPU-gb10",
        Vendor.NVIDIA,
        "NVIDIA GB10",
        memory_kind=MemoryKind.UNIFIED,
        processes=Known((GpuProcess(2100, Known(gib(0.4))),)),
        utilisation_percent=Known(4),
        temperature_c=Known(48),
    )
    return sample(gpu, ram=(119.7, 96.4))


def unknown_figures() -> MachineChanged:
    """A laptop: the card sleeps; a network disk does not answer; the driver has a fault."""
    asleep = Unknown(Why.ASLEEP)
    gpu = Gpu("GPU-0", Vendor.NVIDIA, "NVIDIA GeForce RTX 4060 Laptop GPU", memory=GpuMemory(asleep, asleep, asleep))
    lost = Disk("/mnt/nas", "nfs4", ("models",), Unknown(Why.FAILED), Unknown(Why.FAILED), Known(DiskKind.NETWORK))
    return sample(
        Gpu(gpu.id, gpu.vendor, gpu.name, memory=gpu.memory, asleep=True),
        ram=(15.3, 6.2),
        disks=(disk("/", 480.0, 34.0, Unknown(Why.HIDDEN), "engines", "temp"), lost),
        platform=Platform("linux", "6.8", laptop=Known(True), on_battery=Known(True)),
        driver=Driver(problem=ErrorInfo("machine.driver_missing", "NVML library not found", {"gpu": gpu.name})),
    )


def no_gpu() -> MachineChanged:
    return sample(driver=Driver())
