"""A bounded cache of table rows: whole batches in and out with numpy, the rows that were used longest ago make room."""

from __future__ import annotations

import numpy as np

_NONE = np.empty(0, np.int64)


class RowCache:
    """Not thread-safe.

    Args:
        row_count: rows of the table; row_bytes: bytes of one; limit_bytes: bound of the stored rows (beside it 4 bytes
            for each row of the table are kept).
    """

    def __init__(self, row_count: int, row_bytes: int, limit_bytes: int) -> None:
        self.capacity = min(row_count, limit_bytes // row_bytes)
        self._rows = np.empty((self.capacity, row_bytes), np.uint8)
        self._slot_of = np.full(row_count, -1, np.int32) if self.capacity else np.empty(0, np.int32)
        self._row_in = np.full(self.capacity, -1, np.int64)
        self._used_at = np.zeros(self.capacity, np.int64)
        self._filled = 0
        self._clock = 0

    def take(self, ids: np.ndarray, into: np.ndarray) -> np.ndarray:
        """Copy the rows that are here into their places of `into`; gives the positions of those that are not."""
        if not self.capacity:
            return np.arange(len(ids))
        self._clock += 1
        if len(ids) == 1:  # a token of one stream: a third of the time of what follows
            slot = self._slot_of[ids[0]]
            if slot < 0:
                return np.zeros(1, np.int64)
            into[0] = self._rows[slot]
            self._used_at[slot] = self._clock
            return _NONE
        slots = self._slot_of[ids]
        here = slots >= 0
        if here.all():
            np.take(self._rows, slots, axis=0, out=into, mode="clip")  # "raise" would copy twice
            self._used_at[slots] = self._clock
            return _NONE
        found = slots[here]
        into[here] = self._rows[found]
        self._used_at[found] = self._clock
        return np.flatnonzero(~here)

    def absent(self, ids: np.ndarray) -> np.ndarray:
        """Those of `ids` that are not here. Does not count as a use."""
        return ids[self._slot_of[ids] < 0] if self.capacity else ids

    def put(self, ids: np.ndarray, rows: np.ndarray) -> None:
        """Keep rows that were not here. More than the cache holds: the last of them."""
        ids, rows = ids[-self.capacity :] if self.capacity else ids[:0], rows[-self.capacity :]
        if not len(ids):
            return
        slots = self._room(len(ids))
        self._rows[slots] = rows
        self._row_in[slots] = ids
        self._slot_of[ids] = slots
        self._used_at[slots] = self._clock

    def _room(self, count: int) -> np.ndarray:
        fresh = min(count, self.capacity - self._filled)
        slots = np.arange(self._filled, self._filled + fresh)
        self._filled += fresh
        if fresh == count:
            return slots
        old = np.argpartition(self._used_at[: self._filled - fresh], count - fresh - 1)[: count - fresh]
        self._slot_of[self._row_in[old]] = -1
        return np.concatenate((slots, old))
