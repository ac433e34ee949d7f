"""A model, or what is missing of it, got before a launch that needs it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final

from core.errors import AppError
from core.events import EngineInfo, Event, EventBus, JobDone, Progress
from core.hub.events import DownloadsChanged
from core.hub.hub import Hub
from core.hub.model import DownloadInfo, DownloadState
from core.models import STARTER, Models, hub_reference
from core.settings import SettingsStore

FETCH_JOB: Final = "model:fetch"


@dataclass(frozen=True, slots=True)
class Fetching:
    """Tells how far it is as `Progress` of `FETCH_JOB`, beside the download's own news."""

    hub: Hub
    models: Models
    settings: SettingsStore
    bus: EventBus

    async def get(self, model_id: str, engine: EngineInfo) -> str:
        """Get what is not here of `model_id` ("starter" or a model of the Hub); gives its folder. Working offline by
        the settings ends: whoever calls this was told so. Cancelling keeps what is there.

        Raises:
            AppError: `hub.*`, `download.*`, `model.*`, `install.*` for the starter; `server.cancelled` when the
                download was paused or taken away meanwhile.
        """
        ref = hub_reference(model_id)
        if ref is None:
            model = await self.models.prepare(await self.models.resolve(model_id), engine)
            return model.path or ""
        if self.settings.current.hub_offline:
            self.settings.change(hub_offline=False)
        info = await self.hub.get(ref)
        unsubscribe = self.bus.subscribe(lambda event: self._tell(event, info.key))
        try:
            info = await self._wait(info)
        finally:
            unsubscribe()
            self.bus.emit(JobDone(FETCH_JOB))
        if info.state is not DownloadState.DONE:
            if (error := info.error) is None:
                raise AppError("server.cancelled", phase=None)
            raise AppError(error.code, error.detail, **error.facts)
        return str(await self.models.path_of(model_id))

    async def _wait(self, info: DownloadInfo) -> DownloadInfo:
        if info.state is DownloadState.DONE:
            return info
        try:
            return await self.hub.wait(info.key)
        except asyncio.CancelledError:
            await self.hub.pause(info.key)
            raise

    def _tell(self, event: Event, key: str) -> None:
        if not isinstance(event, DownloadsChanged):
            return
        for now in event.downloads:
            if now.key == key:
                told = (now.done_bytes, now.total_bytes, now.rate, now.eta_s, now.repo_id)
                self.bus.emit(Progress(FETCH_JOB, "fetch_model", 1, 1, *told))


def source_of(model_id: str) -> str:
    """What `Fetching.get` can get again of a model that is launched: "" for a folder, which came from elsewhere."""
    return model_id if model_id == STARTER or hub_reference(model_id) is not None else ""
