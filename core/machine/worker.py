"""One thread for questions that may block: a driver that hangs must hold up neither the chat nor the end of the
program."""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from collections.abc import Callable
from typing import Any, TypeVar

log = logging.getLogger(__name__)

T = TypeVar("T")
_Job = tuple[Callable[[], Any], "asyncio.Future[Any]"]


class Worker:
    """Runs one call after the other on a thread of its own. The thread is a daemon and not asyncio's: asyncio and the
    interpreter wait at their end for every thread of an executor, also for one that hangs in a driver."""

    def __init__(self, name: str) -> None:
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._closed = False

    def run(self, call: Callable[[], T]) -> asyncio.Future[T]:
        """The result of `call`, made on the thread after all earlier ones. Cancelling the future does not stop the
        call.

        Raises: RuntimeError after `close`."""
        if self._closed:
            raise RuntimeError("the worker is closed")
        if self._thread.ident is None:
            self._thread.start()
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._jobs.put((call, future))
        return future

    async def close(self, last: Callable[[], None], timeout_s: float) -> bool:
        """Run `last`, then end the thread. False when the thread hangs in a call and is left behind."""
        if self._thread.ident is None or self._closed:
            self._closed = True
            return True
        ended = self.run(last)
        self._closed = True
        self._jobs.put(None)
        await asyncio.wait([ended], timeout=timeout_s)
        if not ended.done():
            ended.cancel()
            log.warning("%s still waits for a driver and is left behind", self._thread.name)
            return False
        self._thread.join(timeout_s)
        ended.result()
        return True

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            call, future = job
            result, error = None, None
            try:
                result = call()
            except BaseException as raised:
                error = raised
            try:
                future.get_loop().call_soon_threadsafe(_settle, future, result, error)
            except RuntimeError:
                log.debug("the loop ended before an answer came")
                return


def _settle(future: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
    if future.cancelled():
        return
    if error is not None:
        future.set_exception(error)
    else:
        future.set_result(result)
