"""What a fit badge rests on besides the model: this computer as it is and the engine that would run it."""

from __future__ import annotations

from dataclasses import dataclass

from core.checkpoint.architecture import Checkpoint
from core.computer import Computer
from core.engine.environments import Environments
from core.errors import AppError
from core.events import EngineInfo
from core.machine.model import Machine
from core.machine.probe.result import Probe
from core.planner.options import Engine, Hardware
from core.planning.choices import engine_of
from core.planning.hardware import launch_hardware
from core.planning.launch_plan import Basis


@dataclass(frozen=True, slots=True)
class Ground:
    """`installed` None where no engine is installed yet: then `engine` is the one that would be."""

    machine: Machine
    engine: Engine
    installed: EngineInfo | None = None
    probe: Probe | None = None

    @property
    def hardware(self) -> Hardware:
        return launch_hardware(self.machine, self.probe)

    def basis(self, checkpoint: Checkpoint, *, here: bool = False) -> Basis:
        """Args: `here`: the model is downloaded already."""
        return Basis(checkpoint, self.engine, self.machine, self.probe, engine_needed=self.installed is None, here=here)


class Grounds:
    """Looks at the computer and the engines; owns nothing."""

    def __init__(self, computer: Computer, engines: Environments) -> None:
        self._computer = computer
        self._engines = engines

    async def now(self, engine_id: str | None = None) -> Ground:
        """Args: `engine_id` None for the engine that a launch would take. Raises `AppError` `engine.unknown`."""
        sample = await self._computer.now()
        installed = await self.installed(engine_id)
        if installed is not None:
            engine = engine_of(installed.version, installed.platform)
        else:
            recipe = await self._engines.recommend()
            engine = engine_of(recipe.version, recipe.platform)
        return Ground(sample.machine, engine, installed, await self._computer.remembered_probe())

    async def installed(self, engine_id: str | None = None) -> EngineInfo | None:
        """None when there is no engine that a launch could take. Raises `AppError` `engine.unknown`."""
        if engine_id is None:
            try:
                return await self._engines.default()
            except AppError:
                return None
        engines = await self._engines.list()
        for engine in engines:
            if engine.id == engine_id:
                return engine
        raise AppError("engine.unknown", engine=engine_id, known=", ".join(engine.id for engine in engines))
