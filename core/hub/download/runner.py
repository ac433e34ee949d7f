"""The life of a worker, as seen from the app: started, heard, told what has changed, and what its end means."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any, Final

import msgspec

from core.errors import AppError
from core.hub.api import HubApi
from core.hub.download.entry import Entry
from core.hub.download.failed import died, failure
from core.hub.download.job import ourselves
from core.hub.download.link import WorkerLink
from core.hub.download.orders import order_of
from core.hub.download.shelf import Shelf
from core.hub.download.wanted import find_wanted
from core.hub.download.worker.order import Timing
from core.hub.model import DownloadState, RepoRef
from core.settings import SettingsStore

log = logging.getLogger(__name__)

_DEATHS: Final = 2

OpenApi = Callable[[], Awaitable[HubApi]]


class Runner:
    """Runs workers for entries. `tell` lets everyone hear of a change; `working`: how many workers there are."""

    def __init__(
        self,
        settings: SettingsStore,
        api: OpenApi,
        shelf: Shelf,
        tell: Callable[[], None],
        working: Callable[[], int],
        timing: Timing,
    ) -> None:
        self._timing = timing
        self._settings, self._api, self._shelf = settings, api, shelf
        self._tell, self._working = tell, working

    async def work(self, entry: Entry) -> bool:
        """One worker's life. True when another should try. Raises `AppError`."""
        connection = (await self._api()).connection
        if connection.offline:
            raise AppError("hub.offline")
        entry.told = self._wishes()
        entry.link = link = await WorkerLink.spawn(order_of(entry.job, connection, *entry.told, self._timing))
        self._shelf.keep(entry, owner=ourselves(), worker=link.running)
        last: dict[str, Any] = {}
        async for last in link.messages():
            entry.hear(last)
            self._pass_on_wishes(entry, link)
            self._tell()
        code = await link.exit_code()
        entry.link = None
        self._shelf.keep(entry, worker=None)
        if "path" in last:
            entry.state = DownloadState.DONE
        elif "failed" in last:
            return await self._after_failure(entry, failure(last, entry.job, connection))
        else:
            entry.deaths += 1
            if entry.deaths > _DEATHS:
                raise died(entry.job, code)
            log.warning("the worker of %s died with %s and is started again", entry.key, code)
            return True
        return False

    async def _after_failure(self, entry: Entry, error: AppError) -> bool:
        """When the server offers another file, ask once more what the commit holds."""
        if error.code != "download.changed" or entry.refreshed:
            raise error
        entry.refreshed = True
        fresh = await find_wanted(await self._api(), RepoRef(entry.job.repo_id, entry.job.commit))
        if fresh.files == entry.job.files:
            raise error
        old = entry.job
        entry.job = msgspec.structs.replace(old, files=fresh.files, tree=fresh.tree)
        await self._shelf.remove_fetched(old, frozenset(file.etag for file in fresh.files))
        self._shelf.keep(entry)
        return True

    def _wishes(self) -> tuple[int, str]:
        """The limit of this worker, which all running ones share, and what happens at the app's end."""
        settings = self._settings.current
        limit = settings.download_limit_bytes_per_s
        return (max(1, limit // max(1, self._working())) if limit else 0), settings.downloads_after_close

    def _pass_on_wishes(self, entry: Entry, link: WorkerLink) -> None:
        if (wishes := self._wishes()) != entry.told:
            entry.told = wishes
            link.send(limit_bytes_per_s=wishes[0], after_close=wishes[1])
