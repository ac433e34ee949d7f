"""The models that can be launched: the starter, the checkpoint folders that the user added, the Hub's cache."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Final

from core.checkpoint.folder import inspect_folder
from core.engine.engine_lock import engine_lock
from core.engine.install_progress import Meter
from core.engine.starter import STEPS, StarterMaker, StarterRecipe, starter_info
from core.errors import AppError
from core.events import EngineInfo, ErrorInfo, EventBus, JobDone, ModelInfo, ModelsChanged
from core.hub.cache.launchable import CachedModels
from core.hub.cache.service import Cache
from core.hub.model import RepoRef
from core.hub.refs import parse_reference
from core.paths import Paths
from core.settings import SettingsStore

STARTER: Final = "starter"
STARTER_JOB: Final = "model:starter"


class Models:
    """Owner of the list of models. A folder's id is its absolute path, a cached model's "org/name" or
    "org/name@revision"."""

    def __init__(
        self,
        paths: Paths,
        settings: SettingsStore,
        bus: EventBus,
        starter: StarterRecipe | None = None,
        cache: Cache | None = None,
    ) -> None:
        self._paths = paths
        self._settings = settings
        self._bus = bus
        self._starter = starter or StarterRecipe()
        self._cached = CachedModels(cache or Cache(paths, settings, bus))
        self.starter_folder = paths.models / self._starter.name
        # Looks that began, and the newest of them that was told.
        self._looks = self._told = 0

    async def list(self) -> tuple[ModelInfo, ...]:
        """The starter first, then the folders in the order added, then the cache by name. A folder that is gone or
        broken is listed with its error until it is forgotten."""
        return (*await asyncio.to_thread(self._list), *await self._cached.list())

    async def add_folder(self, path: str) -> ModelInfo:
        """Take a folder into the list; one that is there already stays once.

        Raises:
            AppError: `model.*` when it is no whole checkpoint; `settings.not_saved`.
        """
        model = await asyncio.to_thread(inspect_folder, Path(path))
        folders = self._settings.current.model_folders
        if model.id not in folders:
            self._settings.change(model_folders=[*folders, model.id])
        await self.announce()
        return model

    async def forget(self, model_id: str) -> None:
        """Take a folder off the list; its files stay.

        Raises:
            AppError: `model.unknown`; the starter is part of the app and cannot be forgotten.
        """
        folders = self._settings.current.model_folders
        if model_id not in folders:
            raise AppError("model.unknown", model=model_id)
        self._settings.change(model_folders=[folder for folder in folders if folder != model_id])
        await self.announce()

    async def resolve(self, spec: str) -> ModelInfo:
        """What a person means by `spec`: "starter", a listed folder's name or id, the path of any folder, or a model of
        the Hub in any spelling (an id, an address) that is in the cache.

        Raises:
            AppError: `model.unknown`, `model.not_here` for a model of the Hub that is not in the cache,
                `model.incomplete` when it is there in part, or what is wrong with the folder.
        """
        if spec == STARTER:
            return await asyncio.to_thread(starter_info, self.starter_folder, self._starter)
        if (ref := hub_reference(spec)) is not None:
            try:
                return await self._cached.find(ref)
            except AppError as error:
                if error.code != "model.not_here" or not Path(spec).exists():
                    raise
        folders = self._settings.current.model_folders
        named = [folder for folder in folders if Path(folder).name == spec]
        if spec not in folders and len(named) == 1 and not Path(spec).exists():
            spec = named[0]
        elif not Path(spec).expanduser().exists() and os.sep not in spec:
            raise AppError("model.unknown", model=spec)
        return await asyncio.to_thread(inspect_folder, Path(spec))

    async def path_of(self, model_id: str) -> Path | None:
        """The folder behind an id of the list, found quickly; None for a starter that is not made yet.

        Raises:
            AppError: `model.not_here`, `model.incomplete`.
        """
        if model_id == STARTER:
            starter = await self.resolve(STARTER)
            return Path(starter.path) if starter.path else None
        ref = hub_reference(model_id)
        return Path(model_id) if ref is None else await self._cached.path_of(ref)

    async def prepare(self, model: ModelInfo, engine: EngineInfo) -> ModelInfo:
        """Make a model ready to launch: the starter is made when it is not there (`Progress` and `JobDone` of
        `model:starter`), a folder or a cached model is looked at again. Cancelling leaves nothing half-made.

        Raises:
            AppError: `model.*`, `install.*` for the starter's download.
        """
        if (ref := hub_reference(model.id)) is not None:
            cached = await self._cached.find(ref)
            await self._cached.mark_used(ref)
            return cached
        if model.id != STARTER:
            return await asyncio.to_thread(inspect_folder, Path(model.path or model.id))
        ready = await self.resolve(STARTER)
        return ready if ready.ready else await self._make_starter(engine)

    async def _make_starter(self, engine: EngineInfo) -> ModelInfo:
        error: ErrorInfo | None = None
        try:
            await self._run_maker(engine)
        except AppError as failure:
            error = ErrorInfo.of(failure)
            raise
        except asyncio.CancelledError:
            error = ErrorInfo("install.cancelled", facts={"engine": STARTER})
            raise
        finally:
            self._bus.emit(JobDone(STARTER_JOB, error))
        await self.announce()
        return await self.resolve(STARTER)

    async def _run_maker(self, engine: EngineInfo) -> None:
        meter = Meter(self._bus, STARTER_JOB, STEPS, self._starter.wheel_bytes)
        try:
            # The lock is the kernel's: it ends with its holder, and the tools that still write hold it too.
            with engine_lock(self._paths.models, STARTER) as lock:
                await StarterMaker(self._starter, self.starter_folder, engine.python, meter, lock).run()
        except AppError as error:
            if error.code != "engine.busy":
                raise
            raise AppError("model.busy", pid=error.facts["pid"]) from error

    def _list(self) -> tuple[ModelInfo, ...]:
        folders = (_listed(Path(folder)) for folder in self._settings.current.model_folders)
        return (starter_info(self.starter_folder, self._starter), *folders)

    async def announce(self) -> None:
        """Tell everyone what there is. Of two looks at once the one that began later is the last to be heard."""
        self._looks += 1
        look = self._looks
        models = await self.list()
        if look > self._told:
            self._told = look
            self._bus.emit(ModelsChanged(models))


def hub_reference(spec: str) -> RepoRef | None:
    """The model of the Hub that `spec` names; None for "starter", a folder and what names nothing."""
    return None if spec == STARTER or spec.startswith((os.sep, ".", "~")) else parse_reference(spec)


def _listed(folder: Path) -> ModelInfo:
    try:
        return inspect_folder(folder)
    except AppError as error:
        return ModelInfo(str(folder), folder.name, str(folder), 0, error=ErrorInfo.of(error))
