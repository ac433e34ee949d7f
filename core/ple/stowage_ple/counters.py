"""What the lookups of one process did, written to a small file once a second while something changes."""

from __future__ import annotations

import atexit
import itertools
import json
import os
import threading
from pathlib import Path

PERIOD_S = 1.0
_numbers = itertools.count()


class Counters:
    """Sums since the start. `rows`: ids asked for; `unique_rows`: after de-duplication; `hits`: of these, found in the
    row cache; `read_bytes`: from the file; `read_s`: waiting for these reads; `lookup_s`: all of a lookup but the
    copy to the device; `ahead_rows`: asked of the kernel before their turn."""

    def __init__(self, facts: dict[str, object], folder: str = "") -> None:
        self._lock = threading.Lock()
        self.facts = dict(facts)
        self.lookups = 0
        self.rows = 0
        self.unique_rows = 0
        self.hits = 0
        self.read_bytes = 0
        self.read_s = 0.0
        self.lookup_s = 0.0
        self.ahead_rows = 0
        self._changed = threading.Event()
        # One process may hold several tables: a draft model has its own.
        self._file = Path(folder) / f"ple-{os.getpid()}-{next(_numbers)}.json" if folder else None
        self._writer: threading.Thread | None = None

    def count(self, rows: int, unique: int, hits: int, read_bytes: int, read_s: float, lookup_s: float) -> None:
        with self._lock:
            self.lookups += 1
            self.rows += rows
            self.unique_rows += unique
            self.hits += hits
            self.read_bytes += read_bytes
            self.read_s += read_s
            self.lookup_s += lookup_s
        if self._file is not None:
            if self._writer is None:
                self._begin()
            if not self._changed.is_set():  # looked at for nearly nothing, in every token
                self._changed.set()

    def count_ahead(self) -> None:
        with self._lock:
            self.ahead_rows += 1

    def snapshot(self) -> dict[str, object]:
        with self._lock:
            return self.facts | {
                "lookups": self.lookups,
                "rows": self.rows,
                "unique_rows": self.unique_rows,
                "hits": self.hits,
                "read_bytes": self.read_bytes,
                "read_s": round(self.read_s, 6),
                "lookup_s": round(self.lookup_s, 6),
                "ahead_rows": self.ahead_rows,
            }

    def write(self) -> None:
        """Replace the file. A folder that is gone or full costs the counters, never the answer."""
        if self._file is None:
            return
        half = self._file.with_suffix(".tmp")
        try:
            half.write_text(json.dumps(self.snapshot()))
            half.replace(self._file)
        except OSError:
            return

    def _begin(self) -> None:
        # Only now: the process that counts is the one that looks up, and threads do not survive a fork.
        self._writer = threading.Thread(target=self._write_on, name="stowage-ple counters", daemon=True)
        self._writer.start()
        atexit.register(self.write)

    def _write_on(self) -> None:
        pause = threading.Event()
        while True:
            self._changed.wait()
            self._changed.clear()
            self.write()
            pause.wait(PERIOD_S)
