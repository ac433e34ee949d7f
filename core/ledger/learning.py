"""From what earlier launches took to a correction of the next plan. Pure.

A figure teaches by its ratio, actual / formula, so that a launch with another context or batch still learns. The
median and the median deviation are used: one odd launch (another program beside it) moves neither.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Final

from core.events import Phase
from core.ledger.record import GRAPHS, OVERHEAD, PROCESSES, SPEED
from core.planner.options import Learned, Taught

RUNS: Final = 20
"""Newest runs that count."""
NORMAL: Final = 1.4826  # from the median deviation to a standard deviation, were the scatter normal
LEAST_SPREAD: Final = 0.02
SINGLE_SPREAD: Final = 0.10
"""The band of one run alone, as a share: nothing is known of its scatter."""
# A ratio outside is a figure gone wrong (a launch that was read half), not a lesson.
SANE: Final = (0.02, 50.0)


def taught(ratios: Sequence[float]) -> Taught | None:
    """None without a run to learn from."""
    kept = [ratio for ratio in ratios[:RUNS] if SANE[0] <= ratio <= SANE[1]]
    if not kept:
        return None
    middle = statistics.median(kept)
    if len(kept) == 1:
        return Taught(middle, SINGLE_SPREAD * middle, 1)
    deviation = statistics.median(abs(ratio - middle) for ratio in kept)
    return Taught(middle, max(2 * NORMAL * deviation, LEAST_SPREAD * middle), len(kept))


def learned(ratios: Mapping[str, Sequence[float]]) -> Learned:
    """Args: `ratios` by figure, newest first."""
    return Learned(
        overhead=taught(ratios.get(OVERHEAD, ())),
        graphs=taught(ratios.get(GRAPHS, ())),
        processes=taught(ratios.get(PROCESSES, ())),
        decode=taught(ratios.get(SPEED, ())),
    )


def expected_phases(durations: Mapping[str, Sequence[float]]) -> dict[Phase, float]:
    """Median seconds of each phase, in their order; empty before the first launch that became ready."""
    phases = [phase for phase in Phase if phase is not Phase.READY and durations.get(phase)]
    return {phase: statistics.median(durations[phase]) for phase in phases}
