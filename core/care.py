"""The verbs after the click: what is true of the launch, whether it did as asked, what helps when it did not, how it
fares. Reachable as `services.care`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

from core.computer import Computer
from core.engine import metrics, sleep
from core.engine.asked import Asked, asked_of
from core.engine.change import Change, apply
from core.engine.command import HOST, LaunchRequest, shown_command
from core.engine.counters import Counters, cache_config
from core.engine.diagnosis import PREFIX, diagnose
from core.engine.endpoint import Endpoint
from core.engine.facts import LaunchFacts
from core.engine.facts_reader import FactsReader
from core.engine.finding import Finding, Shown, Verdict
from core.engine.fixes import Fix, fixes_for
from core.engine.launch_events import (
    FactsChanged,
    FixesFound,
    LaunchFixed,
    ProofChanged,
    SleepChanged,
    VitalsChanged,
)
from core.engine.ple_counters import TableCounters
from core.engine.ple_proof import Counted
from core.engine.probe_request import ask_twice
from core.engine.proof import prove
from core.engine.proof_ple import table_placed
from core.engine.sharing import own_address
from core.engine.supervisor import Supervisor
from core.engine.tree_memory import tree_memory
from core.engine.vitals import Surroundings
from core.engine.watch import Rhythm, Watch
from core.errors import AppError
from core.events import (
    ChatDone,
    ErrorInfo,
    Event,
    EventBus,
    LogLines,
    MachineChanged,
    Notice,
    ServerState,
    ServerStatus,
)
from core.fetching import Fetching
from core.jobs import LAUNCH_JOB, Jobs
from core.launch_report import LaunchReport
from core.models import STARTER
from core.runtime import Tasks
from core.settings import SettingsStore
from core.words import resolve_language

log = logging.getLogger(__name__)

NO_TEMPLATE = f"{PREFIX}no_chat_template"
_ASKING = ("prefix_caching", "kv_offload", "kv_disk", "ple_disk", "ple_ram")


@dataclass(frozen=True, slots=True)
class Sharing:
    """How the running server may be used. `address` for other computers, "" where there is none to name; `sleeps`: it
    can be put to sleep; `one_at_a_time`: requests wait for each other."""

    shared: bool = False
    address: str = ""
    sleeps: bool = False
    one_at_a_time: bool = False


class Care:
    """Follows the supervisor by its events. `facts`, `findings` and `fixes` are those of the present launch, or of the
    last one; `before_start` is told of a fixed launch."""

    def __init__(
        self,
        bus: EventBus,
        supervisor: Supervisor,
        computer: Computer,
        settings: SettingsStore,
        jobs: Jobs,
        before_start: Callable[[LaunchRequest, Change], None] | None = None,
        rhythm: Rhythm | None = None,
        fetching: Fetching | None = None,
    ) -> None:
        self._bus = bus
        self._supervisor = supervisor
        self._computer = computer
        self._jobs = jobs
        self._settings = settings
        self._before_start = before_start
        self._fetching = fetching
        self._tasks = Tasks()
        self._reader = FactsReader()
        self._table = TableCounters(lambda: supervisor.folder)
        self._launch_id = ""
        self._asleep = False
        self._looking: asyncio.Task[None] | None = None
        self._shown: Shown | None = None
        self._machine: MachineChanged | None = None
        self.facts = LaunchFacts()
        self.findings: tuple[Finding, ...] = ()
        self.fixes: tuple[Fix, ...] = ()
        self._watch = Watch(
            bus, self._around, supervisor.stop, lambda: settings.current.unload_after_idle_minutes, rhythm,
            self._table.now,
        )  # fmt: skip
        self._unsubscribe = bus.subscribe(self._hear)

    async def close(self) -> None:
        self._unsubscribe()
        await self._watch.close()
        await self._tasks.close()

    # ---- verbs -----------------------------------------------------------------------------------------------------

    async def show_vitals(self, visible: bool) -> None:
        """Whether somebody sees the figures of `VitalsChanged`."""
        self._watch.show(visible)

    async def relaunch(self, kind: str) -> Endpoint:
        """Launch the last request again with fix `kind` of `fixes`; what still runs of it is ended first.

        Raises:
            AppError: `server.not_running` when there is no such fix any more, else as `Services.launch`.
        """
        request = self._supervisor.request
        fix = next((fix for fix in self.fixes if fix.kind == kind), None)
        if request is None or fix is None:
            raise AppError("server.not_running")
        return await self._jobs.run(
            LAUNCH_JOB,
            self._start_again(request, fix),
            busy=AppError("server.busy", model=self._supervisor.status.model),
            cancelled=AppError("server.cancelled", phase=None),
        )

    async def _start_again(self, before: LaunchRequest, fix: Fix) -> Endpoint:
        await self._supervisor.stop()  # it may run, and yet not as it should
        request = apply(fix.change, before)
        if fix.fetch and self._fetching is not None:
            path = await self._fetching.get(fix.fetch, request.engine)
            if fix.fetch == request.source:
                request = replace(request, model_path=path)
        if self._before_start is not None:
            self._before_start(request, fix.change)
        return await self._supervisor.start(request)

    def prepared(self, request: LaunchRequest) -> LaunchRequest:
        """`request` with what the settings want of every launch."""
        return sleep.able(request) if self._settings.current.sleep_mode else request

    async def sharing(self) -> Sharing:
        """Whether other computers reach the running server, and at which address; all at once for the window."""
        request, status = self._supervisor.request, self._supervisor.status
        shared = request is not None and request.host != HOST
        own = await asyncio.to_thread(own_address) if shared else None
        return Sharing(
            shared=shared,
            address=f"http://{own}:{status.port}/v1" if own else "",
            sleeps=sleep.is_able(request),
            one_at_a_time=request is not None and request.tuning.max_num_seqs == 1,
        )

    async def sleep(self) -> None:
        """Give the GPU's memory back; a question in the chat wakes it, other programs need `wake`.

        Raises:
            AppError: `server.cannot_sleep`, `server.not_running`.
        """
        await sleep.put_to_sleep(self._sleeper())
        self._tell_sleep(asleep=True)

    async def wake(self) -> None:
        """Raises: AppError: `server.cannot_sleep`, `server.not_running`."""
        await sleep.wake_up(self._sleeper())
        self._tell_sleep(asleep=False)

    async def rouse(self) -> None:
        """Wake the server if it sleeps: somebody has a question. Raises as `wake`."""
        if self._asleep:
            await self.wake()

    def _tell_sleep(self, *, asleep: bool) -> None:
        self._asleep = asleep
        self._bus.emit(SleepChanged(self._launch_id, asleep))

    def _sleeper(self) -> Endpoint:
        endpoint = self._supervisor.endpoint
        if endpoint is None:
            raise AppError("server.not_running")
        if not sleep.is_able(self._supervisor.request):
            raise AppError("server.cannot_sleep")
        return endpoint

    async def proven(self) -> tuple[Finding, ...]:
        """The verdicts on the running server, after it was asked too."""
        if self._looking is not None:
            await asyncio.wait({self._looking})
        return self.findings

    async def table_rows(self) -> Counted | None:
        """What was looked up in a per-layer table since the server was ready; None where there is none."""
        return await self._table.whole()

    async def report(self) -> str:
        """All that somebody else needs to understand this launch, secrets left out, as text to copy."""
        status, request = self._supervisor.status, self._supervisor.request
        now = await self._computer.now()
        return LaunchReport(
            machine=now.machine,
            ledger=now.ledger,
            engine=request.engine if request is not None else None,
            model=status.model,
            command=shown_command(request) if request is not None else "",
            status=status,
            facts=self.facts,
            findings=self.findings,
            log=self._supervisor.log_tail(),
            secrets=(request.api_key,) if request is not None and request.api_key else (),
        ).text(resolve_language(self._settings.current.language))

    # ---- what is heard ---------------------------------------------------------------------------------------------

    def _hear(self, event: Event) -> None:
        if isinstance(event, LogLines):
            if event.launch_id == self._launch_id:
                self._read(event.lines)
        elif isinstance(event, ServerStatus):
            self._follow(event)
        elif isinstance(event, LaunchFixed):
            self._reader = FactsReader()
        elif isinstance(event, ChatDone) and event.error is not None:
            self._hear_refusal(event.error)
        elif isinstance(event, VitalsChanged):
            self._hear_table(event)
        elif isinstance(event, MachineChanged):
            self._machine = event

    def _read(self, lines: tuple[str, ...]) -> None:
        if self._reader.feed(lines):
            self._tell_facts(self._reader.facts)

    def _tell_facts(self, facts: LaunchFacts) -> None:
        self.facts = replace(
            facts,
            ram_bytes=self.facts.ram_bytes,
            pinned_bytes=self.facts.pinned_bytes,
            swapped_bytes=self.facts.swapped_bytes,
        )
        self._bus.emit(FactsChanged(self._launch_id, self.facts))

    def _follow(self, status: ServerStatus) -> None:
        if status.launch_id and status.launch_id != self._launch_id:
            self._launch_id = status.launch_id
            self._asleep = False
            self._reader = FactsReader()
            self._table.begin()
            self._shown = None
            self.facts, self.findings, self.fixes = LaunchFacts(), (), ()
            if status.reattached:
                self._read(self._supervisor.log_tail())
        if status.state is ServerState.READY and not self.findings:
            request = self._supervisor.request
            if request is not None:
                self._prove(asked_of(request), Shown(self.facts), complete=False)
                closer = self._look_closer(asked_of(request), status)
                self._looking = self._tasks.start(closer, "proof of the launch")
        elif status.state is ServerState.FAILED and status.error is not None:
            self._find_fixes(status)

    def _hear_refusal(self, error: ErrorInfo) -> None:
        """A model without a chat template starts well and refuses every message: the launch is what has to change."""
        found = diagnose((error.detail, str(error.facts.get("reason", ""))))
        if found is None or found.code != NO_TEMPLATE or self._supervisor.request is None:
            return
        self._bus.emit(Notice(ErrorInfo(found.code, "\n".join(found.evidence))))
        self.fixes = fixes_for(found.code, found.facts, self._supervisor.request)
        self._bus.emit(FixesFound(self._launch_id, self.fixes))

    def _hear_table(self, event: VitalsChanged) -> None:
        """The first answer shows what the look after the start could not: that rows come from where they were put."""
        request, shown, counted = self._supervisor.request, self._shown, event.vitals.table
        if request is None or shown is None or counted is None or not counted.lookups:
            return
        asked = asked_of(request)
        finding = table_placed(asked, shown)
        if finding is None or finding.verdict is not Verdict.CANNOT_TELL:
            return
        before = replace(shown.before or Counters(), table=Counted())
        self._prove(
            asked, replace(shown, before=before, after=replace(shown.after or before, table=counted)), complete=True
        )

    def _find_fixes(self, status: ServerStatus) -> None:
        request = self._supervisor.request
        if request is None or status.error is None:
            return
        found = fixes_for(status.error.code, status.error.facts, request)
        self.fixes = tuple(map(self._going_online, found))
        self._bus.emit(FixesFound(status.launch_id, self.fixes))

    def _going_online(self, fix: Fix) -> Fix:
        """A button that ends working offline says so."""
        asks_hub = bool(fix.fetch) and fix.fetch != STARTER
        return replace(fix, kind="go_online") if asks_hub and self._settings.current.hub_offline else fix

    # ---- the proof -------------------------------------------------------------------------------------------------

    async def _look_closer(self, asked: Asked, status: ServerStatus) -> None:
        """Beside the log: the process tree, the cache's own settings and, only where an option shows in no other way, a
        prompt put twice. The server is ready meanwhile; nobody waits for this."""
        await self._table.now()  # what was looked up before the first question is the warm-up's
        roots = self._supervisor.roots
        memory = await asyncio.to_thread(tree_memory, min(roots)) if roots else None
        if memory is not None:
            self.facts = replace(
                self.facts,
                ram_bytes=memory.ram_bytes,
                pinned_bytes=memory.pinned_bytes,
                swapped_bytes=memory.swapped_bytes,
            )
            self._bus.emit(FactsChanged(status.launch_id, self.facts))
        try:
            shown = await self._ask_server(asked, status)
        except AppError as error:
            log.info("the proof stays with the log: %s", error)
            return
        if self._launch_id == status.launch_id:
            self._prove(asked, shown, complete=True)

    async def _ask_server(self, asked: Asked, status: ServerStatus) -> Shown:
        cache = cache_config(await metrics.poll(status.port))
        endpoint = self._supervisor.endpoint
        wanted = any(finding.option in _ASKING for finding in prove(asked, Shown(self.facts)))
        table = await self._table.now()
        counted = await ask_twice(endpoint, status.max_model_len) if wanted and endpoint is not None else None
        if counted is None:
            return Shown(self.facts, cache)
        before, after = replace(counted[0], table=table), counted[1]
        if asked.ple_place:
            after = replace(after, table=await self._table.after(table))
        return Shown(self.facts, cache, before, after)

    def _prove(self, asked: Asked, shown: Shown, *, complete: bool) -> None:
        self.findings, self._shown = prove(asked, shown), shown
        for finding in self.findings:
            log.info("proof: %s %s: %s %s", finding.option, finding.asked, finding.verdict, finding.reason)
        self._bus.emit(ProofChanged(self._launch_id, self.findings, complete))

    def _around(self) -> Surroundings:
        machine = self._machine.machine if self._machine is not None else None
        offloads = bool(self.facts.offloaded_bytes or self.facts.kv_region_path)
        return Surroundings(machine, offloads, "models" if self.facts.kv_disk_path else "")
