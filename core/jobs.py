"""Long work by name: at most one of a name, cancellable from elsewhere, never left running."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from core.errors import AppError

T = TypeVar("T")

LAUNCH_JOB = "launch"
PRECISE_JOB = "precise"


class Jobs:
    """Owner of the tasks behind the verbs that take long."""

    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[Any]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._tasks

    async def run(self, name: str, work: Coroutine[Any, Any, T], *, busy: AppError, cancelled: AppError) -> T:
        """Run `work` and give its result. When the caller is cancelled the work is too, and has ended when this ends.

        Raises:
            AppError: `busy` when a job of that name runs, `cancelled` when `cancel` ended it, or what the work raised.
        """
        if name in self._tasks:
            work.close()
            raise busy
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks[name] = task
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            await _end(task)
            raise
        finally:
            del self._tasks[name]
        if task.cancelled():
            raise cancelled
        return task.result()

    async def cancel(self, name: str) -> bool:
        """End a job and wait until it is gone; False when none of that name runs."""
        task = self._tasks.get(name)
        if task is None:
            return False
        await _end(task)
        return True

    async def close(self) -> None:
        await asyncio.gather(*(_end(task) for task in tuple(self._tasks.values())))


async def _end(task: asyncio.Task[Any]) -> None:
    """Cancel and wait. An error on the way out belongs to whoever awaits `run`; here it is only marked as seen."""
    task.cancel()
    await asyncio.wait({task})
    if not task.cancelled():
        task.exception()
