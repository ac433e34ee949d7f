"""One thread that has the kernel fetch rows which will be asked for soon."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

import numpy as np

from stowage_ple.counters import Counters
from stowage_ple.file_rows import FileRows

Absent = Callable[[np.ndarray], np.ndarray]


class Ahead:
    """`most_rows`: of one prompt; what lies beyond is left to the lookups (0: nothing is read ahead); `absent` gives
    those of some distinct rows that have to be read; `counters` are told how many rows were asked for."""

    def __init__(self, file: FileRows, most_rows: int, absent: Absent, counters: Counters) -> None:
        self._file = file
        self._most_rows = most_rows
        self._absent = absent
        self._counters = counters
        self._asked: queue.SimpleQueue[list[int] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._ended = threading.Event()

    def ask(self, ids: list[int]) -> None:
        """Returns at once."""
        if not self._most_rows or self._ended.is_set():
            return
        if self._thread is None:
            # Not a pool's: at the process's end those are waited for, however slow the disk is.
            self._thread = threading.Thread(target=self._fetch_on, name="stowage-ple ahead", daemon=True)
            self._thread.start()
        self._asked.put(ids)

    def close(self) -> None:
        """Waits for the thread: it must not touch the file once that is closed."""
        self._ended.set()
        self._asked.put(None)
        if self._thread is not None:
            self._thread.join()

    def _fetch_on(self) -> None:
        while (ids := self._asked.get()) is not None:
            self._fetch(ids)

    def _fetch(self, ids: list[int]) -> None:
        numbers = np.asarray(ids, np.int64)
        numbers = numbers[(numbers >= 0) & (numbers < self._file.count)]
        unique, first = np.unique(numbers, return_index=True)
        soonest = unique[np.argsort(first, kind="stable")][: self._most_rows]  # in the order in which they are needed
        for row in self._absent(soonest).tolist():
            if self._ended.is_set():
                return
            self._file.will_need(row)
            self._counters.count_ahead()
