"""A plan laid over the bars before anything is launched. Pure: no Qt."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from core.machine.budget import MemoryLedger

GIB: Final = 1 << 30
# What must stay free for "fits": the plan's own error, the engine's programs, a desktop that breathes.
SPARE_BYTES: Final = 1 * GIB
SPARE_SHARE: Final = 0.1


class Verdict(enum.StrEnum):
    FITS = "fits"
    TIGHT = "tight"
    NO = "no"


@dataclass(frozen=True, slots=True)
class GhostPart:
    """`bytes` that the plan wants of the budget `budget_id` (a GPU's id, "ram", "disk:<mount>"); `label` is in the
    person's language."""

    budget_id: str
    label: str
    bytes: int


@dataclass(frozen=True, slots=True)
class GhostPlan:
    """`about`: its sizes are estimates as a whole. Tiers without a verdict of the planner's
    are judged by what is free now, but for those in `unjudged`, of which the planner knows a lower end only.
    `short`: bytes that the planner says are lacking, more than the memory itself lacks where a part of it is to be left
    alone."""

    title: str
    parts: tuple[GhostPart, ...]
    verdicts: Mapping[str, Verdict] = field(default_factory=dict[str, Verdict])
    about: bool = False
    unjudged: frozenset[str] = frozenset()
    short: Mapping[str, int] = field(default_factory=dict[str, int])

    def on(self, budget_id: str) -> tuple[GhostPart, ...]:
        return tuple(part for part in self.parts if part.budget_id == budget_id)

    def bytes_on(self, budget_id: str) -> int:
        return sum(part.bytes for part in self.on(budget_id))

    def judged(self, ledger: MemoryLedger) -> GhostPlan:
        """With a verdict for every tier that it uses and whose free memory is known."""
        verdicts = dict(self.verdicts)
        for budget in (ledger.ram, *ledger.gpus, *ledger.disks):
            need, free = self.bytes_on(budget.id), budget.free.or_none()
            if need and free is not None and budget.id not in verdicts and budget.id not in self.unjudged:
                verdicts[budget.id] = judge(need, free)
        return replace(self, verdicts=verdicts)


def judge(need_bytes: int, free_bytes: int) -> Verdict:
    if need_bytes > free_bytes:
        return Verdict.NO
    spare = max(SPARE_BYTES, round(need_bytes * SPARE_SHARE))
    return Verdict.FITS if need_bytes + spare <= free_bytes else Verdict.TIGHT
