"""What decides how a launch is written, besides the choices: the model's traits, the engine's build, the system."""

from __future__ import annotations

from dataclasses import dataclass

from core.engine.build import Build
from core.engine.options import LaunchRequest, Traits
from core.events import EngineInfo
from core.machine.model import Disk
from core.planner.plan import Plan
from core.planning.choices import NO_TRAITS, Choices, request_of


@dataclass(frozen=True, slots=True)
class Spelling:
    """`build` None: what the engine's version says. `plugins`: the folder with Stowage's plugin, "" where none is of
    use; `disk`: from which a table would be read then; `hub_cache` as `LaunchRequest` has it."""

    traits: Traits = NO_TRAITS
    build: Build | None = None
    wsl: bool = False
    plugins: str = ""
    disk: Disk | None = None
    hub_cache: str = ""

    def request(
        self, model_id: str, path: str, engine: EngineInfo, choices: Choices, plan: Plan | None = None
    ) -> LaunchRequest:
        return request_of(
            model_id, path, engine, choices, plan,
            traits=self.traits, build=self.build, wsl=self.wsl, plugins=self.plugins,
            hub_cache=self.hub_cache,
        )  # fmt: skip
