"""What one can do with several engines: see what could be installed, update behind a trial, roll back, tidy up."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from core.canary import STEPS, CanaryRun, Own, Trial
from core.engine.environments import Environments
from core.engine.install_progress import Meter
from core.engine.newest import newest, version_key
from core.engine.recipe_names import successor
from core.engine.recipes import Recipe
from core.engine.suitability import best, refusal
from core.engine.tool import to_the_end
from core.engine_records import Canary, HalfInstall
from core.errors import AppError
from core.events import EngineInfo, ErrorInfo, EventBus, JobDone, ModelInfo
from core.jobs import Jobs
from core.paths import Paths

T = TypeVar("T")

UPDATE_JOB: Final = "engine:update"
CHECK_JOB: Final = "engine:check"


@dataclass(frozen=True, slots=True)
class Choice:
    """An engine that could be installed. `refusal` is why it cannot run on this computer, None when it can; `there`:
    it is installed already."""

    recipe: Recipe
    refusal: ErrorInfo | None
    recommended: bool
    there: bool


@dataclass(frozen=True, slots=True)
class Offer:
    """An update that exists: `recipe` would stand beside `engine`, and take its place when it passes its trial."""

    engine: EngineInfo
    recipe: Recipe


@dataclass(frozen=True, slots=True)
class Helpers:
    """What a trial needs of the rest of the product. `starter` makes the starter model with an engine when it is not
    there; `own` see `Trial`; `serving` the model that runs at the moment, None for none."""

    starter: Callable[[EngineInfo], Awaitable[ModelInfo]]
    own: Own
    serving: Callable[[], str | None]


class Engines:
    """The verbs over all engines; those over one engine are `Environments`'. Lives on the loop's thread."""

    def __init__(self, paths: Paths, bus: EventBus, environments: Environments, jobs: Jobs, helpers: Helpers) -> None:
        self._paths = paths
        self._bus = bus
        self._environments = environments
        self._jobs = jobs
        self._helpers = helpers
        self._in_trial: frozenset[str] = frozenset()

    def in_trial(self, engine_id: str) -> bool:
        return engine_id in self._in_trial

    # ---- looking

    async def choices(self) -> tuple[Choice, ...]:
        """Every engine that Stowage can install, the recommended one first."""
        recipes = self._environments.recipes
        cards = await self._environments.cards()
        recommended = best(recipes, cards)
        there = {engine.id for engine in await self._environments.list()}
        ordered = sorted(recipes.values(), key=lambda recipe: recipe.id != recommended.id)
        refusals = [refusal(recipe, cards) for recipe in ordered]
        return tuple(
            Choice(recipe, ErrorInfo.of(error) if error else None, recipe.id == recommended.id, recipe.id in there)
            for recipe, error in zip(ordered, refusals, strict=True)
        )

    async def halves(self) -> tuple[HalfInstall, ...]:
        return (await self._environments.snapshot()).halves

    async def check_update(self, engine_id: str | None = None) -> Offer:
        """Ask the package index for a newer version of an engine (the default one). The only place that asks, and only
        when a person does.

        Raises:
            AppError: `engine.up_to_date`, `engine.no_update`, `engine.none`, `engine.unknown`, `install.*`.
        """
        return await self._jobs.run(
            CHECK_JOB, self._check(engine_id), busy=_busy(engine_id), cancelled=_cancelled(engine_id)
        )

    # ---- changing

    async def update(self, engine_id: str | None = None, version: str | None = None) -> EngineInfo:
        """Install a newer version beside an engine (the default one), try it, and make it the default when it passes.
        `Progress` of `engine:<new id>`, then of `UPDATE_JOB` for the trial. A cancelled or failed trial leaves the old
        one the default; the new one stays, marked, until it is removed.

        Args:
            version: this one, also an older; None the newest.

        Raises:
            AppError: `engine.canary_failed`; `server.busy`; as `check_update` and `Environments.install`.
        """
        return await self._jobs.run(
            UPDATE_JOB, self._update(engine_id, version), busy=_busy(engine_id), cancelled=_cancelled(engine_id)
        )

    async def roll_back(self) -> EngineInfo:
        """Raises: AppError: `engine.no_previous`, `settings.*`."""
        return await self._environments.roll_back()

    async def resume(self, engine_id: str) -> EngineInfo:
        """Raises: AppError: `engine.no_half`, else as an installation."""
        return await self._work(engine_id, self._environments.resume(engine_id))

    async def clean_up(self, engine_id: str) -> int:
        """Bytes that became free. Raises: AppError: `engine.no_half`, `engine.busy`."""
        return await self._work(engine_id, self._environments.clean_up(engine_id))

    # ---- inside

    async def _work(self, engine_id: str, work: Coroutine[Any, Any, T]) -> T:
        name = f"engine:{engine_id}"
        return await self._jobs.run(name, work, busy=_busy(engine_id), cancelled=_cancelled(engine_id))

    async def _engine(self, engine_id: str | None) -> EngineInfo:
        if engine_id is None:
            return await self._environments.default()
        engines = await self._environments.list()
        found = next((engine for engine in engines if engine.id == engine_id), None)
        if found is None:
            raise AppError("engine.unknown", engine=engine_id, known=", ".join(e.id for e in engines) or None)
        return found

    async def _check(self, engine_id: str | None) -> Offer:
        engine = await self._engine(engine_id)
        recipe = await self._target(engine, None)
        if version_key(recipe.version) <= version_key(engine.version):
            raise AppError("engine.up_to_date", engine=engine.id, version=engine.version)
        return Offer(engine, recipe)

    async def _target(self, engine: EngineInfo, version: str | None) -> Recipe:
        base = next((r for r in self._environments.recipes.values() if r.kind == engine.kind and r.kind), None)
        if base is None:
            raise AppError("engine.no_update", engine=engine.id)
        wanted = version or await newest(base, engine.python)
        return successor(engine.id, base, wanted, self._environments.recipes)

    async def _update(self, engine_id: str | None, version: str | None) -> EngineInfo:
        if (model := self._helpers.serving()) is not None:
            raise AppError("server.busy", model=model)
        old = await self._engine(engine_id)
        recipe = await self._target(old, version)
        if recipe.id == old.id or (version is None and version_key(recipe.version) <= version_key(old.version)):
            raise AppError("engine.up_to_date", engine=old.id, version=old.version)
        new = await self._work(recipe.id, self._environments.install(recipe.id))
        error: ErrorInfo | None = None
        try:
            return await self._try_out(new, old)
        except AppError as failure:
            error = ErrorInfo.of(failure)
            raise
        except asyncio.CancelledError:
            error = ErrorInfo("install.cancelled", facts={"engine": new.id})
            raise
        finally:
            self._bus.emit(JobDone(UPDATE_JOB, error))

    async def _try_out(self, new: EngineInfo, old: EngineInfo) -> EngineInfo:
        meter = Meter(self._bus, UPDATE_JOB, ("canary_model", *STEPS), 0)
        self._in_trial = frozenset({new.id, old.id})
        try:
            meter.begin("canary_model")
            starter = await self._helpers.starter(old)
            assert starter.path is not None
            trial = Trial(starter.path, self._helpers.own)
            canary = await CanaryRun(self._paths, new, old, trial, meter).run()
        finally:
            self._in_trial = frozenset()
        kept = await to_the_end(self._environments.keep_canary(new.id, canary))
        if not canary.passed:
            raise _failed(new, old, canary)
        await self._environments.select(new.id)
        return kept


def _failed(new: EngineInfo, old: EngineInfo, canary: Canary) -> AppError:
    assert canary.error is not None
    reason = canary.error.facts.get("reason") or canary.error.code
    return AppError(
        "engine.canary_failed", canary.error.detail, engine=new.id, old=old.id, step=canary.step, reason=reason
    )


def _busy(engine_id: str | None) -> AppError:
    return AppError("engine.busy", engine=engine_id, pid=None)


def _cancelled(engine_id: str | None) -> AppError:
    return AppError("install.cancelled", engine=engine_id)
