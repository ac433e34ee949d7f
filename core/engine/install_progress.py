"""Turns scattered signs of progress (pip's byte counts, a folder that grows) into one steady stream of events."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from core.events import EventBus, Progress

_WINDOW_S: Final = 10.0
_EVERY_S: Final = 0.25
_RATE_AFTER_S: Final = 1.0


class Meter:
    """Progress of one install. Bytes never go back and never pass `total_bytes`, which is the recipe's expectation.
    `on_step` hears of each step before anything of it is done."""

    def __init__(
        self,
        bus: EventBus,
        job: str,
        steps: tuple[str, ...],
        total_bytes: int,
        on_step: Callable[[str], None] = lambda _step: None,
    ) -> None:
        self._on_step = on_step
        self._bus = bus
        self._job = job
        self._steps = steps
        self._total = total_bytes
        self._done = 0
        self._step = steps[0]
        self._note = ""
        self._samples: deque[tuple[float, int]] = deque()

    def begin(self, step: str, note: str = "") -> None:
        self._step, self._note = step, note
        self._on_step(step)
        self._emit()

    def note(self, text: str) -> None:
        self._note = text or self._note

    @property
    def step(self) -> str:
        return self._step

    @property
    def done_bytes(self) -> int:
        return self._done

    def at_least(self, done_bytes: int) -> None:
        self._done = max(self._done, min(done_bytes, self._total))

    @asynccontextmanager
    async def ticking(self, measure: Callable[[], int]) -> AsyncGenerator[None]:
        """Emit four times a second while the body runs; `measure` is called before each (cheap, in this thread)."""
        task = asyncio.create_task(self._tick(measure), name=f"progress {self._job}")
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _tick(self, measure: Callable[[], int]) -> None:
        while True:
            self.at_least(measure())
            self._emit()
            await asyncio.sleep(_EVERY_S)

    def _emit(self) -> None:
        now = time.monotonic()
        self._samples.append((now, self._done))
        while len(self._samples) > 1 and now - self._samples[0][0] > _WINDOW_S:
            self._samples.popleft()
        began, before = self._samples[0]
        rate = (self._done - before) / (now - began) if now - began >= _RATE_AFTER_S else 0.0
        left = self._total - self._done
        if left <= 0:
            rate = 0.0
        self._bus.emit(
            Progress(
                job=self._job, step=self._step,
                step_index=self._steps.index(self._step) + 1, step_count=len(self._steps),
                done_bytes=self._done, total_bytes=self._total, rate=rate,
                eta_s=left / rate if rate > 0 else None, note=self._note,
            )
        )  # fmt: skip


class FolderSize:
    """How much a folder grows, measured in a worker thread and for no more than a sixth of the time. `whole_disk` takes
    the used space of its disk instead: uv downloads into a cache elsewhere and links from there at the very end."""

    def __init__(self, folder: Path, *, whole_disk: bool = False) -> None:
        self._measure = _used_bytes if whole_disk else folder_bytes
        self._folder = folder
        self.grown_bytes = 0

    @asynccontextmanager
    async def watching(self) -> AsyncGenerator[None]:
        task = asyncio.create_task(self._watch(), name=f"size of {self._folder.name}")
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _watch(self) -> None:
        first = await asyncio.to_thread(self._measure, self._folder)
        while True:
            began = time.monotonic()
            self.grown_bytes = max(0, await asyncio.to_thread(self._measure, self._folder) - first)
            await asyncio.sleep(max(0.5, 5 * (time.monotonic() - began)))


def _used_bytes(folder: Path) -> int:
    return shutil.disk_usage(folder).used


def folder_bytes(folder: Path) -> int:
    """Bytes of all regular files below `folder`; what vanishes meanwhile counts nothing."""
    total = 0
    waiting = [str(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    elif entry.is_file(follow_symlinks=False):
                        total += entry.stat(follow_symlinks=False).st_size
        except OSError:
            continue
    return total
