"""The engines of this user: found, installed, verified, repaired, removed, chosen."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping

import msgspec

from core.engine import gpu, half_installs, manifest, own_engine
from core.engine.default_engine import DefaultEngine
from core.engine.engine_lock import engine_lock, is_locked
from core.engine.engine_store import EngineStore, system_error
from core.engine.gpu import Cards
from core.engine.half_installs import Journal
from core.engine.inspection import inspect
from core.engine.install_progress import Meter, folder_bytes
from core.engine.installer import Installer, Patience, steps_of
from core.engine.ledger import Ledger
from core.engine.manifest import Manifest
from core.engine.newest import newest
from core.engine.recipe_names import find, of_version
from core.engine.recipes import RECIPES, Recipe
from core.engine.suitability import best, check_machine
from core.engine.tool import to_the_end
from core.engine_records import Canary, HalfInstall
from core.errors import AppError
from core.events import EngineInfo, EnginesChanged, EngineState, ErrorInfo, EventBus, JobDone
from core.paths import Paths
from core.settings import SettingsStore

log = logging.getLogger(__name__)


class Environments:
    """Owner of the engines' folder and of the setting `own_engines`.

    Args:
        in_use: says whether a server of this process runs on an engine, or is about to; such an engine is not removed,
            repaired or replaced, nor is one on which another process serves.
        look: asks which graphics cards there are.
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
        look: Callable[[], Awaitable[Cards]] = gpu.look,
    ) -> None:
        self._engines = paths.engines
        self._store = EngineStore(paths, settings)
        self._settings = settings
        self._bus = bus
        self._recipes = recipes
        self._in_use = in_use
        self._servers = Ledger(paths.launches)
        self._patience = patience or Patience()
        self._look = look
        self.default_engine = DefaultEngine(settings)

    # ---- looking

    async def list(self) -> tuple[EngineInfo, ...]:
        """All engines, newest first. Reads small files only; one that is not whole counts while it is worked on."""
        records = self._store.all()
        whole = {record.id for record in records}
        locks = sorted(path.name[1:].removesuffix(".lock") for path in self._engines.glob(".*.lock"))
        under_way = [self._installing(name) for name in locks if name not in whole and is_locked(self._engines, name)]
        return (*under_way, *(record.info() for record in records))

    async def snapshot(self) -> EnginesChanged:
        """All that there is to say about the engines."""
        halves = await asyncio.to_thread(half_installs.find, self._engines)
        return EnginesChanged(await self.list(), self.default_engine.selected, halves, self.default_engine.previous)

    async def cards(self) -> Cards:
        """The graphics cards as the driver tells them, asked anew."""
        return await self._look()

    @property
    def recipes(self) -> Mapping[str, Recipe]:
        """What can be installed, by id."""
        return self._recipes

    async def recommend(self) -> Recipe:
        """For the graphics card where an engine supports it and its driver, else for the CPU."""
        return best(self._recipes, await self._look())

    async def default(self) -> EngineInfo:
        """The selected engine, else the newest ready one that may be trusted.

        Raises:
            AppError: `engine.none`; `engine.broken` when the selected one is.
        """
        return self.default_engine.of(await self.list())

    async def resolve(self, name: str | None = None) -> Recipe:
        """The recipe of a name ("cpu", "cpu==0.31.0", "cuda+gguf", an id), the recommended one for None. Which build
        "nightly" is, is asked of its index.

        Raises:
            AppError: `engine.recipe_unknown`, `engine.plugin_unfit`; for a nightly `install.*`.
        """
        if name is None:
            return await self.recommend()
        recipe = find(name, self._recipes)
        if recipe.version:
            return recipe
        check_machine(recipe, await self._look())
        return of_version(recipe, await newest(recipe))

    # ---- changing

    async def select(self, engine_id: str) -> None:
        """Raises: AppError: `engine.unknown`, `settings.*`."""
        self._store.get(engine_id)
        self.default_engine.choose(engine_id, await self.list())
        await self._changed()

    async def roll_back(self) -> EngineInfo:
        """The default before the present one becomes the default again.

        Raises:
            AppError: `engine.no_previous`, `settings.*`.
        """
        engine_id = self.default_engine.roll_back(await self.list())
        await self._changed()
        return self._store.get(engine_id).info()

    async def keep_canary(self, engine_id: str, canary: Canary) -> EngineInfo:
        """Write a trial into the engine's record. Raises: AppError: `engine.unknown`, `app.data_not_writable`."""
        record = msgspec.structs.replace(self._store.get(engine_id), canary=canary)
        self._store.write(record)
        await self._changed()
        return record.info()

    async def install(self, recipe_id: str | None = None) -> EngineInfo:
        """Install an engine, or return it when it is there and works. Emits `Progress` and ends with `JobDone`. The
        default stays what it was.

        Raises:
            AppError: as `resolve`, and `engine.recipe_unsupported`, `engine.no_gpu`, `engine.gpu_too_old`,
                `engine.driver_too_old` before anything is fetched; `engine.no_python`, `engine.busy`, `engine.in_use`,
                `engine.broken`, `install.*`, `app.data_not_writable`. Nothing is left then.
        """
        recipe = await self.resolve(recipe_id)
        self.default_engine.hold(await self.list())
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
        recipe = find(record.recipe or engine_id, self._recipes)
        return await self._job(engine_id, lambda: self._repair(recipe))

    async def resume(self, engine_id: str) -> EngineInfo:
        """Finish an installation that was cut off: its downloads are in pip's or uv's cache; what was half unpacked is
        made anew.

        Raises:
            AppError: `engine.no_half`, else as `install`.
        """
        half = await self._half(engine_id)
        return await self.install(half.recipe)

    async def clean_up(self, engine_id: str) -> int:
        """Delete what an installation left; returns the bytes that became free.

        Raises:
            AppError: `engine.no_half`, `engine.busy`, `app.data_not_writable`.
        """
        half = await self._half(engine_id)
        with engine_lock(self._engines, engine_id):
            await to_the_end(self._store.delete(engine_id))
            half_installs.forget(self._engines, engine_id)
            await to_the_end(self._store.empty_trash())
        await self._changed()
        return half.size_bytes

    async def remove(self, engine_id: str) -> int:
        """Delete an engine of ours; forget one of the user's. Returns the bytes that became free.

        Raises:
            AppError: `engine.unknown`, `engine.in_use`, `engine.busy`, `app.data_not_writable`.
        """
        record = self._store.get(engine_id)
        self._refuse_if_used(engine_id)
        freed = 0
        if record.own_path:
            self._store.forget(record)
        else:
            with engine_lock(self._engines, engine_id):
                freed = await asyncio.to_thread(folder_bytes, self._store.folder(engine_id))
                await to_the_end(self._store.delete(engine_id))
        self.default_engine.forget(engine_id)
        await self._changed()
        return freed

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
        cards = await self._look() if recipe.gpu else Cards()
        check_machine(recipe, cards)
        with engine_lock(self._engines, recipe.id) as lock:
            record = self._store.ours(recipe.id)
            if record is not None and record.info().state is EngineState.READY and not again:
                return record
            self._refuse_if_used(recipe.id)
            await to_the_end(self._store.delete(recipe.id))
            await to_the_end(self._store.empty_trash())
            await self._changed()
            journal = Journal(self._engines, recipe)
            total = recipe.download_bytes + recipe.disk_bytes
            meter = Meter(self._bus, f"engine:{recipe.id}", steps_of(recipe), total, journal.step)
            try:
                return await self._installer(recipe, meter, lock, cards.driver).run()
            except OSError as error:
                raise system_error(error, self._engines, meter.step) from error
            finally:
                await to_the_end(self._store.discard_unfinished(recipe.id))
                journal.end()

    def _installer(self, recipe: Recipe, meter: Meter, lock: int, driver: str = "") -> Installer:
        return Installer(recipe, self._store.folder(recipe.id), meter, lock, self._patience, driver)

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
        recipe = self._recipe_of(old)
        found = await inspect(old.python, importing=True, keep_open=(lock,))
        new = manifest.of_inspection(found, old.id, platform=recipe.platform if recipe else "", key=old.key)
        new = manifest.with_history(new, old)
        self._store.write(new)
        return new

    async def _check_own(self, kept: str, python: str) -> Manifest:
        old = self._store.own(kept)
        if old.checked_at and old.is_gone:
            return old  # what is known of it stays true when its disk is back
        found = await inspect(python, importing=True)
        new = manifest.of_inspection(found, old.id, own_path=kept)
        new = msgspec.structs.replace(new, installed_at=old.installed_at or time.time())
        self._store.write(new)
        return new

    def _recipe_of(self, record: Manifest) -> Recipe | None:
        """None for one that this Stowage no longer knows."""
        try:
            return find(record.recipe or record.id, self._recipes)
        except AppError:
            return None

    def _installing(self, engine_id: str) -> EngineInfo:
        try:
            recipe = find(engine_id, self._recipes)
        except AppError:
            return EngineInfo(engine_id, EngineState.INSTALLING, "", "", "", "", ours=True)
        return EngineInfo(
            engine_id, EngineState.INSTALLING, recipe.version, recipe.platform, "", "", ours=True, kind=recipe.kind
        )

    async def _half(self, engine_id: str) -> HalfInstall:
        halves = await asyncio.to_thread(half_installs.find, self._engines)
        half = next((half for half in halves if half.id == engine_id), None)
        if half is None:
            raise AppError("engine.no_half", engine=engine_id)
        return half

    def _refuse_if_used(self, engine_id: str) -> None:
        if self._in_use(engine_id) or engine_id in self._servers.engines():
            raise AppError("engine.in_use", engine=engine_id)

    async def _changed(self) -> None:
        self._bus.emit(await self.snapshot())
