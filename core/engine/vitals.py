"""How a running server fares, from two looks at its counters, and what limits its speed where that shows. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from core.engine.counters import Counters
from core.engine.ple_proof import Counted
from core.events import ErrorInfo
from core.machine.model import DiskKind, Gpu, Machine
from core.machine.reading import Known

STUCK_S: Final = 60.0
"""A server with running requests that brings no token for so long is said to stand still. (Reading one long prompt on
a slow CPU moves no counter either, hence not less.)"""

_SWAPPING_BYTES_PER_S: Final = 1 << 20
# Close to its power limit while it works: the limit decides, not the chip.
_POWER_SHARE: Final = 0.97
_BUSY_PERCENT: Final = 80
# NVIDIA's consumer cards slow down from 83-90 °C on, data centre cards from 85 °C.
_HOT_C: Final = 87


@dataclass(frozen=True, slots=True)
class Vitals:
    """Rates in tokens per second since the look before; None with only one look. `prefix_hit_rate`: 0-1, of the tokens
    looked up since then. `still_s`: for how long requests run without a new token. `limits`: `server.slow_*`,
    `server.no_token` and notes of the machine, the most important first. `table`: rows of a per-layer table looked up
    since the server was ready, None where Stowage's plugin keeps none."""

    running: int = 0
    waiting: int = 0
    kv_used: float | None = None
    prompt_rate: float | None = None
    decode_rate: float | None = None
    prefix_hit_rate: float | None = None
    preemptions: int = 0
    still_s: float = 0.0
    limits: tuple[ErrorInfo, ...] = ()
    table: Counted | None = None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the limits need besides the counters. `offloads`: weights or KV cache come over PCIe; `disk_role`: the role
    of the disk that is read while it answers, "" for none."""

    machine: Machine | None = None
    offloads: bool = False
    disk_role: str = ""


def vitals_of(before: Counters | None, now: Counters, still_s: float, around: Surroundings) -> Vitals:
    """Args: `before` an earlier look at the same server."""
    span = now.at_s - before.at_s if before is not None else 0.0
    if before is None or span <= 0:
        found = tuple(limits(now, 0, still_s, around))
        return Vitals(now.running, now.waiting, now.kv_used, limits=found, table=now.table)
    looked_up = now.prefix_queries - before.prefix_queries
    preempted = max(0, round(now.preemptions - before.preemptions))
    return Vitals(
        running=now.running,
        waiting=now.waiting,
        kv_used=now.kv_used,
        prompt_rate=max(0.0, now.prompt_tokens - before.prompt_tokens) / span,
        decode_rate=max(0.0, now.generated_tokens - before.generated_tokens) / span,
        prefix_hit_rate=(now.prefix_hits - before.prefix_hits) / looked_up if looked_up > 0 else None,
        preemptions=preempted,
        still_s=still_s,
        limits=tuple(limits(now, preempted, still_s, around)),
        table=now.table,
    )


def moved(before: Counters, now: Counters) -> bool:
    """Whether the server did anything between two looks."""
    return now.generated_tokens != before.generated_tokens or now.prompt_tokens != before.prompt_tokens


def limits(now: Counters, preempted: int, still_s: float, around: Surroundings) -> list[ErrorInfo]:
    found: list[ErrorInfo] = []
    if still_s >= STUCK_S:
        found.append(ErrorInfo("server.no_token", facts={"seconds": round(still_s)}))
    if preempted:
        found.append(ErrorInfo("server.slow_kv_full", facts={"count": preempted}))
    machine = around.machine
    if machine is None or not now.running:
        return found
    swap_in = machine.ram.swap_in_bytes_per_s
    if isinstance(swap_in, Known) and swap_in.value > _SWAPPING_BYTES_PER_S:
        found.append(ErrorInfo("server.slow_swapping"))
    for gpu in machine.gpus:
        found += _gpu_limits(gpu)
    if around.offloads:
        found += [note for note in machine.notes if note.code in ("machine.slot_narrow", "machine.slot_slow")]
    disk = machine.disk(around.disk_role) if around.disk_role else None
    if disk is not None and disk.kind == Known(DiskKind.HDD):
        found.append(ErrorInfo("server.slow_disk", facts={"mount": disk.mount}))
    return found


def _gpu_limits(gpu: Gpu) -> list[ErrorInfo]:
    busy = gpu.utilisation_percent.or_none()
    if busy is None or busy < _BUSY_PERCENT:
        return []
    heat, power, limit = gpu.temperature_c.or_none(), gpu.power_w.or_none(), gpu.power_limit_w.or_none()
    if heat is not None and heat >= _HOT_C:
        return [ErrorInfo("server.slow_heat", facts={"gpu": gpu.name, "celsius": heat})]
    if power is not None and limit and power >= _POWER_SHARE * limit:
        return [ErrorInfo("server.slow_power", facts={"gpu": gpu.name, "watts": round(limit)})]
    return []
