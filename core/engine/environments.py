"""The engines of this user: found, installed, verified, repaired, removed, chosen."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import shutil
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from core.engine import gpu, manifest, own_engine
from core.engine.engine_lock import engine_lock, is_locked
from core.engine.inspection import inspect
from core.engine.install_progress import Meter
from core.engine.installer import Installer, Patience, steps_of
from core.engine.manifest import FILE_NAME, Manifest
from core.engine.recipes import CPU, CUDA, RECIPES, Recipe
from core.engine.tool import to_the_end
from core.errors import AppError
from core.events import EngineInfo, EnginesChanged, EngineState, ErrorInfo, EventBus, JobDone
from core.paths import Paths
from core.settings import SettingsStore

log = logging.getLogger(__name__)

_TRASH: Final = ".removed-"


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
        self._own_records = paths.state / "own_engines"
        self._settings = settings
        self._bus = bus
        self._recipes = recipes
        self._in_use = in_use
        self._patience = patience or Patience()

    # ---- looking

    async def list(self) -> tuple[EngineInfo, ...]:
        """All engines, newest first. Reads small files only; one that is not whole counts while it is worked on."""
        records = [record for _, record in self._records()]
        records.sort(key=lambda record: record.installed_at, reverse=True)
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
        self._record(engine_id)
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
        record = await self._check_own(own_id(kept), kept, python)
        await self._changed()
        return record.info()

    async def verify(self, engine_id: str) -> EngineInfo:
        """Import the engine for real (seconds to a minute) and keep what was learned; `error` tells of a sick one.

        Raises:
            AppError: `engine.unknown`, `engine.busy`, `app.data_not_writable`.
        """
        path, record = self._record(engine_id)
        if record.own_path:
            record = await self._check_own(record.id, record.own_path, record.python)
        else:
            with engine_lock(self._engines, engine_id) as lock:
                record = await self._check_ours(path, record, lock)
        await self._changed()
        return record.info()

    async def repair(self, engine_id: str) -> EngineInfo:
        """Make a broken engine work: take out the packages known to break it, else install it anew.

        Raises:
            AppError: `engine.not_ours` for a user's own, else as `install`.
        """
        _, record = self._record(engine_id)
        if record.own_path:
            raise AppError("engine.not_ours", engine=engine_id, path=record.own_path)
        recipe = self._recipe(engine_id)
        return await self._job(engine_id, lambda: self._repair(recipe))

    async def remove(self, engine_id: str) -> None:
        """Delete an engine of ours; forget one of the user's.

        Raises:
            AppError: `engine.unknown`, `engine.in_use`, `engine.busy`, `app.data_not_writable`.
        """
        path, record = self._record(engine_id)
        self._refuse_if_used(engine_id)
        if record.own_path:
            left = tuple(own for own in self._settings.current.own_engines if own != record.own_path)
            self._settings.change(own_engines=left)
            path.unlink(missing_ok=True)
        else:
            with engine_lock(self._engines, engine_id):
                await to_the_end(self._delete(self._engines / engine_id))
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
        except AppError as error:
            await self._changed()
            self._bus.emit(JobDone(job, ErrorInfo.of(error)))
            raise
        await self._changed()
        self._bus.emit(JobDone(job))
        return record.info()

    async def _install(self, recipe: Recipe, *, again: bool) -> Manifest:
        """`again` replaces a whole engine too."""
        folder = self._engines / recipe.id
        with engine_lock(self._engines, recipe.id) as lock:
            record = manifest.read(folder / FILE_NAME)
            if record is not None and record.info().state is EngineState.READY and not again:
                return record
            self._refuse_if_used(recipe.id)
            await to_the_end(self._delete(folder))
            await to_the_end(self._empty_trash())
            await self._changed()
            meter = Meter(self._bus, f"engine:{recipe.id}", steps_of(recipe), recipe.download_bytes + recipe.disk_bytes)
            installer = Installer(recipe, folder, meter, lock, self._patience)
            try:
                return await installer.run()
            except OSError as error:
                raise _system_error(error, folder) from error
            finally:
                if manifest.read(folder / FILE_NAME) is None:
                    await to_the_end(self._delete(folder))

    async def _repair(self, recipe: Recipe) -> Manifest:
        folder = self._engines / recipe.id
        if recipe.unwanted:
            with engine_lock(self._engines, recipe.id) as lock:
                self._refuse_if_used(recipe.id)
                record = await self._take_out_unwanted(recipe, folder, lock)
            if record is not None:
                return record
        return await self._install(recipe, again=True)

    async def _take_out_unwanted(self, recipe: Recipe, folder: Path, lock: int) -> Manifest | None:
        """The record of the engine when that was enough, else None."""
        record = manifest.read(folder / FILE_NAME)
        if record is None:
            return None
        meter = Meter(self._bus, f"engine:{recipe.id}", ("repair", "verify"), 0)
        meter.begin("repair")
        try:
            await Installer(recipe, folder, meter, lock, self._patience).remove_unwanted()
        except (AppError, OSError) as error:
            log.info("%s: %s; installing anew", recipe.id, error)
            return None
        meter.begin("verify")
        record = await self._check_ours(folder / FILE_NAME, record, lock)
        return None if record.failure else record

    async def _check_ours(self, path: Path, old: Manifest, lock: int) -> Manifest:
        recipe = self._recipes.get(old.id)
        found = await inspect(old.python, importing=True, keep_open=(lock,))
        new = manifest.of_inspection(found, old.id, platform=recipe.platform if recipe else "", key=old.key)
        new = msgspec.structs.replace(
            new, version=new.version or old.version, platform=new.platform or old.platform,
            python_version=new.python_version or old.python_version,
            size_bytes=old.size_bytes, installed_at=old.installed_at,
        )  # fmt: skip
        _write(path, new)
        return new

    async def _check_own(self, engine_id: str, kept: str, python: str) -> Manifest:
        path = self._own_records / f"{engine_id}.json"
        old = manifest.read(path)
        found = await inspect(python, importing=True)
        new = manifest.of_inspection(found, engine_id, own_path=kept)
        added = old.installed_at if old else time.time()
        new = msgspec.structs.replace(new, installed_at=added)
        _write(path, new)
        return new

    def _records(self) -> list[tuple[Path, Manifest]]:
        found: list[tuple[Path, Manifest]] = []
        for path in sorted(self._engines.glob(f"[!.]*/{FILE_NAME}")):
            record = manifest.read(path)
            if record is not None and record.id == path.parent.name:
                found.append((path, record))
        for kept in self._settings.current.own_engines:
            path = self._own_records / f"{own_id(kept)}.json"
            record = manifest.read(path)
            found.append((path, record or own_engine.unchecked(own_id(kept), kept)))
        return found

    def _record(self, engine_id: str) -> tuple[Path, Manifest]:
        records = self._records()
        for path, record in records:
            if record.id == engine_id:
                return path, record
        known = ", ".join(record.id for _, record in records) or None
        raise AppError("engine.unknown", engine=engine_id, known=known)

    def _recipe(self, recipe_id: str) -> Recipe:
        recipe = self._recipes.get(recipe_id)
        if recipe is None:
            raise AppError("engine.recipe_unknown", recipe=recipe_id, known=", ".join(self._recipes))
        return recipe

    def _refuse_if_used(self, engine_id: str) -> None:
        if self._in_use(engine_id):
            raise AppError("engine.in_use", engine=engine_id)

    async def _delete(self, folder: Path) -> None:
        """By a rename first: whatever happens after it, no half-deleted engine carries the engine's name."""
        if not folder.exists():
            return
        doomed = folder.with_name(f"{_TRASH}{folder.name}-{time.time_ns()}")
        try:
            folder.rename(doomed)
        except OSError as error:
            raise _system_error(error, folder) from error
        await asyncio.to_thread(shutil.rmtree, doomed, True)

    async def _empty_trash(self) -> None:
        """Finish deletions that a crash cut short."""
        for doomed in self._engines.glob(f"{_TRASH}*"):
            await asyncio.to_thread(shutil.rmtree, doomed, True)

    async def _changed(self) -> None:
        self._bus.emit(EnginesChanged(await self.list(), self._settings.current.engine))


def own_id(kept: str) -> str:
    return "own-" + hashlib.sha256(kept.encode()).hexdigest()[:8]


def _write(path: Path, record: Manifest) -> None:
    try:
        manifest.write(path, record)
    except OSError as error:
        raise _system_error(error, path) from error


def _system_error(error: OSError, path: Path) -> AppError:
    reason = error.strerror or str(error)
    return AppError("app.data_not_writable", str(error), path=str(path.parent), reason=reason)
