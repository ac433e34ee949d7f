"""One look before a launch: what is seen and the plan go to the rules."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from core.computer import Computer
from core.engine.capabilities.model import Capabilities
from core.errors import AppError
from core.events import EngineInfo
from core.paths import Paths
from core.planning.choices import Choices, engine_of
from core.planning.launch_plan import Basis, levers_of, plan_launch
from core.planning.plans import Plans
from core.preflight.checks import Question, judge
from core.preflight.finding import Preflight
from core.preflight.surroundings import look

log = logging.getLogger(__name__)

Known = Callable[[EngineInfo], Awaitable[Capabilities | None]]


class PreflightLook:
    """Lives on the loop's thread; files are looked at in others. `known`: what an engine's source says, None where it
    cannot be read."""

    def __init__(self, paths: Paths, computer: Computer, plans: Plans, known: Known) -> None:
        self._paths = paths
        self._known = known
        self._computer = computer
        self._plans = plans

    async def run(
        self, model_id: str, model_path: str, engine: EngineInfo, choices: Choices, port: int | None
    ) -> Preflight:
        """Never raises for what it finds: a model that cannot be read is a finding too."""
        began = time.monotonic()
        seeing = asyncio.to_thread(look, self._paths, engine, str(Path(model_path)), port)
        basis, seen, known = await asyncio.gather(self._basis(model_id, engine, choices), seeing, self._known(engine))
        machine = basis.machine if basis is not None else (await self._computer.now()).machine
        plan, levers = None, ()
        if basis is not None and basis.obstacle() is None:
            plan = await asyncio.to_thread(plan_launch, basis, choices)
            levers = await asyncio.to_thread(levers_of, basis, plan)
        question = Question(
            engine, engine_of(engine.version, engine.platform), choices, machine, seen,
            basis.checkpoint if basis is not None else None, plan, levers, port, known,
        )  # fmt: skip
        found = Preflight(judge(question), time.monotonic() - began)
        log.info("preflight: %.2f s, %s", found.took_s, [f"{f.severity} {f.code}" for f in found.findings])
        return found

    async def _basis(self, model_id: str, engine: EngineInfo, choices: Choices) -> Basis | None:
        try:
            return await self._plans.basis(model_id, engine, eager=choices.enforce_eager)
        except AppError as error:
            log.info("a preflight without a plan: %s", error)
            return None
