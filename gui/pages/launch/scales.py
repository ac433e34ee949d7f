"""Where a slider stands for a value: few, sensible stops instead of a million positions. Pure."""

from __future__ import annotations

from bisect import bisect_left
from typing import Final

SMALLEST_CONTEXT: Final = 512
# What a context slider spans while the model's own limit is not known.
USUAL_LIMIT: Final = 131_072
OWN: Final = 0
"""The value of the last stop: left to the model or to vLLM."""

REQUESTS: Final = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, OWN)
STEP_TOKENS: Final = (256, 512, 1024, 2048, 4096, 8192, 16384, OWN)


def contexts(limit: int) -> tuple[int, ...]:
    """Powers of two and three stops between them, below `limit`; the model's own at the end."""
    stops: list[int] = []
    base = SMALLEST_CONTEXT
    while base < limit:
        stops += [base * quarters // 4 for quarters in (4, 5, 6, 7) if base * quarters // 4 < limit]
        base *= 2
    return (*stops, OWN)


def steps(first: float, last: float, step: float) -> tuple[float, ...]:
    """Equal steps from `first` to `last`, both included."""
    count = max(0, round((last - first) / step))
    return tuple(round(first + number * step, 3) for number in range(count + 1))


def position(stops: tuple[float, ...], value: float) -> int:
    """The stop nearest to `value`; the last one for `OWN` where the scale ends with it."""
    if stops[-1] == OWN and len(stops) > 1:
        if value == OWN:
            return len(stops) - 1
        stops = stops[:-1]
    place = bisect_left(stops, value)
    if place == 0 or place == len(stops):
        return min(place, len(stops) - 1)
    return place if stops[place] - value <= value - stops[place - 1] else place - 1
