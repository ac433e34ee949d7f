"""The engines of this user: found, installed, verified, repaired, removed, chosen."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping

import msgspec

from core.engine import gpu, manifest, own_engine
from core.engine.engine_lock import engine_lock, is_locked
from core.engine.engine_store import EngineStore, system_error
from core.engine.inspection import inspect
from core.engine.install_progress import Meter
from core.engine.installer import Installer, Patience, steps_of
from core.engine.manifest import Manifest
from core.engine.recipes import CPU, CUDA, RECIPES, Recipe
from core.engine.tool import to_the_end
from core.errors import AppError
from core.events import EngineInfo, EnginesChanged, EngineState, ErrorInfo, EventBus, JobDone
from core.paths import Paths
from core.settings import SettingsStore

log = logging.getLogger(__name__)


class Environments:
    """Owner of the engines' folder and of the settings `engine` and `own_engines`.

    Args:
        in_use: says whether a server runs on an engine; such an engine is not removed, repaired or replaced.
    """

    def __init__(
        self,
        paths: Paths,
        settings: SettingsStore,
        bus: EventBus,
        *,
        recipes: Mapping[str, Recipe] = RECIPES,
        in_use: Callable[[str], bool] = lambda _engine: False,
        patience: Patience | None = None,
    ) -> None:
        self._engines = paths.engines
        self._store = EngineStore(paths, settings)
        self._settings = settings
        self._bus = bus
        self._recipes = recipes
        self._in_use = in_use
        self._patience = patience or Patience()

    # ---- looking

    async def list(self) -> tuple[EngineInfo, ...]:
        """All engines, newest first. Reads small files only; one that is not whole counts while it is worked on."""
        records = self._store.all()
        whole = {record.id for record in records}
        under_way = [
            EngineInfo(recipe.id, EngineState.INSTALLING, recipe.version, recipe.platform, "", "", ours=True)
            for recipe in self._recipes.values()
            if recipe.id not in whole and is_locked(self._engines, recipe.id)
        ]
        return (*under_way, *(record.info() for record in records))

    async def recommend(self) -> Recipe:
        """CUDA where an NVIDIA GPU that it supports answers, else CPU."""
        capable = await gpu.has_nvidia()
        wanted = CUDA.id if capable else CPU.id
        return self._recipes.get(wanted) or next(iter(self._recipes.values()))

    async def default(self) -> EngineInfo:
        """The selected engine, else the newest ready one.

        Raises:
            AppError: `engine.none`; `engine.broken` when the selected one is.
        """
        engines = await self.list()
        selected = next((engine for engine in engines if engine.id == self._settings.current.engine), None)
        if selected is not None and selected.state is EngineState.BROKEN:
            facts = selected.error.facts if selected.error else {}
            raise AppError("engine.broken", engine=selected.id, reason=facts.get("reason"))
        if selected is not None and selected.state is not EngineState.INSTALLING:
            return selected
        for engine in engines:
            if engine.state in (EngineState.READY, EngineState.UNVERIFIED):
                return engine
        raise AppError("engine.none")

    # ---- changing

    async def select(self, engine_id: str) -> None:
        """Raises: AppError: `engine.unknown`, `settings.*`."""
        self._store.get(engine_id)
        self._settings.change(engine=engine_id)
        await self._changed()

    async def install(self, recipe_id: str | None = None) -> EngineInfo:
        """Install an engine, or return it when it is there and works. Emits `Progress` and ends with `JobDone`.

        Raises:
            AppError: `engine.recipe_unknown`, `engine.recipe_unsupported`, `engine.no_python`, `engine.busy`,
                `engine.in_use`, `engine.broken`, `install.*`, `app.data_not_writable`. Nothing is left then.
        """
        recipe = await self.recommend() if recipe_id is None else self._recipe(recipe_id)
        return await self._job(recipe.id, lambda: self._install(recipe, again=False))

    async def add_own(self, path: str) -> EngineInfo:
        """Take up a vLLM that the user installed: a virtual environment's folder or a Python. It is never changed.

        Raises:
            AppError: `engine.not_python`, `engine.python_too_old`, `engine.no_vllm`, `settings.*`.
        """
        kept, python = await own_engine.find(path)
        known = self._settings.current.own_engines
        if kept not in known:
            self._settings.change(own_engines=(*known, kept))
        record = await self._check_own(kept, python)
        await self._changed()
        return record.info()

    async def verify(self, engine_id: str) -> EngineInfo:
        """Import the engine for real (seconds to a minute) and keep what was learned; `error` tells of a sick one.

        Raises:
            AppError: `engine.unknown`, `engine.busy`, `app.data_not_writable`.
        """
        record = self._store.get(engine_id)
        if record.own_path:
            record = await self._check_own(record.own_path, record.python)
        else:
            with engine_lock(self._engines, engine_id) as lock:
                record = await self._check_ours(record, lock)
        await self._changed()
        return record.info()

    async def repair(self, engine_id: str) -> EngineInfo:
        """Make a broken engine work: take out the packages known to break it, else install it anew.

        Raises:
            AppError: `engine.not_ours` for a user's own, else as `install`.
        """
        record = self._store.get(engine_id)
        if record.own_path:
            raise AppError("engine.not_ours", engine=engine_id, path=record.own_path)
        recipe = self._recipe(engine_id)
        return await self._job(engine_id, lambda: self._repair(recipe))

    async def remove(self, engine_id: str) -> None:
        """Delete an engine of ours; forget one of the user's.

        Raises:
            AppError: `engine.unknown`, `engine.in_use`, `engine.busy`, `app.data_not_writable`.
        """
        record = self._store.get(engine_id)
        self._refuse_if_used(engine_id)
        if record.own_path:
            self._store.forget(record)
        else:
            with engine_lock(self._engines, engine_id):
                await to_the_end(self._store.delete(engine_id))
        if self._settings.current.engine == engine_id:
            self._settings.change(engine=None)
        await self._changed()

    # ---- inside

    async def _job(self, engine_id: str, work: Callable[[], Awaitable[Manifest]]) -> EngineInfo:
        job = f"engine:{engine_id}"
        try:
            record = await work()
        except asyncio.CancelledError:
            await to_the_end(self._changed())
            self._bus.emit(JobDone(job, ErrorInfo.of(AppError("install.cancelled", engine=engine_id))))
            raise
        except Exception as error:
            # A bug, too, must end the job for whoever watches it; it travels on to the crash hook.
            told = error if isinstance(error, AppError) else AppError("app.bug", repr(error), kind=type(error).__name__)
            await self._changed()
            self._bus.emit(JobDone(job, ErrorInfo.of(told)))
            raise
        await self._changed()
        self._bus.emit(JobDone(job))
        return record.info()

    async def _install(self, recipe: Recipe, *, again: bool) -> Manifest:
        """`again` replaces a whole engine too."""
        with engine_lock(self._engines, recipe.id) as lock:
            record = self._store.ours(recipe.id)
            if record is not None and record.info().state is EngineState.READY and not again:
                return record
            self._refuse_if_used(recipe.id)
            await to_the_end(self._store.delete(recipe.id))
            await to_the_end(self._store.empty_trash())
            await self._changed()
            meter = Meter(self._bus, f"engine:{recipe.id}", steps_of(recipe), recipe.download_bytes + recipe.disk_bytes)
            try:
                return await self._installer(recipe, meter, lock).run()
            except OSError as error:
                raise system_error(error, self._engines, meter.step) from error
            finally:
                await to_the_end(self._store.discard_unfinished(recipe.id))

    def _installer(self, recipe: Recipe, meter: Meter, lock: int) -> Installer:
        return Installer(recipe, self._store.folder(recipe.id), meter, lock, self._patience)

    async def _repair(self, recipe: Recipe) -> Manifest:
        if recipe.unwanted:
            with engine_lock(self._engines, recipe.id) as lock:
                self._refuse_if_used(recipe.id)
                record = await self._take_out_unwanted(recipe, lock)
            if record is not None:
                return record
        return await self._install(recipe, again=True)

    async def _take_out_unwanted(self, recipe: Recipe, lock: int) -> Manifest | None:
        """The record of the engine when that was enough, else None."""
        record = self._store.ours(recipe.id)
        if record is None:
            return None
        meter = Meter(self._bus, f"engine:{recipe.id}", ("repair", "verify"), 0)
        meter.begin("repair")
        try:
            await self._installer(recipe, meter, lock).remove_unwanted()
        except (AppError, OSError) as error:
            log.info("%s: %s; installing anew", recipe.id, error)
            return None
        meter.begin("verify")
        record = await self._check_ours(record, lock)
        return None if record.failure else record

    async def _check_ours(self, old: Manifest, lock: int) -> Manifest:
        recipe = self._recipes.get(old.id)
        found = await inspect(old.python, importing=True, keep_open=(lock,))
        new = manifest.of_inspection(found, old.id, platform=recipe.platform if recipe else "", key=old.key)
        new = msgspec.structs.replace(
            new, version=new.version or old.version, platform=new.platform or old.platform,
            python_version=new.python_version or old.python_version,
            size_bytes=old.size_bytes, installed_at=old.installed_at,
        )  # fmt: skip
        self._store.write(new)
        return new

    async def _check_own(self, kept: str, python: str) -> Manifest:
        old = self._store.own(kept)
        found = await inspect(python, importing=True)
        new = manifest.of_inspection(found, old.id, own_path=kept)
        new = msgspec.structs.replace(new, installed_at=old.installed_at or time.time())
        self._store.write(new)
        return new

    def _recipe(self, recipe_id: str) -> Recipe:
        recipe = self._recipes.get(recipe_id)
        if recipe is None:
            raise AppError("engine.recipe_unknown", recipe=recipe_id, known=", ".join(self._recipes))
        return recipe

    def _refuse_if_used(self, engine_id: str) -> None:
        if self._in_use(engine_id):
            raise AppError("engine.in_use", engine=engine_id)

    async def _changed(self) -> None:
        self._bus.emit(EnginesChanged(await self.list(), self._settings.current.engine))
