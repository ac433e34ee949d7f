"""What a bar of the budget panel shows: who holds how much of one GPU, of RAM, of a disk."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from core.machine.reading import Known, Reading


class Part(enum.StrEnum):
    """In the order of a bar, from its start."""

    OURS = "ours"  # our server's process tree (on a disk: engines and models)
    KV_FREE = "kv_free"  # reserved by vLLM for KV cache, not used by any request now
    PROCESS = "process"  # another program, by name; "" for all the smaller ones together
    DRIVER = "driver"  # the GPU driver's own reserve
    OTHER = "other"  # in use, but no process explains it: the kernel, pinned memory, programs we may not see
    FREE = "free"


@dataclass(frozen=True, slots=True)
class Segment:
    """`bytes` is never negative. `count`: how many processes it stands for."""

    part: Part
    bytes: int
    name: str = ""
    count: int = 0


@dataclass(frozen=True, slots=True)
class ProcessRow:
    """One line of the detail view, largest first. `bytes` unknown where the driver does not tell. `trusted` False when
    the pid comes from a driver and may be another process's here (a container)."""

    pid: int
    name: str
    bytes: Reading[int]
    ours: bool = False
    trusted: bool = True


@dataclass(frozen=True, slots=True)
class Budget:
    """One bar. When `total` and the free part are known, the segments add up to `total` exactly; else `segments` is
    empty and `free` says why. `id`: a GPU's id, "ram", or "disk:<mount>". `shares_ram`: this GPU's memory is (partly)
    the RAM; never add the two up. `estimated`: our part comes from the server's log, as the driver's process list
    cannot be used.
    """

    id: str
    title: str
    total: Reading[int]
    free: Reading[int]
    segments: tuple[Segment, ...] = ()
    rows: tuple[ProcessRow, ...] = ()
    shares_ram: bool = False
    estimated: bool = False

    def bytes_of(self, part: Part) -> int:
        return sum(segment.bytes for segment in self.segments if segment.part is part)


@dataclass(frozen=True, slots=True)
class MemoryLedger:
    """All bars of one moment. `gpus` in the order of `Machine.gpus`, without cards cut into MIG slices."""

    ram: Budget
    gpus: tuple[Budget, ...] = ()
    disks: tuple[Budget, ...] = ()

    def find(self, budget_id: str) -> Budget | None:
        return next((budget for budget in (self.ram, *self.gpus, *self.disks) if budget.id == budget_id), None)


@dataclass(frozen=True, slots=True)
class ServerUse:
    """What is known of the running server from elsewhere.

    Args:
        roots: pids of its first processes; the supervisor starts it in its own session, so a pid is the session's id.
        kv_bytes: bytes of KV cache it reserved, by budget id ("ram" on the CPU engine, else the GPU's id), from its
        log. kv_used: share of it in use, 0 to 1, from `vllm:kv_cache_usage_perc` (0.8.5: `gpu_cache_usage_perc`);
        None unknown. stated_bytes: all it took per GPU id as its log tells; used only where the driver's process list
        is of no use (WSL, containers).
    """

    roots: frozenset[int] = frozenset()
    kv_bytes: Mapping[str, int] = field(default_factory=dict[str, int])
    kv_used: float | None = None
    stated_bytes: Mapping[str, int] = field(default_factory=dict[str, int])

    def kv_free(self, budget_id: str) -> int:
        """Bytes reserved for KV cache that no request uses now."""
        if self.kv_used is None:
            return 0
        return int(self.kv_bytes.get(budget_id, 0) * (1 - min(1.0, max(0.0, self.kv_used))))


def known(reading: Reading[int]) -> int:
    return reading.value if isinstance(reading, Known) else 0
