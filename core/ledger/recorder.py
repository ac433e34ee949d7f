"""Writes each launch into the ledger as the supervisor tells of it."""

from __future__ import annotations

import asyncio
import logging
import statistics
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from typing import Any, Final

from core.engine.facts_reader import read_facts
from core.engine.launch_events import LaunchRecorded, ProofChanged
from core.events import ChatDone, Event, EventBus, Phase, PhaseTime, ServerState, ServerStatus
from core.ledger.figures import actual, predicted, said
from core.ledger.launches import LaunchLedger
from core.ledger.record import SPEED, Figure, LaunchRecord, Outcome
from core.machine.processes import ProcessScan
from core.machine.tree import Tree
from core.planner.plan import Plan
from core.runtime import Tasks

log = logging.getLogger(__name__)

LEAST_TOKENS: Final = 16
"""Shorter answers say little about the speed."""


@dataclass
class _Launch:
    """The launch that is followed now. `plan` None where there was none."""

    id: str
    plan: Plan | None = None
    ready: bool = False
    rates: list[float] = field(default_factory=list[float])


class Recorder:
    """Follows `ServerStatus`, `ProofChanged` and `ChatDone`. `expect` just before a start says what is to be written of
    it.

    Args:
        log_tail: lines of the present server's log.
        roots: pids of its first processes.
    """

    def __init__(
        self,
        ledger: LaunchLedger,
        bus: EventBus,
        log_tail: Callable[[], tuple[str, ...]],
        roots: Callable[[], frozenset[int]],
    ) -> None:
        self._ledger = ledger
        self._bus = bus
        self._log_tail = log_tail
        self._roots = roots
        self._tasks = Tasks()
        self._expected: tuple[LaunchRecord, Plan | None] | None = None
        self._launch: _Launch | None = None
        self._unsubscribe = bus.subscribe(self._hear)

    def expect(self, record: LaunchRecord, plan: Plan | None, formula: Plan | None) -> None:
        """The next start is this one; its id and time are filled in when it begins."""
        figures = predicted(plan, formula) if plan is not None and formula is not None else ()
        self._expected = replace(record, figures=figures), plan

    async def close(self) -> None:
        """The last writes are finished before the ledger closes."""
        self._unsubscribe()
        await self._tasks.finish()

    # ---- what is heard ---------------------------------------------------------------------------------------------

    def _hear(self, event: Event) -> None:
        if isinstance(event, ServerStatus):
            self._follow(event)
        elif isinstance(event, ChatDone):
            self._learn_speed(event)
        elif isinstance(event, ProofChanged) and self._launch is not None and event.launch_id == self._launch.id:
            proof = {finding.option: str(finding.verdict) for finding in event.findings}
            self._write(self._ledger.put_proof(event.launch_id, proof), "launch proof")

    def _follow(self, status: ServerStatus) -> None:
        current = self._launch
        if status.state is ServerState.STARTING and (current is None or current.id != status.launch_id):
            self._begin(status)
        elif current is None or (status.launch_id and current.id != status.launch_id):
            return
        elif status.state is ServerState.READY and not current.ready:
            current.ready = True
            self._write(self._ready(current, status), "launch became ready")
        elif status.state is ServerState.FAILED:
            self._launch = None
            outcome = Outcome.DIED if current.ready else Outcome.FAILED
            self._write(self._ledger.ended(current.id, outcome, status.error), "launch failed")
        elif status.state is ServerState.IDLE:
            self._launch = None
            if not current.ready:
                self._write(self._ledger.ended(current.id, Outcome.CANCELLED), "launch cancelled")

    def _begin(self, status: ServerStatus) -> None:
        if self._expected is None:
            return
        (record, plan), self._expected = self._expected, None
        self._launch = _Launch(status.launch_id, plan)
        began_at = time.time() - (time.monotonic() - status.started_monotonic)
        record = replace(record, id=status.launch_id, began_at=began_at, outcome=Outcome.STARTING)
        self._write(self._ledger.add(record), "launch began")

    async def _ready(self, launch: _Launch, status: ServerStatus) -> None:
        lines = self._log_tail()
        await self._ledger.became_ready(launch.id, status.phases[-1].began_s, durations(status.phases))
        if launch.plan is None:
            return
        ours = await asyncio.to_thread(held_by, self._roots())
        figures = actual(launch.plan, said(read_facts(lines), lines), ours or None)
        log.info("launch %s: %s", launch.id, {figure.name: figure.actual for figure in figures})
        await self._ledger.put_figures(launch.id, figures)
        self._bus.emit(LaunchRecorded(launch.id))

    def _learn_speed(self, done: ChatDone) -> None:
        card, launch = done.speed, self._launch
        if launch is None or not launch.ready or card.decode_tokens_per_s is None:
            return
        if card.exact and card.completion_tokens >= LEAST_TOKENS:
            launch.rates.append(card.decode_tokens_per_s)
            figure = Figure(SPEED, actual=statistics.median(launch.rates))
            self._write(self._ledger.put_figures(launch.id, (figure,)), "launch speed")

    def _write(self, work: Coroutine[Any, Any, None], name: str) -> None:
        self._tasks.start(work, name)


def held_by(roots: frozenset[int]) -> int:
    """Bytes of RAM that the tree below `roots` holds, what its processes share counted once. Blocking; 0 without."""
    if not roots:
        return 0
    return sum(process.bytes for process in ProcessScan(Tree()).read(roots) if process.ours)


def durations(phases: tuple[PhaseTime, ...]) -> dict[str, float]:
    """Seconds of each phase that ended."""
    return {str(p.phase): p.ended_s - p.began_s for p in phases if p.ended_s is not None and p.phase is not Phase.READY}
