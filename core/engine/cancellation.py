"""Cleaning up that a cancellation cannot interrupt."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def being_cancelled() -> bool:
    """Whether the running task itself was asked to stop (and not only something it waited for)."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def cancel_and_wait(task: asyncio.Task[Any]) -> None:
    """Cancel, and wait until its cleaning up is done, even when we are cancelled meanwhile."""
    task.cancel()
    await uninterrupted(_settled(task))


async def uninterrupted(work: Coroutine[Any, Any, T]) -> T:
    """Await `work` to its end; a cancellation that comes meanwhile is raised afterwards."""
    task = asyncio.create_task(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancelled = error
    result = task.result()
    if cancelled is not None:
        raise cancelled
    return result


async def _settled(task: asyncio.Task[Any]) -> None:
    await asyncio.wait({task})
