"""One probe from start to end: RAM, disk, the way to the GPU; at most 20 seconds, cancellable, remembered."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeVar

from core.errors import AppError
from core.events import ErrorInfo, EventBus, JobDone, Progress
from core.hub.places import usual_cache
from core.machine.model import Machine
from core.machine.probe.disk import RANDOM_DEPTH, Times, measure_disk
from core.machine.probe.link import measure_links
from core.machine.probe.ram import MEASURE_S, measure_ram
from core.machine.probe.result import Probe, ProbeStore, machine_key, now
from core.machine.reading import Unknown
from core.machine.tree import Tree
from core.machine.worker import Worker
from core.paths import Paths

log = logging.getLogger(__name__)

T = TypeVar("T")

JOB: Final = "probe"
WHOLE_S: Final = 20.0
# Importing PyTorch and six copies each way; with less there is no point in starting.
_LINK_AT_LEAST_S: Final = 3.0


class MachineProbe:
    """Measures one thing after the other, one probe at a time. Lives on the loop's thread.

    Progress goes out as `Progress(job="probe")` with the steps "probe_ram", "probe_disk", "probe_link", the end as
    `JobDone`.
    """

    def __init__(
        self,
        paths: Paths,
        bus: EventBus,
        times: Times = Times(),  # noqa: B008 - frozen
        ram_s: float = MEASURE_S,
        models: Callable[[], Path] = usual_cache,
    ) -> None:
        self._models = models
        self._store = ProbeStore(paths.state / "probe.json")
        self._bus = bus
        self._times = times
        self._ram_s = ram_s
        self._running = False

    def remembered(self, machine: Machine) -> Probe | None:
        """What an earlier probe of this computer found."""
        return self._store.find(machine_key(machine))

    async def run(self, machine: Machine, engine_python: str | None = None) -> Probe:
        """Measure and remember. Cancelling stops within some tens of milliseconds and keeps nothing.

        Args:
            machine: a fresh snapshot: free RAM and the kind of disk decide how to measure.
            engine_python: the interpreter of an engine with CUDA; None leaves out the way to the GPU.

        Raises:
            AppError: `machine.probe_busy`; `machine.probe_failed` when nothing at all could be measured.
        """
        if self._running:
            raise AppError("machine.probe_busy")
        self._running = True
        try:
            probe = await self._measure(machine, engine_python)
        except asyncio.CancelledError:
            self._bus.emit(JobDone(JOB, ErrorInfo("machine.probe_cancelled")))
            raise
        except AppError as error:
            self._bus.emit(JobDone(JOB, ErrorInfo.of(error)))
            raise
        finally:
            self._running = False
        self._keep(machine, probe)
        self._bus.emit(JobDone(JOB))
        return probe

    async def _measure(self, machine: Machine, engine_python: str | None) -> Probe:
        began = time.monotonic()
        steps = 2 if engine_python is None else 3
        stop = threading.Event()
        folder = self._models()
        disk = machine.disk("models")
        kind = disk.kind.or_none() if disk is not None else None
        self._tell("probe_ram", 0, steps)
        ram = await _blocking(stop, lambda: measure_ram(machine, Tree(), stop, self._ram_s))
        self._tell("probe_disk", 1, steps)
        rate = await _blocking(stop, lambda: measure_disk(folder, kind, stop, self._times))
        probe = Probe(
            taken_at=now(),
            ram_read_gb_s=ram.read_gb_s,
            ram_threads=ram.threads,
            folder=str(folder),
            disk_sequential_gb_s=rate.sequential_gb_s,
            disk_random_iops=rate.random_iops,
            disk_random_latency_us=rate.random_latency_us,
            random_depth=RANDOM_DEPTH,
            cache_bypassed=rate.cache_bypassed,
            links_reason="" if engine_python else "no engine with CUDA",
        )
        if engine_python is not None:
            self._tell("probe_link", 2, steps)
            left = max(_LINK_AT_LEAST_S, WHOLE_S - (time.monotonic() - began) - 0.5)
            links, reason = await measure_links(engine_python, left)
            probe = replace(probe, links=links, links_reason=reason)
        if isinstance(ram.read_gb_s, Unknown) and isinstance(rate.sequential_gb_s, Unknown):
            reason = f"{ram.read_gb_s}; {rate.sequential_gb_s}"
            raise AppError("machine.probe_failed", reason, what="RAM, disk", reason=reason)
        return replace(probe, seconds=round(time.monotonic() - began, 2))

    def _keep(self, machine: Machine, probe: Probe) -> None:
        try:
            self._store.keep(machine_key(machine), probe)
        except OSError as error:
            log.warning("the probe is not remembered: %s", error)

    def _tell(self, step: str, index: int, count: int) -> None:
        self._bus.emit(Progress(JOB, step, index, count))


async def _blocking(stop: threading.Event, call: Callable[[], T]) -> T:
    """Run `call` on a thread. When cancelled: set `stop`, wait until the thread has ended, then go."""
    worker = Worker("stowage-probe")
    result = worker.run(call)
    try:
        await asyncio.wait([result])
        return result.result()
    finally:
        stop_early = not result.done()
        if stop_early:
            stop.set()
        await worker.close(lambda: None, 5.0)
