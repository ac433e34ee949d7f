"""Garbage in cycles: a Qt object among it may end on the GUI thread only."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref

from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from gui.bridge import Bridge
from gui.collector import Collector

# What is made and still there counts, not what is made.
KEPT = 10_000


def make_garbage(ended_in: list[int]) -> None:
    holder = QObject()
    holder.itself = holder  # type: ignore[attr-defined]
    weakref.finalize(holder, lambda: ended_in.append(threading.get_ident()))


def allocate() -> int:
    """Far more than what has Python look for garbage."""
    kept = [[number] for number in range(200_000)]
    return len(kept)


def test_a_qt_object_in_a_cycle_ends_on_the_gui_thread(bridge: Bridge, qtbot: QtBot) -> None:
    ended_in: list[int] = []
    done: list[int] = []
    make_garbage(ended_in)
    bridge.call(asyncio.to_thread, allocate, owner=bridge, done=done.append)
    qtbot.waitUntil(lambda: bool(done))
    kept = [[number] for number in range(KEPT)]
    qtbot.waitUntil(lambda: bool(ended_in), timeout=20_000)
    assert ended_in == [threading.get_ident()]
    assert len(kept) == KEPT


def test_it_is_collected_without_being_asked_for(bridge: Bridge, qtbot: QtBot) -> None:
    assert not gc.isenabled()
    ended_in: list[int] = []
    make_garbage(ended_in)
    kept = [[number] for number in range(KEPT)]
    qtbot.waitUntil(lambda: bool(ended_in), timeout=20_000)
    assert len(kept) == KEPT


def test_the_last_to_stop_gives_python_its_own_way_back() -> None:
    was_on = gc.isenabled()
    first, second = Collector(), Collector()
    first.start()
    first.start()
    second.start()
    first.stop()
    first.stop()
    assert not gc.isenabled()
    second.stop()
    assert gc.isenabled() == was_on


def test_a_runtime_that_ended_leaves_collecting_to_python(bridge: Bridge, qtbot: QtBot) -> None:
    assert not gc.isenabled()
    qtbot.waitUntil(bridge.stop)
    assert gc.isenabled()
