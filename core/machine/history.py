"""The last ten minutes in a fixed ring: doubles in arrays, so that an hour of monitoring costs what a minute does."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from core.machine.budget import MemoryLedger
from core.machine.model import Machine
from core.machine.reading import Known, Reading

CAPACITY: Final = 600  # ten minutes at 1 Hz


@dataclass(frozen=True, slots=True)
class History:
    """`times`: `time.monotonic()` of each sample, oldest first; every series is as long. NaN marks "unknown then".

    Keys: a budget id ("ram", a GPU's id, "disk:<mount>") for bytes in use; "busy:<gpu id>" for percent; "swap" for
    bytes per second swapped in and out."""

    times: tuple[float, ...] = ()
    series: Mapping[str, tuple[float, ...]] = field(default_factory=dict[str, "tuple[float, ...]"])

    def last(self, key: str, seconds: float) -> tuple[tuple[float, float], ...]:
        """(age in seconds, value) of the known values of the last `seconds`, oldest first."""
        values = self.series.get(key)
        if values is None or not self.times:
            return ()
        now = self.times[-1]
        pairs = zip(self.times, values, strict=True)
        return tuple((now - at, value) for at, value in pairs if now - at <= seconds and not math.isnan(value))


class Ring:
    """Holds `capacity` samples of every series; a series that appears later is unknown before, one that ends is
    dropped once all of its values have passed out."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._times = self._empty()
        self._series: dict[str, array[float]] = {}
        self._seen: dict[str, int] = {}
        self._count = 0

    def add(self, at: float, values: Mapping[str, float]) -> None:
        place = self._count % self._capacity
        self._times[place] = at
        self._count += 1
        for key in values:
            if key not in self._series:
                self._series[key] = self._empty()
            self._seen[key] = self._count
        for key in [key for key, seen in self._seen.items() if self._count - seen >= self._capacity]:
            del self._series[key], self._seen[key]
        for key, ring in self._series.items():
            ring[place] = values.get(key, math.nan)

    def snapshot(self) -> History:
        size = min(self._count, self._capacity)
        start = self._count % self._capacity if self._count > self._capacity else 0

        def straight(ring: array[float]) -> tuple[float, ...]:
            return tuple((ring[start:] + ring[:start])[:size])

        return History(straight(self._times), {key: straight(ring) for key, ring in self._series.items()})

    def _empty(self) -> array[float]:
        return array("d", [math.nan]) * self._capacity


def figures_of(machine: Machine, ledger: MemoryLedger) -> dict[str, float]:
    """One sample of every series; unknown figures are left out."""
    figures: dict[str, float] = {}
    for budget in (ledger.ram, *ledger.gpus, *ledger.disks):
        total, free = budget.total.or_none(), budget.free.or_none()
        if total is not None and free is not None:
            figures[budget.id] = max(0, total - free)
    for gpu in machine.gpus:
        _put(figures, f"busy:{gpu.id}", gpu.utilisation_percent)
    swapped = machine.ram.swap_in_bytes_per_s, machine.ram.swap_out_bytes_per_s
    if isinstance(swapped[0], Known) and isinstance(swapped[1], Known):
        figures["swap"] = swapped[0].value + swapped[1].value
    return figures


def _put(figures: dict[str, float], key: str, reading: Reading[int]) -> None:
    if isinstance(reading, Known):
        figures[key] = reading.value
