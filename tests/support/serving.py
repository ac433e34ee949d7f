"""A user with a fake engine, a supervisor, and everything that was heard. The children are real processes."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.engine.command import LaunchRequest
from core.engine.process_tree import read_process
from core.engine.supervisor import Patience, Supervisor
from core.events import EngineInfo, EngineState, Event, EventBus, LogLines, ServerState, ServerStatus
from core.paths import Paths
from tests.support import survivors

ROOT = Path(__file__).parents[2]
FAKE_VLLM = ROOT / "tests/fakes/fake_vllm.py"
DEADLINE_S = 20.0


def wait_for(condition: Callable[[], bool], deadline_s: float) -> bool:
    end = time.monotonic() + deadline_s
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


@dataclass
class Serving:
    """`heard` holds every event in order; `switches` of a request are those of `fake_vllm.py`."""

    paths: Paths
    root: Path
    engine: EngineInfo
    bus: EventBus = field(default_factory=EventBus)
    heard: list[Event] = field(default_factory=list[Event])

    def __post_init__(self) -> None:
        self.bus.subscribe(self.heard.append)

    def supervisor(self, *, grace_s: float = 5.0, stall_s: float = 60.0) -> Supervisor:
        return Supervisor(self.paths, self.bus, Patience(grace_s, stall_s))

    def request(self, *switches: str, port: int | None = None, enforce_eager: bool = False) -> LaunchRequest:
        return LaunchRequest("fake-model", str(self.root), self.engine, None, enforce_eager, 1, port, switches)

    @property
    def states(self) -> list[ServerState]:
        """The states in the order in which they were heard, repeats left out."""
        found: list[ServerState] = []
        for event in self.heard:
            if isinstance(event, ServerStatus) and (not found or found[-1] is not event.state):
                found.append(event.state)
        return found

    @property
    def lines(self) -> list[str]:
        return [line for event in self.heard if isinstance(event, LogLines) for line in event.lines]

    @property
    def logged(self) -> str:
        """All that is in the log files."""
        return "\n".join(path.read_text("utf-8") for path in sorted(self.paths.logs.glob("server-*")))

    def left(self) -> list[str]:
        """Processes of any launch that are alive now, and traces on the disk."""
        alive = [f"process {pid}" for pid, _started in survivors.orphans_of(self.root) | survivors.descendants()]
        return alive + [f"file {path.name}" for path in self.paths.launches.glob("*")]


def fake_engine(folder: Path) -> EngineInfo:
    """An engine whose Python is a program that runs the fake and hands on all arguments."""
    python = folder / "engine" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{FAKE_VLLM}" "$@"\n', "utf-8")
    python.chmod(0o755)
    return EngineInfo("fake-1.0", EngineState.READY, "1.0", "cpu", str(python), "3.11", ours=False)


async def until(condition: Callable[[], bool], what: str, deadline_s: float = DEADLINE_S) -> None:
    """Wait for a condition; fails with `what` when it does not come true in time."""
    end = time.monotonic() + deadline_s
    while not condition():
        assert time.monotonic() < end, f"not within {deadline_s} s: {what}"
        await asyncio.sleep(0.01)


class Owner:
    """Another process that owns a `Supervisor` (`tests/fakes/server_owner.py`) and does what it is told."""

    def __init__(self, serving: Serving) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.fakes.server_owner", serving.engine.python, str(serving.root)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.pid = self._process.pid

    def begin(self, verb: str, *arguments: str) -> None:
        """Give an order."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([verb, *arguments]) + "\n")
        self._process.stdin.flush()

    def tell(self, verb: str, *arguments: str) -> Any:
        """Give an order and wait for the answer."""
        self.begin(verb, *arguments)
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, f"the owner died at {verb}"
        return json.loads(line)

    def kill(self) -> None:
        """SIGKILL, as a crash."""
        self._process.kill()
        self._close()

    def kill_with(self, guardian: int) -> None:
        """SIGKILL to it and to its guardian at once; the guardian is stopped first, so that it cannot react."""
        os.kill(guardian, signal.SIGSTOP)
        os.kill(guardian, signal.SIGKILL)
        self.kill()
        assert wait_for(lambda: read_process(guardian) is None, 5.0)  # a signal is only a wish

    def leave(self) -> int:
        """Let it end by itself, as at the end of its input."""
        return self._close()

    def _close(self) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        return self._process.wait(DEADLINE_S)
