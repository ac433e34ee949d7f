"""How fast and how often: the speed limit that all threads share, and the pauses between attempts."""

from __future__ import annotations

import random
import threading
import time
from typing import Final

LONGEST_PAUSE_S: Final = 60.0
SMALLEST_READ: Final = 1 << 16
LARGEST_READ: Final = 1 << 20
_READ_S: Final = 0.25


class Limit:
    """Bytes per second for the whole worker, 0: as fast as it goes. May change at any time."""

    def __init__(self, bytes_per_s: int) -> None:
        self._lock = threading.Lock()
        self._rate = bytes_per_s
        self._free_at = time.monotonic()

    def change(self, bytes_per_s: int) -> None:
        with self._lock:
            self._rate = bytes_per_s
            self._free_at = time.monotonic()

    def pause_after(self, count: int) -> float:
        """Seconds to wait after having read `count` bytes."""
        with self._lock:
            if not self._rate:
                return 0.0
            now = time.monotonic()
            self._free_at = max(self._free_at, now - _READ_S) + count / self._rate
            return max(0.0, self._free_at - now)

    @property
    def read_bytes(self) -> int:
        """What one read may take, so that a slow line is not read in gulps."""
        if not self._rate:
            return LARGEST_READ
        return max(4096, min(LARGEST_READ, int(self._rate * _READ_S)))


class BackOff:
    """Pauses that double from `first_s` to a minute, each spread over a half to one and a half of itself, so that many
    clients do not come back together. Progress starts it anew."""

    def __init__(self, first_s: float) -> None:
        self._first_s = first_s
        self._failures = 0

    def progress(self) -> None:
        self._failures = 0

    def next_s(self) -> float:
        pause = min(LONGEST_PAUSE_S, self._first_s * 2**self._failures / 2)
        self._failures = min(self._failures + 1, 10)
        return pause * random.uniform(0.5, 1.5)
