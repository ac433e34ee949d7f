"""The live monitor: its pace, its events, drivers that hang, and its end."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from core.events import Event, EventBus, MachineChanged
from core.machine.budget import ServerUse
from core.machine.history import Ring
from core.machine.monitor import MachineMonitor, Pace, take
from core.machine.nvml import LIBRARY_NOT_FOUND, NvmlFault, Pynvml
from core.machine.reader import Sources
from core.machine.reading import Known
from core.machine.tree import Space, Tree
from core.machine.worker import Worker
from tests.support.recorded import GIB, Recorded

DEADLINE_S = 20.0


class Driver(Pynvml):
    """No NVIDIA library; counts how often it was looked for, and hangs as long as `gate` is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.gate.set()
        self.asked = 0

    def open(self) -> None:
        self.asked += 1
        self.gate.wait(DEADLINE_S)
        raise NvmlFault(LIBRARY_NOT_FOUND, "not here")


class Watched:
    """A monitor on a recorded computer with a list of what it told."""

    def __init__(self, computer: Recorded, pace: Pace) -> None:
        self.driver = Driver()
        self.told: list[MachineChanged] = []
        self.bus = EventBus()
        self.bus.subscribe(self._hear)
        self._news = asyncio.Event()
        tree = Tree(computer.root, lambda _path: Space(100 * GIB, 40 * GIB))
        self.ahead = 0.0
        self.sources = Sources(
            {"models": Path("/home")},
            tree,
            lambda: self.driver,
            environment={},
            clock=lambda: time.monotonic() + self.ahead,
        )
        self.monitor = MachineMonitor(self.sources, self.bus, pace)

    def _hear(self, event: Event) -> None:
        assert isinstance(event, MachineChanged)
        self.told.append(event)
        self._news.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while not condition():
                self._news.clear()
                await self._news.wait()


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(work)


QUICK = Pace(visible_s=0.02, hidden_s=0.05, silent_s=0.2)


def test_nothing_is_read_while_nobody_looks_and_no_server_runs(computer: Recorded) -> None:
    async def work() -> None:
        watched = Watched(computer, QUICK)
        watched.monitor.start()
        await asyncio.sleep(0.3)
        assert (watched.told, watched.driver.asked) == ([], 0)
        await watched.monitor.close()

    run(work())


def test_it_samples_while_somebody_looks_and_stops_when_hidden(computer: Recorded) -> None:
    async def work() -> None:
        watched = Watched(computer, QUICK)
        watched.monitor.start()
        watched.monitor.show(True)
        await watched.until(lambda: len(watched.told) >= 5)
        first, last = watched.told[0], watched.told[-1]
        assert first.machine.ram.total_bytes == Known(64 * GIB)
        assert watched.monitor.latest is last
        assert len(last.history.times) == len(watched.told)
        assert last.history.series["ram"] == (16.0 * GIB,) * len(watched.told)
        assert last.history.series["disk:/"][-1] == 60.0 * GIB
        computer.meminfo(total_gib=64, available_gib=8)
        await watched.until(lambda: watched.told[-1].machine.ram.available_bytes == Known(8 * GIB))
        watched.monitor.show(False)
        await asyncio.sleep(0.1)
        count = len(watched.told)
        await asyncio.sleep(0.3)
        assert len(watched.told) == count
        await watched.monitor.close()

    run(work())


def test_a_running_server_is_watched_slowly_when_hidden_and_quickly_when_seen(computer: Recorded) -> None:
    async def work() -> None:
        watched = Watched(computer, Pace(visible_s=0.02, hidden_s=1000.0))
        watched.monitor.start()
        watched.monitor.serve(ServerUse())
        await watched.until(lambda: len(watched.told) == 1)
        await asyncio.sleep(0.2)
        assert len(watched.told) == 1
        watched.monitor.show(True)
        await watched.until(lambda: len(watched.told) >= 4)
        await watched.monitor.close()

    run(work())


def test_a_fresh_sample_can_be_had_at_any_time(computer: Recorded) -> None:
    async def work() -> None:
        watched = Watched(computer, QUICK)
        watched.monitor.start()
        assert (await watched.monitor.now()).machine.ram.available_bytes == Known(48 * GIB)
        computer.meminfo(total_gib=64, available_gib=20)
        first, second = await asyncio.gather(watched.monitor.now(), watched.monitor.now())
        assert first.machine.ram.available_bytes == Known(20 * GIB)
        assert second.machine.taken_at >= first.machine.taken_at
        await watched.monitor.close()

    run(work())


def test_a_driver_that_hangs_holds_up_neither_the_loop_nor_the_end(computer: Recorded) -> None:
    async def work() -> None:
        computer.pci_gpu("0000:01:00.0", "0x10de")
        watched = Watched(computer, QUICK)
        watched.monitor.start()
        first = await watched.monitor.now()
        assert [note.code for note in first.machine.notes] == ["machine.driver_missing"]
        watched.driver.gate.clear()
        watched.ahead = 1000.0  # time to look for a driver again
        watched.monitor.show(True)
        await watched.until(lambda: watched.told[-1].machine.notes[0].code == "machine.driver_silent")
        late = watched.told[-1]
        assert late.ledger is first.ledger, "the old figures stay"
        ticks = 0
        until = time.monotonic() + 0.2
        while time.monotonic() < until:
            await asyncio.sleep(0.01)
            ticks += 1
        assert ticks > 5, "the loop goes on"
        watched.driver.gate.set()
        await watched.until(
            lambda: [note.code for note in watched.told[-1].machine.notes] == ["machine.driver_missing"]
        )
        await watched.monitor.close()

    run(work())


def test_closing_leaves_a_hanging_thread_behind_and_says_so() -> None:
    async def work() -> None:
        worker = Worker("hangs")
        gate = threading.Event()
        hanging = worker.run(lambda: gate.wait(DEADLINE_S))
        began = time.monotonic()
        assert not await worker.close(lambda: None, 0.2)
        assert time.monotonic() - began < 5
        with pytest.raises(RuntimeError):
            worker.run(lambda: None)
        gate.set()
        assert await hanging

    run(work())


def test_an_error_on_the_thread_comes_back_and_the_thread_goes_on() -> None:
    async def work() -> None:
        worker = Worker("errs")
        with pytest.raises(ZeroDivisionError):
            await worker.run(lambda: 1 // 0)
        assert await worker.run(threading.current_thread) is not threading.current_thread()
        assert await worker.close(lambda: None, 5.0)
        assert "errs" not in [thread.name for thread in threading.enumerate()]

    run(work())


def test_one_snapshot_for_a_command_line(computer: Recorded) -> None:
    async def work() -> None:
        watched = Watched(computer, QUICK)
        machine, ledger = await take(watched.sources)
        assert machine.ram.total_bytes == Known(64 * GIB)
        assert sum(segment.bytes for segment in ledger.ram.segments) == 64 * GIB

    run(work())


def test_the_ring_keeps_ten_minutes_and_marks_gaps() -> None:
    ring = Ring(capacity=5)
    for second in range(8):
        ring.add(float(second), {"ram": second * 10.0} | ({"gpu": 1.0} if second == 5 else {}))
    history = ring.snapshot()
    assert history.times == (3.0, 4.0, 5.0, 6.0, 7.0)
    assert history.series["ram"] == (30.0, 40.0, 50.0, 60.0, 70.0)
    assert [math.isnan(value) for value in history.series["gpu"]] == [True, True, False, True, True]
    assert history.last("gpu", 100) == ((2.0, 1.0),)
    assert history.last("ram", 1.5) == ((1.0, 60.0), (0.0, 70.0))
    assert history.last("swap", 100) == ()
    for second in range(8, 12):
        ring.add(float(second), {"ram": 0.0})
    assert "gpu" not in ring.snapshot().series
