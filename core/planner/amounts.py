"""Sizes with their certainty. A plan never shows a bare number for what it does not know."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from core.planner.options import Taught


class Certainty(enum.StrEnum):
    EXACT = "exact"
    ESTIMATED = "estimated"
    LEARNED = "learned"
    UNKNOWN = "unknown"


class Verdict(enum.StrEnum):
    """`FITS` by the pessimistic end of every band, `TIGHT` only by the optimistic one."""

    FITS = "fits"
    TIGHT = "tight"
    NO = "does not fit"
    UNKNOWN = "unknown"


_WORST_FIRST = (Verdict.NO, Verdict.UNKNOWN, Verdict.TIGHT, Verdict.FITS)


def worst(verdicts: tuple[Verdict, ...]) -> Verdict:
    return next((verdict for verdict in _WORST_FIRST if verdict in verdicts), Verdict.FITS)


@dataclass(frozen=True, slots=True)
class Amount:
    """Bytes: the likely value and the band around it. `high` None: no upper end is known. `runs`: how many launches of
    this computer it was learned from."""

    likely: int
    low: int
    high: int | None
    certainty: Certainty
    reason: str = ""
    runs: int = 0

    @property
    def top(self) -> int:
        """The pessimistic end; where none is known, the likely value."""
        return self.likely if self.high is None else self.high


def exact(size: int) -> Amount:
    return Amount(size, size, size, Certainty.EXACT)


def corrected(amount: Amount, taught: Taught | None) -> Amount:
    """The formula's `amount` as earlier launches correct it."""
    if taught is None or amount.likely <= 0:
        return amount
    low, likely, high = (
        max(0, int(amount.likely * factor))
        for factor in (taught.factor - taught.spread, taught.factor, taught.factor + taught.spread)
    )
    return Amount(likely, low, high, Certainty.LEARNED, f"measured at {taught.runs} earlier launches", taught.runs)


def estimated(likely: float, low: float, high: float, reason: str = "") -> Amount:
    ends = sorted((max(0, int(low)), max(0, int(likely)), max(0, int(high))))
    return Amount(ends[1], ends[0], ends[2], Certainty.ESTIMATED, reason)


def unknown(floor: int, reason: str) -> Amount:
    return Amount(max(0, floor), max(0, floor), None, Certainty.UNKNOWN, reason)


@dataclass(frozen=True, slots=True)
class Item:
    """One part of a tier. `id` names it ("weights", "kv_cache"); `note` adds what only this plan knows."""

    id: str
    amount: Amount
    note: str = ""


@dataclass(frozen=True, slots=True)
class Tier:
    """VRAM of one card, RAM or disk. `limit_bytes` is what may be used, `total_bytes` what there is; None unknown."""

    id: str
    items: tuple[Item, ...]
    limit_bytes: int | None
    total_bytes: int | None
    verdict: Verdict

    @property
    def likely_bytes(self) -> int:
        return sum(item.amount.likely for item in self.items)

    @property
    def low_bytes(self) -> int:
        return sum(item.amount.low for item in self.items)

    @property
    def high_bytes(self) -> int:
        return sum(item.amount.top for item in self.items)

    def part(self, part_id: str) -> Amount | None:
        return next((item.amount for item in self.items if item.id == part_id), None)


def judge(items: tuple[Item, ...], limit_bytes: int | None) -> Verdict:
    """Whether the parts fit into `limit_bytes`."""
    if limit_bytes is None:
        return Verdict.UNKNOWN
    if sum(item.amount.low for item in items) > limit_bytes:
        return Verdict.NO
    if any(item.amount.high is None for item in items):
        return Verdict.UNKNOWN
    return Verdict.FITS if sum(item.amount.top for item in items) <= limit_bytes else Verdict.TIGHT
