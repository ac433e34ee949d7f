"""The verbs of planning: read a model once, plan its launch here, and say what the launcher must pass on."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace
from pathlib import Path

from core.checkpoint.architecture import Checkpoint
from core.computer import Computer
from core.engine.options import LaunchRequest, Tuning
from core.engine.precise import Precise, PreciseMode
from core.errors import AppError
from core.events import EngineInfo, Phase
from core.hub.ground import Ground
from core.ledger.identity import identity_of, machine_name
from core.ledger.launches import LaunchLedger
from core.ledger.record import Identity
from core.machine.disks import disk_of
from core.machine.model import Disk
from core.models import STARTER, Models
from core.planner.amounts import Verdict
from core.planner.options import NO_LESSONS, Lessons
from core.planner.plan import Plan
from core.planning.best_choices import best_choices
from core.planning.checkpoints import Checkpoints
from core.planning.choices import Choices, engine_of, request_of, tuning_of
from core.planning.launch_plan import Basis, plan_launch
from core.precise_plan import task_of
from core.settings import Settings

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A launch as it is about to begin. `plan` None where none can be made, `formula` the same plan without what was
    learned; `identity` and `machine` are what the ledger files it under; `expected`: seconds that each phase usually
    takes."""

    tuning: Tuning
    plan: Plan | None = None
    formula: Plan | None = None
    identity: Identity | None = None
    machine: str = ""
    expected: tuple[tuple[Phase, float], ...] = ()


class Plans:
    """Lives on the loop's thread."""

    def __init__(self, models: Models, computer: Computer, precise: PreciseMode, ledger: LaunchLedger) -> None:
        self._checkpoints = Checkpoints(models)
        self._computer = computer
        self._precise = precise
        self._ledger = ledger

    async def read(self, model_id: str) -> Checkpoint:
        """Raises: AppError: `model.*`."""
        return await self._checkpoints.read(model_id)

    async def path_of(self, model_id: str) -> Path:
        """The folder that is read; for a starter that is not made yet, its config."""
        return await self._checkpoints.path_of(model_id)

    async def disk_of(self, model_id: str) -> Disk:
        """The disk that holds a model's files. Raises `AppError` `model.*`."""
        return await asyncio.to_thread(disk_of, await self.path_of(model_id))

    async def served(self, spec: str) -> tuple[str, str]:
        """The id of a model that a person named, and the folder that vLLM is given. Raises `AppError` `model.*`."""
        return await self._checkpoints.served(spec)

    async def lessons(self, model_id: str, engine: EngineInfo) -> Lessons:
        """What earlier launches of this kind of model on this engine have taught.

        Raises:
            AppError: `model.*`.
        """
        sample = self._computer.latest
        if sample is None:  # not worth a look of its own: whoever asks has seen one, or asks again
            return NO_LESSONS
        checkpoint = await self.read(model_id)
        return await self._ledger.lessons(identity_of(sample.machine, engine, checkpoint, eager=False))

    async def plan(self, model_id: str, engine: EngineInfo, choices: Choices) -> Plan | None:
        """With this computer as it is now; None where nothing can be planned (no card, an unknown kind of engine).

        Raises:
            AppError: `model.*`.
        """
        basis = await self.basis(model_id, engine, eager=choices.enforce_eager)
        if basis.obstacle() is not None:
            return None
        return await asyncio.to_thread(plan_launch, basis, choices)

    async def suggest(self, model_id: str, ground: Ground, settings: Settings) -> Choices | None:
        """What to launch a model of this disk with; None where nothing can be planned. Raises `AppError` `model.*`."""
        basis = ground.basis(await self.read(model_id), here=True)
        if basis.obstacle() is not None:
            return None
        return (await asyncio.to_thread(best_choices, basis, settings))[0]

    async def fitting_request(self, model_id: str, engine: EngineInfo, choices: Choices) -> LaunchRequest | None:
        """The launch of a model, None when it does not fit here, cannot be read or cannot be planned; None for the
        starter, too, which always fits."""
        if model_id == STARTER:
            return None
        try:
            path = await self._checkpoints.path_of(model_id)
            plan = await self.plan(model_id, engine, choices)
        except AppError as error:
            log.info("no launch of %s: %s", model_id, error)
            return None
        if plan is None or plan.verdict not in (Verdict.FITS, Verdict.TIGHT):
            return None
        return request_of(model_id, str(path), engine, choices, plan)

    async def check(self, model_id: str, engine: EngineInfo, plan: Plan) -> Precise:
        """What vLLM's own planner in `engine` says to the question behind `plan`: some seconds, then remembered.

        Raises:
            AppError: `precise.*`, `model.*`.
        """
        path = await self._checkpoints.path_of(model_id)
        return await self._precise.run(engine, await asyncio.to_thread(task_of, path, plan))

    async def prepare(self, model_id: str, engine: EngineInfo, choices: Choices) -> Prepared:
        """What the launcher passes on, and the plan behind it. A launch that cannot be planned still starts: vLLM
        decides the rest."""
        cpu = engine.platform == "cpu"
        try:
            basis, identity = await self._basis(model_id, engine, eager=choices.enforce_eager)
        except AppError as error:
            log.info("a launch without a plan: %s", error)
            return Prepared(tuning_of(choices, cpu=cpu))
        name = machine_name(basis.machine)
        expected = await self._ledger.expected(model_id, identity, name)
        if basis.obstacle() is not None:
            return Prepared(tuning_of(choices, cpu=cpu), identity=identity, machine=name, expected=expected)
        plan = await asyncio.to_thread(plan_launch, basis, choices)
        formula = await asyncio.to_thread(plan_launch, replace(basis, lessons=NO_LESSONS), choices)
        log.info("plan: verdict=%s utilization=%s args=%s", plan.verdict, plan.utilization, plan.command.arguments)
        return Prepared(tuning_of(choices, plan, cpu=cpu), plan, formula, identity, name, expected)

    async def basis(self, model_id: str, engine: EngineInfo, *, eager: bool) -> Basis:
        """What a plan on this computer rests on now.

        Raises:
            AppError: `model.*`.
        """
        return (await self._basis(model_id, engine, eager=eager))[0]

    async def _basis(self, model_id: str, engine: EngineInfo, *, eager: bool) -> tuple[Basis, Identity]:
        sample = await self._computer.now()
        checkpoint = await self.read(model_id)
        identity = identity_of(sample.machine, engine, checkpoint, eager=eager)
        basis = Basis(
            checkpoint,
            engine_of(engine.version, engine.platform),
            sample.machine,
            await self._computer.remembered_probe(),
            lessons=await self._ledger.lessons(identity),
            disk=await self.disk_of(model_id),
        )
        return basis, identity
