"""The frozen snapshot of a computer. Every figure is a `Reading`: known, or unknown with the reason."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from core.events import ErrorInfo
from core.machine.reading import NOT_PRESENT, NOT_SUPPORTED, NOT_YET, Known, Reading, Unknown, Why


class Vendor(enum.StrEnum):
    NVIDIA = "nvidia"
    AMD = "amd"
    INTEL = "intel"
    APPLE = "apple"
    OTHER = "other"


class MemoryKind(enum.StrEnum):
    """Where a GPU's memory lies. `UNIFIED`: it is the RAM (GB10, Jetson, Apple). `CARVED`: an AMD APU's firmware
    carve-out plus GTT, the part of RAM that the driver may map. RAM and such a GPU's memory are never added up."""

    DEDICATED = "dedicated"
    UNIFIED = "unified"
    CARVED = "carved"


@dataclass(frozen=True, slots=True)
class GpuMemory:
    """Bytes as the driver reports them, never from a table of card names (a container may cap a card).

    `used` excludes `driver_reserved` where the driver tells the two apart (NVML memory v2). For an AMD GPU `gtt_*` is
    the RAM that it may map."""

    total: Reading[int] = NOT_YET
    used: Reading[int] = NOT_YET
    free: Reading[int] = NOT_YET
    driver_reserved: Reading[int] = NOT_SUPPORTED
    gtt_total: Reading[int] = NOT_SUPPORTED
    gtt_used: Reading[int] = NOT_SUPPORTED


@dataclass(frozen=True, slots=True)
class GpuProcess:
    """A process on a GPU, by the pid that the driver gives: a pid of the host, also when asked inside a container."""

    pid: int
    used: Reading[int]
    graphics: bool = False


@dataclass(frozen=True, slots=True)
class Pcie:
    """Generations and lane counts. `*_now`: at this moment (an idle card drops to gen 1, so only a loaded card's tell);
    `gen_max`, `width_max`: what card and slot agree on at best; `card_*`, `slot_*`: what each alone can."""

    gen_now: Reading[int] = NOT_SUPPORTED
    width_now: Reading[int] = NOT_SUPPORTED
    gen_max: Reading[int] = NOT_SUPPORTED
    width_max: Reading[int] = NOT_SUPPORTED
    card_gen: Reading[int] = NOT_SUPPORTED
    card_width: Reading[int] = NOT_SUPPORTED
    slot_gen: Reading[int] = NOT_SUPPORTED
    slot_width: Reading[int] = NOT_SUPPORTED


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU or a MIG slice.

    `id` stays the same across starts and reorderings: the UUID, else "pci:<bus id>". `index` is the place in
    `Machine.gpus`, for NVIDIA the order of NVML (PCI bus order). `cuda_index` is the number that a CUDA program started
    with today's environment gives it, unknown where CUDA may order differently; launch by `id`, not by number.
    `parent` is the id of the whole card for a MIG slice. `asleep`: a laptop GPU that is powered down; not woken to ask.
    """

    id: str
    vendor: Vendor
    name: str
    index: int = 0
    pci_bus_id: Reading[str] = NOT_PRESENT
    cuda_index: Reading[int] = NOT_SUPPORTED
    memory_kind: MemoryKind = MemoryKind.DEDICATED
    memory: GpuMemory = GpuMemory()
    processes: Reading[tuple[GpuProcess, ...]] = NOT_SUPPORTED
    utilisation_percent: Reading[int] = NOT_SUPPORTED
    power_w: Reading[float] = NOT_SUPPORTED
    power_limit_w: Reading[float] = NOT_SUPPORTED
    temperature_c: Reading[int] = NOT_SUPPORTED
    pcie: Pcie = Pcie()
    compute_capability: Reading[str] = NOT_SUPPORTED
    mig_enabled: Reading[bool] = NOT_SUPPORTED
    parent: str | None = None
    asleep: bool = False

    @property
    def shares_ram(self) -> bool:
        return self.memory_kind is not MemoryKind.DEDICATED

    @property
    def usable(self) -> bool:
        """False for a card cut into MIG slices: only its slices take work."""
        return self.parent is not None or self.mig_enabled != Known(True)


@dataclass(frozen=True, slots=True)
class Driver:
    """The NVIDIA driver. `cuda_version` like "13.0": the newest CUDA it runs. `problem`: why it cannot be used now."""

    version: Reading[str] = NOT_PRESENT
    cuda_version: Reading[str] = NOT_PRESENT
    problem: ErrorInfo | None = None


@dataclass(frozen=True, slots=True)
class MemoryLimit:
    """The tightest cgroup above this process. `used_bytes` leaves out inactive file cache, which is given back."""

    limit_bytes: int
    used_bytes: int
    version: int
    path: str


@dataclass(frozen=True, slots=True)
class Ram:
    """`total_bytes` and `available_bytes` are what we may use: a cgroup limit wins over the computer's `physical_*`.

    `pressure_*`: percent of the last ten seconds in which some / all tasks waited for memory (PSI). Swap rates are
    bytes per second since the last sample. `memlock_bytes`: how much ordinary mlock may pin; `Known(None)` = no limit.
    `shm_*`: /dev/shm, where vLLM's KV offload keeps its region.
    """

    total_bytes: Reading[int] = NOT_YET
    available_bytes: Reading[int] = NOT_YET
    physical_total_bytes: Reading[int] = NOT_YET
    physical_available_bytes: Reading[int] = NOT_YET
    limit: Reading[MemoryLimit] = NOT_PRESENT
    pressure_some_percent: Reading[float] = NOT_SUPPORTED
    pressure_full_percent: Reading[float] = NOT_SUPPORTED
    swap_total_bytes: Reading[int] = NOT_YET
    swap_free_bytes: Reading[int] = NOT_YET
    swap_in_bytes_per_s: Reading[float] = NOT_YET
    swap_out_bytes_per_s: Reading[float] = NOT_YET
    memlock_bytes: Reading[int | None] = NOT_SUPPORTED
    shm_total_bytes: Reading[int] = NOT_PRESENT
    shm_free_bytes: Reading[int] = NOT_PRESENT


class DiskKind(enum.StrEnum):
    """`VIRTUAL`: a virtual machine's disk, whose real kind cannot be seen. `FLASH`: SD card, eMMC or USB stick."""

    NVME = "nvme"
    SSD = "sata_ssd"
    HDD = "hdd"
    FLASH = "flash"
    NETWORK = "network"
    TMPFS = "tmpfs"
    VIRTUAL = "virtual"


@dataclass(frozen=True, slots=True)
class Disk:
    """A filesystem that we use. `roles`: what of ours lies there ("models", "engines", "temp"); `devices`: the real
    disks below, through partitions, device-mapper, RAID and loop; `windows_drive`: a Windows drive seen from WSL
    (slow)."""

    mount: str
    filesystem: str
    roles: tuple[str, ...]
    total_bytes: Reading[int]
    free_bytes: Reading[int]
    kind: Reading[DiskKind]
    devices: tuple[str, ...] = ()
    windows_drive: bool = False


@dataclass(frozen=True, slots=True)
class NumaNode:
    number: int
    total_bytes: Reading[int]


@dataclass(frozen=True, slots=True)
class Cpu:
    """`usable_cores`: after affinity and a cgroup's quota (may be a fraction). `features`: of "avx2", "avx512f",
    "avx512_bf16", "avx512_vnni", "avx_vnni", "amx_tile", "amx_bf16", "amx_int8", "asimd", "bf16", "i8mm", "sve"."""

    name: str
    architecture: str
    physical_cores: Reading[int]
    logical_cores: Reading[int]
    usable_cores: Reading[float]
    features: frozenset[str] = frozenset()
    numa: tuple[NumaNode, ...] = ()


@dataclass(frozen=True, slots=True)
class Platform:
    """`wsl` 0, 1 or 2. `container`: its kind ("docker", "podman", "lxc"...), "" for none. `host_pids`: whether the pids
    that a driver reports are those of our `/proc` (False in a pid namespace of its own). `on_battery`: running from
    it now. `jetson`: the board's name, "" for none."""

    system: str
    release: str
    wsl: int = 0
    container: str = ""
    host_pids: bool = True
    headless: Reading[bool] = NOT_SUPPORTED
    laptop: Reading[bool] = NOT_SUPPORTED
    on_battery: Reading[bool] = NOT_SUPPORTED
    jetson: str = ""


@dataclass(frozen=True, slots=True)
class Machine:
    """One moment of this computer. `taken_at` is Unix time in seconds. `notes` are what a person should know, as codes
    `machine.*` with words in every language; an empty `gpus` is a calm state."""

    taken_at: float
    platform: Platform
    cpu: Cpu
    ram: Ram
    gpus: tuple[Gpu, ...] = ()
    disks: tuple[Disk, ...] = ()
    driver: Driver = field(default_factory=Driver)
    notes: tuple[ErrorInfo, ...] = ()

    def gpu(self, gpu_id: str) -> Gpu | None:
        return next((gpu for gpu in self.gpus if gpu.id == gpu_id), None)

    def disk(self, role: str) -> Disk | None:
        return next((disk for disk in self.disks if role in disk.roles), None)

    def gpu_budget(self, gpu: Gpu) -> tuple[Reading[int], Reading[int]]:
        """Total and free bytes for planning on `gpu`: the driver's; for a unified GPU the RAM's; for an APU the
        carve-out plus GTT, the latter only as far as RAM is available. Unknown where a part is."""
        if gpu.memory_kind is MemoryKind.UNIFIED:
            return self.ram.total_bytes, self.ram.available_bytes
        memory = gpu.memory
        if gpu.memory_kind is MemoryKind.DEDICATED:
            return memory.total, memory.free
        parts = (memory.total, memory.free, memory.gtt_total, memory.gtt_used)
        values = [part.or_none() for part in parts]
        total, free, gtt_total, gtt_used = values
        if total is None or free is None or gtt_total is None or gtt_used is None:
            reason = next((part for part in parts if isinstance(part, Unknown)), Unknown(Why.NOT_SUPPORTED))
            return reason, reason
        gtt_free = max(0, gtt_total - gtt_used)
        available = self.ram.available_bytes.or_none()
        return Known(total + gtt_total), Known(free + (gtt_free if available is None else min(gtt_free, available)))
