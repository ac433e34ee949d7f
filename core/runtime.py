"""One asyncio loop in one named thread. Qt lives in the main thread; `gui.bridge` stands between them."""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

log = logging.getLogger(__name__)

T = TypeVar("T")
ErrorHook = Callable[[BaseException], None]


async def in_thread(work: Callable[..., T], *args: Any) -> T:
    """Run plain, heavy work beside the loop: what lexes code, draws maths or shrinks a picture for the window."""
    return await asyncio.to_thread(work, *args)


class Tasks:
    """Owner of background tasks: holds them (asyncio does so only weakly), reports their errors, ends them."""

    def __init__(self, on_error: ErrorHook | None = None) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self._on_error = on_error

    def start(self, coroutine: Coroutine[Any, Any, T], name: str) -> asyncio.Task[T]:
        task = asyncio.get_running_loop().create_task(coroutine, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if task.cancelled() or (error := task.exception()) is None:
            return
        log.error("task %s failed", task.get_name(), exc_info=error)
        if self._on_error is not None:
            self._on_error(error)

    def cancel(self) -> None:
        """Ask all that runs to end, without waiting for it."""
        for task in tuple(self._tasks):
            task.cancel()

    async def finish(self) -> None:
        """Wait until what runs has ended by itself."""
        running = [task for task in self._tasks if task is not asyncio.current_task()]
        await asyncio.gather(*running, return_exceptions=True)

    async def close(self) -> None:
        """Cancel what still runs and wait until it is gone."""
        running = [task for task in self._tasks if task is not asyncio.current_task()]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


class Runtime:
    """The thread `stowage-runtime` and its loop. `start` returns when the loop runs, `stop` when it has ended."""

    def __init__(self, on_error: ErrorHook | None = None) -> None:
        self._on_error = on_error
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: asyncio.Event | None = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="stowage-runtime", daemon=True)

    def start(self) -> None:
        self._thread.start()
        self._ready.wait()

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Run a coroutine on the loop, from any other thread. Only the bridge calls this: whoever drops the future
        drops its error."""
        if self._loop is None or not self._thread.is_alive():
            coroutine.close()
            raise RuntimeError("the runtime is not running")
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def stop(self, timeout_s: float = 30.0) -> bool:
        """End the loop; False when the thread is still alive after `timeout_s`."""
        if self._loop is not None and self._stopping is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stopping.set)
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            asyncio.run(self._main())
        except Exception as error:
            log.exception("the runtime ended with an error")
            if self._on_error is not None:
                self._on_error(error)
        finally:
            self._ready.set()

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._loop.set_exception_handler(self._unhandled)
        self._stopping = asyncio.Event()
        self._ready.set()
        await self._stopping.wait()

    def _unhandled(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        log.error("asyncio: %s", context.get("message"), exc_info=error)
        if self._on_error is not None and isinstance(error, BaseException):
            self._on_error(error)
