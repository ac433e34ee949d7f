"""The models that can be launched: the starter, and the checkpoint folders that the user added."""

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
from core.paths import Paths
from core.settings import SettingsStore

STARTER: Final = "starter"
STARTER_JOB: Final = "model:starter"


class Models:
    """Owner of the list of models. A folder's id is its absolute path."""

    def __init__(
        self, paths: Paths, settings: SettingsStore, bus: EventBus, starter: StarterRecipe | None = None
    ) -> None:
        self._paths = paths
        self._settings = settings
        self._bus = bus
        self._starter = starter or StarterRecipe()
        self.starter_folder = paths.models / self._starter.name

    async def list(self) -> tuple[ModelInfo, ...]:
        """The starter first, then the folders in the order added. A folder that is gone or broken is listed with its
        error until it is forgotten."""
        return await asyncio.to_thread(self._list)

    async def add_folder(self, path: str) -> ModelInfo:
        """Take a folder into the list; one that is there already stays once.

        Raises:
            AppError: `model.*` when it is no whole checkpoint; `settings.not_saved`.
        """
        model = await asyncio.to_thread(inspect_folder, Path(path))
        folders = self._settings.current.model_folders
        if model.id not in folders:
            self._settings.change(model_folders=[*folders, model.id])
        await self._changed()
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
        await self._changed()

    async def resolve(self, spec: str) -> ModelInfo:
        """What a person means by `spec`: "starter", a listed folder's name or id, or the path of any folder.

        Raises:
            AppError: `model.unknown`, or what is wrong with the folder.
        """
        if spec == STARTER:
            return await asyncio.to_thread(starter_info, self.starter_folder, self._starter)
        folders = self._settings.current.model_folders
        named = [folder for folder in folders if Path(folder).name == spec]
        if spec not in folders and len(named) == 1 and not Path(spec).exists():
            spec = named[0]
        elif not Path(spec).expanduser().exists() and os.sep not in spec:
            raise AppError("model.unknown", model=spec)
        return await asyncio.to_thread(inspect_folder, Path(spec))

    async def prepare(self, model: ModelInfo, engine: EngineInfo) -> ModelInfo:
        """Make a model ready to launch: the starter is made when it is not there (`Progress` and `JobDone` of
        `model:starter`), a folder is looked at again. Cancelling leaves nothing half-made.

        Raises:
            AppError: `model.*`, `install.*` for the starter's download.
        """
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
        await self._changed()
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

    async def _changed(self) -> None:
        self._bus.emit(ModelsChanged(await self.list()))


def _listed(folder: Path) -> ModelInfo:
    try:
        return inspect_folder(folder)
    except AppError as error:
        return ModelInfo(str(folder), folder.name, str(folder), 0, error=ErrorInfo.of(error))
