"""What a person should know before a per-layer table is kept off the card: its size, its disk, its price. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from core.machine.model import Disk
from core.planner.plan import Plan
from core.planner.ple import DISK, GPU, SLOW_KINDS, Ple, placed


@dataclass(frozen=True, slots=True)
class TableFacts:
    """`placement` as planned ("gpu", "ram", "disk"). `table_bytes` of one whole table, `share` of all weights,
    `row_bytes` read per token. `freed_bytes` of the device (on a CPU engine: of RAM) when it lies on the disk.

    Of the disk that holds the files: `disk_kind` ("" unknown), `mount` ("" unknown), `read_s` of one row, `measured`
    whether the disk told, `rows_per_s` with many reads at once (None unknown), `slow`: RAM is the better place.
    `ram_token_s`, `disk_token_s`: how long a token waits, with every row cached and with none. `step_s` of one token
    with the table where vLLM puts it, None where no speed is known. `engine` its version, `cpu` a CPU engine."""

    placement: str
    table_bytes: int
    share: float
    row_bytes: int
    freed_bytes: int
    disk_kind: str
    mount: str
    read_s: float
    measured: bool
    rows_per_s: float | None
    slow: bool
    ram_token_s: float
    disk_token_s: tuple[float, float]
    step_s: float | None
    engine: str
    cpu: bool


def table_facts(plan: Plan, disk: Disk | None = None) -> TableFacts | None:
    """None where the plan has no such table. Args: `disk` that holds the model's files."""
    ple = plan.ple
    if ple is None:
        return None
    request = plan.request
    away = placed(ple, DISK, request)
    low, _likely, high = away.token_s
    return TableFacts(
        placement=ple.placement,
        table_bytes=ple.table_bytes,
        share=away.vram_bytes / plan.weights.bytes if plan.weights.bytes else 0.0,
        row_bytes=ple.row_bytes,
        freed_bytes=away.vram_bytes,
        disk_kind=request.hardware.disk_kind,
        mount=disk.mount if disk is not None else "",
        read_s=away.cold_read_s,
        measured=away.measured,
        rows_per_s=away.rows_per_s,
        slow=request.hardware.disk_kind in SLOW_KINDS,
        ram_token_s=low,
        disk_token_s=(low, high),
        step_s=_step_s(plan, ple),
        engine=request.engine.text,
        cpu=request.engine.platform == "cpu",
    )


def _step_s(plan: Plan, ple: Ple) -> float | None:
    if plan.speed is None or plan.speed.likely <= 0:
        return None
    waits = 0.0 if ple.placement == GPU else ple.token_s[1]
    return max(0.0, 1 / plan.speed.likely - waits)
