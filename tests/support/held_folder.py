"""A folder of the tests' cache that several runs, and several workers of one run, share: who uses it, who makes it."""

from __future__ import annotations

import fcntl
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


class HeldFolder:
    """Held shared by everyone who uses the folder. One who makes it holds a second lock as well: those who wait their
    turn to make it must not wait until the first one has done *using* it."""

    def __init__(self, folder: Path, use: IO[str]) -> None:
        self._folder = folder
        self._use = use
        self._take(fcntl.LOCK_SH)

    @contextmanager
    def making(self) -> Generator[None]:
        """One at a time. Look again inside: another one may have made it meanwhile."""
        # Whoever makes it now may need it for itself alone.
        self._take(fcntl.LOCK_UN)
        with self._folder.with_suffix(".making").open("w") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)
            self._take(fcntl.LOCK_SH)
            yield

    @contextmanager
    def alone(self) -> Generator[None]:
        """While nobody uses it. Only within `making`: two who both keep it and wait for this would wait for ever."""
        # The kernel does not turn one kind into the other in one step, so a waiting one would not let go of its own.
        self._take(fcntl.LOCK_UN)
        self._take(fcntl.LOCK_EX)
        try:
            yield
        finally:
            self._take(fcntl.LOCK_SH)

    def _take(self, kind: int) -> None:
        fcntl.flock(self._use, kind)


@contextmanager
def held(folder: Path) -> Generator[HeldFolder]:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as use:
        yield HeldFolder(folder, use)
