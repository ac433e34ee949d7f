"""This computer while the product runs on it: the live monitor, told what is ours in memory and on disk, and the
probe."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from core.disk_use import Place, ours_by_mount, places_of
from core.engine import metrics
from core.engine.environments import Environments
from core.engine.log_memory import MemorySaid, memory_said
from core.engine.supervisor import Supervisor
from core.errors import AppError
from core.events import (
    EngineInfo,
    EnginesChanged,
    EventBus,
    MachineChanged,
    ModelInfo,
    ModelsChanged,
    ServerState,
    ServerStatus,
)
from core.hub.places import usual_cache
from core.machine.budget import ServerUse
from core.machine.model import Machine, Vendor
from core.machine.monitor import MachineMonitor, Pace
from core.machine.probe.result import Probe
from core.machine.probe.run import JOB, MachineProbe
from core.machine.reader import Sources
from core.paths import Paths
from core.runtime import ErrorHook, Tasks

log = logging.getLogger(__name__)

PROBE_JOB: Final = JOB
METRICS_S: Final = 2.0
"""Seconds between two looks at the server's metrics, while somebody sees the figures."""

_ALIVE: Final = (ServerState.STARTING, ServerState.READY, ServerState.STOPPING)


@dataclass(frozen=True, slots=True)
class ComputerOptions:
    """Where the machine is read from and how often; tests give recorded ones."""

    sources: Sources
    pace: Pace = field(default_factory=Pace)
    metrics_s: float = METRICS_S


class Computer:
    """Owner of the monitor, the probe and the look at the server's metrics. Lives on the loop's thread.

    Nothing is read before `open`. `close` ends everything, a driver that hangs aside.
    """

    def __init__(
        self,
        paths: Paths,
        bus: EventBus,
        supervisor: Supervisor,
        engines: Environments,
        options: ComputerOptions | None = None,
        on_error: ErrorHook | None = None,
        models: Callable[[], Path] = usual_cache,
    ) -> None:
        self._options = options or ComputerOptions(Sources.of_user(paths, models))
        self._supervisor = supervisor
        self._engines = engines
        self._monitor = MachineMonitor(self._options.sources, bus, self._options.pace, on_error)
        self._probe = MachineProbe(paths, bus, models=models)
        self._tasks = Tasks(on_error)
        self._bus = bus
        self._unsubscribe: Callable[[], None] | None = None
        self._visible = asyncio.Event()
        self._use: ServerUse | None = None
        self._said = MemorySaid()
        self._launch_id = ""
        self._looking: asyncio.Task[None] | None = None
        self._engine_list: tuple[EngineInfo, ...] = ()
        self._model_list: tuple[ModelInfo, ...] = ()
        self._counted: tuple[frozenset[str], frozenset[Place]] = (frozenset(), frozenset())

    def open(self) -> None:
        """Begin to watch; samples come once somebody looks or a server runs."""
        self._unsubscribe = self._bus.subscribe(self._hear)
        self._monitor.start()
        self._follow(self._supervisor.status)

    async def close(self) -> None:
        if self._unsubscribe is not None:
            self._unsubscribe()
        await self._tasks.close()
        await self._monitor.close()

    def show(self, visible: bool) -> None:
        """Whether somebody sees the figures."""
        if visible:
            self._visible.set()
        else:
            self._visible.clear()
        self._monitor.show(visible)

    @property
    def latest(self) -> MachineChanged | None:
        """The newest sample, None before the first."""
        return self._monitor.latest

    async def now(self) -> MachineChanged:
        """A fresh sample."""
        return await self._monitor.now()

    # ---- the probe -------------------------------------------------------------------------------------------------

    async def remembered_probe(self) -> Probe | None:
        """What an earlier probe of this computer found."""
        return await asyncio.to_thread(self._probe.remembered, await self._machine())

    async def probe(self) -> Probe:
        """Measure, with `Progress` and `JobDone` of job `PROBE_JOB`.

        Raises:
            AppError: `machine.probe_busy`, `machine.probe_failed`.
        """
        return await self._probe.run((await self.now()).machine, await self._cuda_python())

    async def _machine(self) -> Machine:
        return (self._monitor.latest or await self.now()).machine

    async def _cuda_python(self) -> str | None:
        """The interpreter of an engine that can copy to a GPU."""
        try:
            engine = await self._engines.default()
        except AppError as error:
            log.info("the probe leaves out the way to the GPU: %s", error.code)
            return None
        return engine.python if engine.platform == "cuda" else None

    # ---- the server ------------------------------------------------------------------------------------------------

    def _hear(self, event: object) -> None:
        if isinstance(event, ServerStatus):
            self._follow(event)
        elif isinstance(event, EnginesChanged):
            self._engine_list = event.engines
            self._count_on_disk()
        elif isinstance(event, ModelsChanged):
            self._model_list = event.models
            self._count_on_disk()
        elif isinstance(event, MachineChanged):
            self._count_on_disk()

    def _count_on_disk(self) -> None:
        """What is ours on each disk, counted again when a list or the disks changed."""
        latest = self._monitor.latest
        if latest is None:
            return
        mounts = frozenset(disk.mount for disk in latest.machine.disks)
        wanted = mounts, places_of(self._engine_list, self._model_list)
        if wanted != self._counted:
            self._counted = wanted
            self._tasks.start(self._count(*wanted), "what is ours on disk")

    async def _count(self, mounts: frozenset[str], places: frozenset[Place]) -> None:
        self._monitor.count_ours_on_disk(await asyncio.to_thread(ours_by_mount, mounts, places))

    def _follow(self, status: ServerStatus) -> None:
        """Tell the monitor whose processes are ours, from the first moment of a start to the end of the last one."""
        if status.state not in _ALIVE:
            self._use, self._said = None, MemorySaid()
            self._monitor.serve(None)
            self._stop_looking()
            return
        if status.launch_id != self._launch_id:
            self._stop_looking()
            self._launch_id, self._use, self._said = status.launch_id, None, MemorySaid()
        if status.state is ServerState.READY and self._said == MemorySaid():
            # At once: the lines of the start may be dropped from the tail later.
            self._said = memory_said(self._supervisor.log_tail())
        before = self._use or ServerUse()
        self._tell(self._with_said(replace(before, roots=self._supervisor.roots or before.roots)))
        if status.state is ServerState.READY and self._looking is None:
            self._looking = self._tasks.start(self._look_at_metrics(), "server metrics")

    def _stop_looking(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None

    def _tell(self, use: ServerUse) -> None:
        self._use = use
        self._monitor.serve(use)

    def _with_said(self, use: ServerUse) -> ServerUse:
        """What the log told, by budget. It names no GPU by identity: its figures are placed only where there is no
        choice."""
        kv = {"ram": self._said.ram_kv_bytes} if self._said.ram_kv_bytes else {}
        stated: dict[str, int] = {}
        latest = self._monitor.latest
        if len(self._said.gpus) == 1 and latest is not None:
            gpus = [gpu.id for gpu in latest.machine.gpus if gpu.usable and gpu.vendor is Vendor.NVIDIA]
            if len(gpus) == 1:
                kv[gpus[0]] = self._said.gpus[0].kv_bytes
                stated[gpus[0]] = self._said.gpus[0].stated_bytes
        return replace(use, kv_bytes=kv, stated_bytes=stated)

    async def _look_at_metrics(self) -> None:
        """How much of the KV cache is in use, until the server ends; nothing while nobody looks."""
        while True:
            await self._visible.wait()
            used = await self._kv_used()
            if self._use is not None:
                self._tell(self._with_said(replace(self._use, kv_used=used)))
            await asyncio.sleep(self._options.metrics_s)

    async def _kv_used(self) -> float | None:
        try:
            return metrics.kv_used(await metrics.poll(self._supervisor.status.port))
        except AppError as error:
            log.debug("no metrics: %s", error)
            return None
