"""The watch over a running server's counters: gentle, and only while somebody looks, requests run, or it is to be ended
when idle. That its engine died is the supervisor's to see."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Final

from core.engine import metrics
from core.engine.counters import Counters, counters_of
from core.engine.launch_events import VitalsChanged
from core.engine.ple_proof import Counted
from core.engine.vitals import Surroundings, Vitals, moved, vitals_of
from core.errors import AppError
from core.events import ChatDelta, Event, EventBus, LogLines, ServerState, ServerStatus
from core.runtime import Tasks

# vLLM's own line, every 10 s while it works.
_WORKS: Final = re.compile(r"Running: ([1-9]\d*) reqs?")
_REQUEST: Final = '"POST /v1/'


@dataclass(frozen=True, slots=True)
class Rhythm:
    """Seconds between two looks: while somebody sees the figures; while requests run unseen; while only the end after
    idleness is waited for. `memory_s`: for how long a sign of work counts.
    `minute_s`: tests have shorter ones."""

    seen_s: float = 2.0
    busy_s: float = 5.0
    idle_s: float = 30.0
    memory_s: float = 20.0
    minute_s: float = 60.0


async def no_table() -> Counted | None:
    return None


class Watch:
    """Owner of the look at the counters. `around` gives what the limits need; `unload` ends the server and is called
    after `idle_minutes()` without work (0: never); `table` reads the counters of a per-layer table."""

    def __init__(
        self,
        bus: EventBus,
        around: Callable[[], Surroundings],
        unload: Callable[[], Awaitable[None]],
        idle_minutes: Callable[[], int],
        rhythm: Rhythm | None = None,
        table: Callable[[], Awaitable[Counted | None]] = no_table,
    ) -> None:
        self._bus = bus
        self._around = around
        self._unload = unload
        self._idle_minutes = idle_minutes
        self._rhythm = rhythm or Rhythm()
        self._table = table
        self._tasks = Tasks()
        self._loop: asyncio.Task[None] | None = None
        self._status = ServerStatus()
        self._visible = False
        self._work_seen = 0.0
        self._wake = asyncio.Event()
        self._unsubscribe = bus.subscribe(self._hear)

    def show(self, visible: bool) -> None:
        """Whether somebody sees the figures."""
        self._visible = visible
        if visible:
            self._wake.set()

    async def close(self) -> None:
        self._unsubscribe()
        await self._tasks.close()

    def _hear(self, event: Event) -> None:
        if isinstance(event, ServerStatus):
            self._follow(event)
        elif self._loop is not None and _shows_work(event):
            self._work_seen = time.monotonic()
            self._wake.set()

    def _follow(self, status: ServerStatus) -> None:
        if self._loop is not None and (status.state is not ServerState.READY or status.port != self._status.port):
            self._loop.cancel()
            self._loop = None
        self._status = status
        if status.state is ServerState.READY and self._loop is None:
            self._loop = self._tasks.start(self._look(status), "server's counters")

    def _pause_s(self) -> float | None:
        """Until the next look, None for not before something happens."""
        if self._visible:
            return self._rhythm.seen_s
        if time.monotonic() - self._work_seen < self._rhythm.memory_s:
            return self._rhythm.busy_s
        return self._rhythm.idle_s if self._idle_minutes() else None

    async def _look(self, status: ServerStatus) -> None:
        before: Counters | None = None
        told = Vitals()
        moved_at = time.monotonic()
        while True:
            await self._rest(self._pause_s())
            try:
                page = await metrics.poll(status.port)
            except AppError:
                continue  # a server that does not answer is the supervisor's business
            now = replace(counters_of(page, time.monotonic()), table=await self._table())
            if before is None or moved(before, now):
                moved_at = now.at_s
            if now.running:
                self._work_seen = now.at_s
            elif self._idle_too_long(now.at_s - moved_at):
                self._tasks.start(self._end_idle(), "unload the idle server")
                return
            vitals = vitals_of(before, now, now.at_s - moved_at if now.running else 0.0, self._around())
            before = now
            if vitals != told:
                told = vitals
                self._bus.emit(VitalsChanged(status.launch_id, vitals))

    def _idle_too_long(self, idle_s: float) -> bool:
        minutes = self._idle_minutes()
        return minutes > 0 and idle_s >= minutes * self._rhythm.minute_s

    async def _rest(self, pause_s: float | None) -> None:
        """For `pause_s` at least, so that a busy log does not drive the looks; without it until something happens."""
        self._wake.clear()
        if pause_s is None:
            await self._wake.wait()
        else:
            await asyncio.sleep(pause_s)

    async def _end_idle(self) -> None:
        await self._unload()


def _shows_work(event: Event) -> bool:
    if isinstance(event, LogLines):
        return any(_WORKS.search(line) or _REQUEST in line for line in event.lines)
    return isinstance(event, ChatDelta)
