"""Medians with their scatter, and whether two sides differ by more than chance. Pure; the resampling is seeded, so the
same figures always give the same interval."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

RESAMPLES: Final = 2000
CONFIDENCE: Final = 0.95
SEED: Final = 7
LEAST: Final = 3
"""Fewer figures than this have no interval worth telling."""


@dataclass(frozen=True, slots=True)
class Summary:
    """`low`, `high`: the 95 % bootstrap interval of the median, None with fewer than three figures. `deviation`: the
    median absolute deviation."""

    count: int
    median: float
    deviation: float
    smallest: float
    largest: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Ratio:
    """B's median as a multiple of A's. `clear`: the interval leaves out 1, so the difference is not chance alone."""

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def clear(self) -> bool:
        return self.low is not None and self.high is not None and not self.low <= 1.0 <= self.high


def summarise(values: Sequence[float]) -> Summary | None:
    if not values:
        return None
    middle = statistics.median(values)
    deviation = statistics.median(abs(value - middle) for value in values)
    low, high = _interval(lambda rng: statistics.median(rng.choices(values, k=len(values))), len(values))
    return Summary(len(values), middle, deviation, min(values), max(values), low, high)


def ratio(a: Sequence[float], b: Sequence[float]) -> Ratio | None:
    """None where one side has no figure, or A's median is 0."""
    if not a or not b or statistics.median(a) == 0:
        return None

    def once(rng: random.Random) -> float:
        below = statistics.median(rng.choices(a, k=len(a)))
        return statistics.median(rng.choices(b, k=len(b))) / below if below else float("inf")

    low, high = _interval(once, min(len(a), len(b)))
    return Ratio(statistics.median(b) / statistics.median(a), low, high)


def _interval(once: Callable[[random.Random], float], count: int) -> tuple[float | None, float | None]:
    if count < LEAST:
        return None, None
    rng = random.Random(SEED)
    drawn = sorted(once(rng) for _ in range(RESAMPLES))
    cut = int(len(drawn) * (1 - CONFIDENCE) / 2)
    return drawn[cut], drawn[-cut - 1]


def first_difference(a: str, b: str) -> int | None:
    """The position of the first character that differs; None when the texts are equal."""
    if a == b:
        return None
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
