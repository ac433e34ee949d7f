"""Threads meet in the bridge: results and events arrive on the GUI thread, or not at all when nobody is left."""

from __future__ import annotations

import asyncio
import threading

from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from core.errors import AppError
from core.events import ErrorInfo, EventBus, JobDone, Progress, ServerStatus
from gui.bridge import Bridge


async def thread_name(answer: str) -> tuple[str, str]:
    return answer, threading.current_thread().name


def test_a_verb_runs_on_the_runtime_and_its_result_comes_back_here(bridge: Bridge, qtbot: QtBot) -> None:
    heard: list[object] = []
    here = threading.get_ident()
    bridge.call(
        thread_name, "x", owner=bridge, done=lambda result: heard.append((result, threading.get_ident() == here))
    )
    qtbot.waitUntil(lambda: bool(heard))
    assert heard == [(("x", "stowage-runtime"), True)]


def test_an_expected_failure_comes_as_a_value(bridge: Bridge, qtbot: QtBot) -> None:
    async def fail() -> None:
        raise AppError("model.unknown", "detail", model="m")

    heard: list[ErrorInfo] = []
    bridge.call(fail, owner=bridge, failed=heard.append)
    bridge.failed_unheard.connect(heard.append)
    bridge.call(fail, owner=bridge)
    qtbot.waitUntil(lambda: len(heard) == 2)
    assert heard == [ErrorInfo("model.unknown", "detail", {"model": "m"})] * 2


def test_a_bug_goes_to_the_crash_report_and_not_to_the_caller(bridge: Bridge, qtbot: QtBot) -> None:
    async def bug() -> None:
        raise ZeroDivisionError("a bug")

    failed: list[object] = []
    with qtbot.waitSignal(bridge.bug) as caught:
        bridge.call(bug, owner=bridge, done=failed.append, failed=failed.append)
    assert [type(error) for error in caught.args or []] == [ZeroDivisionError]
    assert failed == []


def test_nothing_is_delivered_to_an_owner_that_is_gone(bridge: Bridge, qtbot: QtBot) -> None:
    heard: list[object] = []
    gate = asyncio.Event()

    async def wait() -> int:
        await gate.wait()
        return 1

    async def open_gate() -> None:
        gate.set()

    owner = QObject()
    bridge.call(wait, owner=owner, done=heard.append)
    bridge.on(JobDone, heard.append, owner=owner)
    with qtbot.waitSignal(owner.destroyed):
        owner.deleteLater()
    ended: list[None] = []
    bridge.call(open_gate, owner=bridge, done=ended.append)
    bridge.post(JobDone("a"))
    qtbot.waitUntil(lambda: bool(ended))
    last: list[object] = []
    bridge.call(thread_name, "later", owner=bridge, done=last.append)
    qtbot.waitUntil(lambda: bool(last))
    assert heard == []


def test_a_cancelled_call_ends_on_the_runtime_and_is_silent(bridge: Bridge, qtbot: QtBot) -> None:
    ended = threading.Event()
    heard: list[object] = []

    async def long() -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            ended.set()

    call = bridge.call(long, owner=bridge, done=heard.append, failed=heard.append)
    last: list[object] = []
    bridge.call(thread_name, "it began", owner=bridge, done=last.append)
    qtbot.waitUntil(lambda: bool(last))
    call.cancel()
    qtbot.waitUntil(ended.is_set)
    bridge.call(thread_name, "after", owner=bridge, done=last.append)
    qtbot.waitUntil(lambda: len(last) == 2)
    assert heard == []


def test_a_burst_is_delivered_in_one_frame_and_in_order(bridge: Bridge, qtbot: QtBot) -> None:
    bus = EventBus()
    bus.subscribe(bridge.post)
    seen: list[object] = []
    for kind in (Progress, JobDone, ServerStatus):
        bridge.on(kind, seen.append, owner=bridge)

    async def burst() -> None:
        for number in range(5000):
            bus.emit(Progress("a", "download", 1, 1, done_bytes=number))
        bus.emit(JobDone("a"))
        bus.emit(ServerStatus(port=7))

    done: list[None] = []
    bridge.call(burst, owner=bridge, done=done.append)
    qtbot.waitUntil(lambda: bool(done))
    assert seen[-2:] == [JobDone("a"), ServerStatus(port=7)]
    assert seen[-3] == Progress("a", "download", 1, 1, done_bytes=4999)
    assert len(seen) < 500


def test_a_broken_handler_does_not_swallow_the_frame(bridge: Bridge, qtbot: QtBot) -> None:
    seen: list[object] = []

    def broken(_event: JobDone) -> None:
        raise RuntimeError("broken handler")

    bridge.on(JobDone, broken, owner=bridge)
    bridge.on(JobDone, seen.append, owner=bridge)
    with qtbot.waitSignal(bridge.bug):
        bridge.post(JobDone("a"))
    qtbot.waitUntil(lambda: seen == [JobDone("a")])


def test_only_the_gui_thread_may_call(bridge: Bridge) -> None:
    caught: list[BaseException] = []

    def elsewhere() -> None:
        try:
            bridge.call(thread_name, "x", owner=bridge)
        except AssertionError as error:
            caught.append(error)

    other = threading.Thread(target=elsewhere)
    other.start()
    other.join()
    assert len(caught) == 1
