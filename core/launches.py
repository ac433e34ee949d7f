"""The verbs around a launch: look before it, remember it afterwards, tell how it may be used."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from core import version
from core.computer import Computer
from core.engine.change import Change
from core.engine.command import LaunchRequest, shown_command
from core.engine.supervisor import Supervisor
from core.errors import AppError
from core.events import EngineInfo, ErrorInfo, EventBus, ModelInfo, Notice, Preflighted
from core.files import write_whole
from core.ledger.export import as_object
from core.ledger.figures import runs_behind
from core.ledger.launches import LaunchLedger
from core.ledger.record import Identity, LaunchRecord, Outcome
from core.ledger.recorder import Recorder
from core.paths import Paths
from core.planner.options import Lessons
from core.planning.choices import Choices
from core.planning.fixing import fixed_choices
from core.planning.plans import Plans, Prepared
from core.preflight.finding import Consent, Preflight
from core.preflight.run import Known, PreflightLook
from core.redact import Redactor

EVERY: Final = 1_000_000


class Launches:
    """Owner of the ledger's recorder. Reachable as `services.launches`."""

    def __init__(
        self,
        paths: Paths,
        ledger: LaunchLedger,
        bus: EventBus,
        supervisor: Supervisor,
        computer: Computer,
        plans: Plans,
        known: Known,
    ) -> None:
        self._ledger = ledger
        self._bus = bus
        self._choices = Choices()
        # Figure -> from how many launches the plan of the present launch knew it.
        self.runs: dict[str, int] = {}
        self._plans = plans
        self._preflight = PreflightLook(paths, computer, plans, known)
        self._recorder = Recorder(ledger, bus, supervisor.log_tail, lambda: supervisor.roots)

    async def open(self) -> None:
        """Open the ledger now, so that a person hears at the start when its file is damaged."""
        await self._ledger.newest(1)
        for problem in self._ledger.take_problems():
            self._bus.emit(Notice(ErrorInfo.of(problem)))

    async def close(self) -> None:
        await self._recorder.close()
        await self._ledger.close()

    # ---- before a launch -------------------------------------------------------------------------------------------

    async def preflight(
        self, model: ModelInfo, engine: EngineInfo, choices: Choices, port: int | None = None
    ) -> Preflight:
        """What would make this launch fail, in less than a second; everyone hears it as `Preflighted`.

        Args:
            model: one whose files are here.
        """
        assert model.path is not None
        found = await self._preflight.run(model.id, model.path, engine, choices, port)
        self._bus.emit(Preflighted(model.id, found))
        return found

    async def clear_for(
        self, model: ModelInfo, engine: EngineInfo, choices: Choices, port: int | None, consent: Consent
    ) -> None:
        """Look, and stop the launch if it must.

        Raises:
            AppError: the first finding that blocks and that `consent` does not cover.
        """
        finding = (await self.preflight(model, engine, choices, port)).blocking(consent)
        if finding is not None:
            raise AppError(finding.code, finding.info.detail, **finding.info.facts)

    # ---- the ledger ------------------------------------------------------------------------------------------------

    def about_to_start(self, request: LaunchRequest, choices: Choices, prepared: Prepared) -> None:
        """The next start that the supervisor tells of is this one."""
        self._choices = choices
        self.runs = runs_behind(prepared.plan) if prepared.plan is not None else {}
        record = LaunchRecord(
            id="",
            began_at=0.0,
            outcome=Outcome.STARTING,
            model=request.model_id,
            identity=prepared.identity or _unplanned(request.engine, eager=choices.enforce_eager),
            machine=prepared.machine,
            command=Redactor()(shown_command(request)),
            choices=asdict(choices),
            stowage=version.__version__,
        )
        self._recorder.expect(record, prepared.plan, prepared.formula)

    def about_to_start_fixed(self, request: LaunchRequest, change: Change) -> None:
        """The same for the launch before, changed by a fix. No plan was made for it, so it teaches nothing."""
        choices = fixed_choices(change, self._choices) or self._choices
        self.about_to_start(request, choices, Prepared(request.tuning))

    async def history(self, limit: int = 100, model: str | None = None) -> list[LaunchRecord]:
        """Newest first, with what was predicted and what came."""
        return await self._ledger.newest(limit, model)

    async def export(self, path: str, *, only_errors: bool = False) -> int:
        """Write every launch (or only those that failed) as JSON to `path`; gives their number.

        Raises:
            AppError: `launch.not_exported`.
        """
        records = await self._ledger.newest(EVERY)
        records = [record for record in records if record.error is not None or not only_errors]
        text = json.dumps({"launches": [as_object(record) for record in records]}, indent=2, ensure_ascii=False)
        try:
            await asyncio.to_thread(write_whole, Path(path), text.encode())
        except OSError as error:
            raise AppError("launch.not_exported", str(error), path=path, reason=error.strerror) from error
        return len(records)

    async def since_good(self, model: str) -> SinceGood | None:
        """None when the newest launch of `model` did not fail, or none was ever good."""
        newest, good = await self._ledger.newest(1, model), await self._ledger.last_good(model)
        if not newest or good is None or newest[0].outcome not in (Outcome.FAILED, Outcome.DIED):
            return None
        engines = {"engine": good.identity.engine}, {"engine": newest[0].identity.engine}
        return SinceGood(good, newest[0], changes(good.choices | engines[0], newest[0].choices | engines[1]))

    async def lessons(self, model_id: str, engine: EngineInfo) -> Lessons:
        """What earlier launches of this kind of model on this engine have taught.

        Raises:
            AppError: `model.*`.
        """
        return await self._plans.lessons(model_id, engine)

    async def find(self, launch_id: str) -> LaunchRecord | None:
        return await self._ledger.find(launch_id)

    async def last_good(self, model: str) -> LaunchRecord | None:
        """The newest launch of a model that became ready and did not die."""
        return await self._ledger.last_good(model)


@dataclass(frozen=True, slots=True)
class SinceGood:
    """What differs between the newest launch of a model, which failed, and the last good one: name -> (good, now);
    `engine` is the name of the engine itself."""

    good: LaunchRecord
    now: LaunchRecord
    changed: dict[str, tuple[Any, Any]]


def changes(before: dict[str, Any], after: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """What differs between the choices of two launches: name -> (before, after), the seldom ones by their own names.
    Pure."""
    before, after = _flat(before), _flat(after)
    names = [*before, *(name for name in after if name not in before)]
    return {name: (before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)}


def _flat(choices: dict[str, Any]) -> dict[str, Any]:
    more = choices.get("more")
    return {name: value for name, value in choices.items() if name != "more"} | (more if isinstance(more, dict) else {})


def _unplanned(engine: EngineInfo, *, eager: bool) -> Identity:
    """A launch without a plan is remembered and teaches nothing: no other has its key."""
    return Identity("", "", engine.id, engine.version, engine.platform, "", "", eager)
