"""Blocking work in a thread that a cancellation stops, and whose bytes can be watched."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Stopped(Exception):
    """Somebody asked to stop."""


class Counter:
    """Bytes that a thread has handled."""

    def __init__(self) -> None:
        self.bytes = 0

    def add(self, count: int) -> None:
        self.bytes += count


async def stoppable(work: Callable[[threading.Event], T]) -> T:
    """Run `work` in a thread. A cancellation sets its event and waits for its end: nothing of it runs afterwards."""
    stop = threading.Event()
    task = asyncio.ensure_future(asyncio.to_thread(work, stop))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        stop.set()
        await asyncio.wait({task})
        error = task.exception()
        if error is not None and not isinstance(error, Stopped):
            raise error from None
        raise
