"""How far the worker is: written by its threads, read by the one that reports."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import Any


class Refused(Exception):
    """The end of the download. `kind` and `facts` go to the app, which finds the words."""

    def __init__(self, kind: str, detail: str = "", **facts: Any) -> None:
        super().__init__(kind, detail)
        self.kind = kind
        self.detail = detail
        self.facts = facts


class Stopped(Exception):
    """Another thread failed: nothing more is to be done."""


@dataclass
class Board:
    """`have`: bytes that are there, by file; `fetched`: all that came over the network now. `finished`: paths that are
    whole, in the order they became so. `waits`: (word id, monotonic end) by file. `active`: files in work, of which
    those in `verifying` are read from the disk. `disk_low`: what is left to fetch does not go onto the disk."""

    have: dict[str, int] = field(default_factory=dict[str, int])
    fetched: int = 0
    finished: list[str] = field(default_factory=list[str])
    waits: dict[str, tuple[str, float]] = field(default_factory=dict[str, tuple[str, float]])
    verifying: set[str] = field(default_factory=set[str])
    active: set[str] = field(default_factory=set[str])
    disk_low: bool = False
    stop: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def set_have(self, path: str, have: int, fetched: int = 0) -> None:
        with self.lock:
            self.have[path] = have
            self.fetched += fetched

    def begin(self, path: str) -> None:
        with self.lock:
            self.active.add(path)

    def verify(self, path: str, on: bool) -> None:
        with self.lock:
            (self.verifying.add if on else self.verifying.discard)(path)

    def finish(self, path: str, size: int) -> None:
        with self.lock:
            self.have[path] = size
            self.finished.append(path)
            self.active.discard(path)

    def wait(self, path: str, reason: str, seconds: float) -> None:
        """Wait, and let it be known why. Raises `Stopped`."""
        with self.lock:
            self.waits[path] = (reason, time.monotonic() + seconds)
        try:
            if self.stop.wait(seconds):
                raise Stopped
        finally:
            with self.lock:
                self.waits.pop(path, None)

    def check(self) -> None:
        if self.stop.is_set():
            raise Stopped

    @property
    def done(self) -> int:
        with self.lock:
            return sum(self.have.values())

    def report(self) -> dict[str, Any]:
        done = self.done
        with self.lock:
            report: dict[str, Any] = {"done": done, "fetched": self.fetched, "finished": list(self.finished)}
            working = self.active - set(self.waits)
            if self.waits and not working:
                reason, end = min(self.waits.values(), key=lambda wait: wait[1])
                report |= {"waits_for": reason, "wait_s": round(max(0.0, end - time.monotonic()), 1)}
            elif working and working <= self.verifying:
                report["verifying"] = True
            return report
