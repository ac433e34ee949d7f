"""The loop in its thread, tasks with an owner, jobs that can be cancelled."""

from __future__ import annotations

import asyncio
import threading

import pytest

from core.errors import AppError
from core.jobs import Jobs
from core.runtime import Runtime, Tasks

BUSY = AppError("chat.busy")
CANCELLED = AppError("server.cancelled")


async def _thread_name() -> str:
    return threading.current_thread().name


async def _fail() -> None:
    raise ValueError("on purpose")


def test_work_runs_on_the_named_thread_and_the_thread_ends() -> None:
    runtime = Runtime()
    runtime.start()
    assert runtime.submit(_thread_name()).result(5) == "stowage-runtime"
    assert runtime.stop()
    assert "stowage-runtime" not in {thread.name for thread in threading.enumerate()}
    with pytest.raises(RuntimeError):
        runtime.submit(_thread_name())


def test_stopping_cancels_what_still_runs() -> None:
    ended: list[str] = []

    async def endless() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("ended")

    runtime = Runtime()
    runtime.start()
    future = runtime.submit(endless())
    assert runtime.submit(_thread_name()).result(5)
    assert runtime.stop()
    assert ended == ["ended"]
    assert future.cancelled() or future.done()


def test_an_error_nobody_awaits_reaches_the_hook() -> None:
    heard: list[BaseException] = []

    async def main() -> None:
        tasks = Tasks(heard.append)
        tasks.start(_fail(), "failing")
        endless = tasks.start(asyncio.Event().wait(), "endless")
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        await tasks.close()
        assert endless.cancelled()

    asyncio.run(main())
    assert [str(error) for error in heard] == ["on purpose"]


def test_a_job_is_single_cancellable_and_gone_afterwards() -> None:
    steps: list[str] = []

    async def work(started: asyncio.Event) -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            steps.append("cleaned up")

    async def main() -> None:
        jobs = Jobs()
        started = asyncio.Event()
        first = asyncio.ensure_future(jobs.run("a", work(started), busy=BUSY, cancelled=CANCELLED))
        await started.wait()
        assert "a" in jobs
        with pytest.raises(AppError) as busy:
            await jobs.run("a", work(started), busy=BUSY, cancelled=CANCELLED)
        assert busy.value.code == "chat.busy"
        assert await jobs.cancel("a")
        with pytest.raises(AppError) as cancelled:
            await first
        assert cancelled.value.code == "server.cancelled"
        assert steps == ["cleaned up"]
        assert "a" not in jobs
        assert not await jobs.cancel("a")

    asyncio.run(main())


def test_a_cancelled_caller_takes_the_job_with_it() -> None:
    ended: list[str] = []

    async def work(started: asyncio.Event) -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("ended")

    async def main() -> None:
        jobs = Jobs()
        started = asyncio.Event()
        caller = asyncio.ensure_future(jobs.run("a", work(started), busy=BUSY, cancelled=CANCELLED))
        await started.wait()
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller
        assert ended == ["ended"]

    asyncio.run(main())


def test_a_job_gives_its_result_or_its_own_error() -> None:
    async def main() -> None:
        jobs = Jobs()
        assert await jobs.run("a", _thread_name(), busy=BUSY, cancelled=CANCELLED) == "MainThread"
        with pytest.raises(ValueError, match="on purpose"):
            await jobs.run("a", _fail(), busy=BUSY, cancelled=CANCELLED)

    asyncio.run(main())
