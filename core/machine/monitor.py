"""Samples the computer while somebody looks or a server runs, and tells everyone who listens."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from core.events import ErrorInfo, EventBus, MachineChanged
from core.machine.budget import MemoryLedger, ServerUse
from core.machine.history import Ring, figures_of
from core.machine.model import Machine
from core.machine.reader import MachineReader, Sources
from core.machine.worker import Worker
from core.runtime import ErrorHook, Tasks

log = logging.getLogger(__name__)

CLOSE_S: Final = 3.0


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds between samples. `visible`: a window shows the figures; `hidden`: nobody looks, but a server runs. With
    neither, nothing is read at all. `silent`: how long a driver may think before the figures are called old."""

    visible_s: float = 1.0
    hidden_s: float = 5.0
    silent_s: float = 10.0


class MachineMonitor:
    """Owner of the reader, its thread and the ring. All methods belong to the loop's thread.

    `show` and `serve` decide the pace. Each sample goes out as a `MachineChanged`, which `latest` keeps. When nothing
    is to be read the drivers are let go of, so that a laptop GPU can fall asleep.
    """

    def __init__(
        self,
        sources: Sources,
        bus: EventBus,
        pace: Pace = Pace(),
        on_error: ErrorHook | None = None,
    ) -> None:
        self._sources = sources
        self._bus = bus
        self._pace = pace
        self._tasks = Tasks(on_error)
        self._worker = Worker("stowage-machine")
        self._reader: MachineReader | None = None
        self._ring = Ring()
        self._wake = asyncio.Event()
        self._busy = asyncio.Lock()
        self._visible = False
        self._server: ServerUse | None = None
        self._our_disk_bytes: Mapping[str, int] = {}
        self.latest: MachineChanged | None = None

    def start(self) -> None:
        """Begin to watch; nothing is read before `show(True)` or `serve(...)`."""
        self._tasks.start(self._watch(), "machine-monitor")

    def show(self, visible: bool) -> None:
        """Whether somebody sees the figures (a window that is not minimised, `--watch`)."""
        if visible != self._visible:
            self._visible = visible
            self._wake.set()

    def serve(self, server: ServerUse | None) -> None:
        """What the running server is known to use; None when there is none. Cheap: call it with every new metric."""
        if (server is None) != (self._server is None):
            self._wake.set()
        self._server = server

    def count_ours_on_disk(self, bytes_by_mount: Mapping[str, int]) -> None:
        """Bytes of engines and models by mount point, when somebody has counted them."""
        self._our_disk_bytes = dict(bytes_by_mount)

    async def now(self) -> MachineChanged:
        """A fresh sample, whatever the pace: for a plan or a launch, which must not rest on old figures."""
        async with self._busy:
            return await self._sample()

    async def close(self) -> None:
        """Stop watching, let go of the drivers, end the thread; a driver that hangs is left behind after 3 s."""
        await self._tasks.close()
        await self._worker.close(self._let_go, CLOSE_S)

    async def _watch(self) -> None:
        while True:
            self._wake.clear()
            interval = self._interval()
            if interval is None:
                await self._worker.run(self._let_go)
                await self._wake.wait()
                continue
            began = time.monotonic()
            async with self._busy:
                await self._sample()
            await self._rest(interval - (time.monotonic() - began))

    def _interval(self) -> float | None:
        if self._visible:
            return self._pace.visible_s
        return None if self._server is None else self._pace.hidden_s

    async def _rest(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(max(0.0, seconds)):
                await self._wake.wait()
        except TimeoutError:
            return

    async def _sample(self) -> MachineChanged:
        answer = self._worker.run(self._read)
        waited = 0.0
        while not answer.done():
            # wait() leaves the answer alone when the time is up or this task is cancelled.
            await asyncio.wait([answer], timeout=self._pace.silent_s)
            if not answer.done():
                waited += self._pace.silent_s
                self._complain(waited)
        machine, ledger = answer.result()
        self._ring.add(time.monotonic(), figures_of(machine, ledger))
        return self._tell(machine, ledger)

    def _read(self) -> tuple[Machine, MemoryLedger]:
        if self._reader is None:
            self._reader = MachineReader(self._sources)
        return self._reader.read(self._server, self._our_disk_bytes)

    def _let_go(self) -> None:
        if self._reader is not None:
            self._reader.close()

    def _complain(self, seconds: float) -> None:
        log.warning("no answer from the drivers for %.0f s", seconds)
        if self.latest is None:
            return
        machine = self.latest.machine
        silent = ErrorInfo("machine.driver_silent", facts={"seconds": round(seconds)})
        others = tuple(note for note in machine.notes if note.code != silent.code)
        self._tell(replace(machine, notes=(silent, *others)), self.latest.ledger)

    def _tell(self, machine: Machine, ledger: MemoryLedger) -> MachineChanged:
        self.latest = MachineChanged(machine, ledger, self._ring.snapshot())
        self._bus.emit(self.latest)
        return self.latest


async def take(sources: Sources) -> tuple[Machine, MemoryLedger]:
    """One snapshot for a command line: read once, let go."""
    worker = Worker("stowage-machine-once")

    reader: list[MachineReader] = []

    def read() -> tuple[Machine, MemoryLedger]:
        reader.append(MachineReader(sources))
        return reader[0].read()

    def let_go() -> None:
        for one in reader:
            one.close()

    try:
        return await worker.run(read)
    finally:
        await worker.close(let_go, CLOSE_S)
