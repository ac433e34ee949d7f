"""The verbs of planning: read a model once, plan its launch here, and say what the launcher must pass on."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from core.checkpoint.architecture import Checkpoint
from core.computer import Computer
from core.engine.command import LaunchRequest, Tuning
from core.engine.precise import Precise, PreciseMode
from core.errors import AppError
from core.events import EngineInfo
from core.hub.ground import Ground
from core.models import STARTER, Models
from core.planner.amounts import Verdict
from core.planner.plan import Plan
from core.planning.best_choices import best_choices
from core.planning.checkpoints import Checkpoints
from core.planning.choices import Choices, engine_of, request_of, tuning_of
from core.planning.launch_plan import Basis, plan_launch
from core.precise_plan import task_of
from core.settings import Settings

log = logging.getLogger(__name__)


class Plans:
    """Lives on the loop's thread."""

    def __init__(self, models: Models, computer: Computer, precise: PreciseMode) -> None:
        self._checkpoints = Checkpoints(models)
        self._computer = computer
        self._precise = precise

    async def read(self, model_id: str) -> Checkpoint:
        """Raises: AppError: `model.*`."""
        return await self._checkpoints.read(model_id)

    async def path_of(self, model_id: str) -> Path:
        """The folder that is read; for a starter that is not made yet, its config."""
        return await self._checkpoints.path_of(model_id)

    async def served(self, spec: str) -> tuple[str, str]:
        """The id of a model that a person named, and the folder that vLLM is given. Raises `AppError` `model.*`."""
        return await self._checkpoints.served(spec)

    async def plan(self, model_id: str, engine: EngineInfo, choices: Choices) -> Plan | None:
        """With this computer as it is now; None where nothing can be planned (no card, an unknown kind of engine).

        Raises:
            AppError: `model.*`.
        """
        sample = await self._computer.now()
        basis = Basis(
            await self.read(model_id),
            engine_of(engine.version, engine.platform),
            sample.machine,
            await self._computer.remembered_probe(),
        )
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

    async def tuning(self, model_id: str, engine: EngineInfo, choices: Choices) -> Tuning:
        """What the launcher passes on. A launch that cannot be planned still starts: vLLM decides the rest."""
        if engine.platform == "cpu":
            return tuning_of(choices, cpu=True)
        try:
            plan = await self.plan(model_id, engine, choices)
        except AppError as error:
            log.info("a launch without a plan: %s", error)
            plan = None
        if plan is not None:
            log.info("plan: verdict=%s utilization=%s args=%s", plan.verdict, plan.utilization, plan.command.arguments)
        return tuning_of(choices, plan)
