"""One window per user; a second copy brings the first to the front."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from core.errors import AppError
from core.events import Event, EventBus, ShowWindow
from core.instance import Instance
from core.paths import Paths

HOLD = """
import sys
from core.instance import Instance
from core.paths import Paths
paths = Paths.of_user(); paths.ensure()
Instance(paths).acquire()
print("held", flush=True)
sys.stdin.read()
"""


def test_a_second_copy_is_refused_and_the_first_hears_the_knock(home: Paths) -> None:
    heard: list[Event] = []

    async def main() -> None:
        bus = EventBus()
        knocked = asyncio.Event()
        bus.subscribe(heard.append)
        bus.subscribe(lambda _event: knocked.set())
        first = Instance(home)
        first.acquire()
        await first.listen(bus)
        second = Instance(home)
        with pytest.raises(AppError) as caught:
            await asyncio.to_thread(second.acquire)
        assert caught.value.code == "app.second_copy"
        await asyncio.wait_for(knocked.wait(), 5)
        await first.close()
        second.acquire()
        await second.close()

    home.ensure()
    asyncio.run(main())
    assert heard == [ShowWindow()]


def test_a_killed_copy_gives_the_lock_back(home: Paths) -> None:
    home.ensure()
    root = Path(__file__).parents[2]
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD], cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdin is not None
    with child:
        assert child.stdout.readline() == "held\n"
        with pytest.raises(AppError) as caught:
            Instance(home).acquire()
        assert caught.value.facts["pid"] == str(child.pid)
        child.kill()
        child.wait()
    again = Instance(home)
    again.acquire()
    again.release()
