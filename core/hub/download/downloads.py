"""The queue of downloads. One writer of their state; a worker process does each, and may be killed at any time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from core.errors import AppError
from core.events import EventBus
from core.hub.cache.scan import InUse
from core.hub.download import on_disk
from core.hub.download.entry import Entry
from core.hub.download.job import Job, ourselves
from core.hub.download.local import find_whole
from core.hub.download.runner import OpenApi, Runner
from core.hub.download.shelf import Shelf, check_space, end_worker
from core.hub.download.wanted import find_wanted
from core.hub.download.worker.order import DEFAULT_TIMING, Timing
from core.hub.events import DownloadsChanged
from core.hub.model import DownloadInfo, DownloadState, RepoRef
from core.paths import Paths
from core.runtime import Tasks
from core.settings import SettingsStore

log = logging.getLogger(__name__)

AT_ONCE: Final = 2
"""Models that are fetched at the same time; each fetches several files."""
_NO_ANSWER: Final = frozenset(
    ("hub.offline", "hub.unreachable", "hub.dns", "hub.timeout", "hub.proxy", "hub.server_error")
)


class Downloads:
    """Owner of the queue, the workers and the job files. Lives on the loop's thread; `close` last.

    Args:
        api: the client of the present connection; `cache`: where the cache lies now; `changed`: awaited when a
            download added to the cache or took from it.
    """

    def __init__(
        self,
        paths: Paths,
        settings: SettingsStore,
        bus: EventBus,
        api: OpenApi,
        cache: Callable[[], Path],
        changed: Callable[[], Awaitable[None]],
        timing: Timing = DEFAULT_TIMING,
    ) -> None:
        self._settings, self._bus = settings, bus
        self._api, self._cache, self._changed = api, cache, changed
        self._shelf = Shelf(paths.state / "downloads")
        self._entries: dict[str, Entry] = {}
        self._tasks = Tasks()
        self._runner = Runner(settings, api, self._shelf, self._tell, self._working, timing)
        self._closing = False
        self._adding = asyncio.Lock()

    # ---- life ------------------------------------------------------------------------------------------------------

    async def open(self) -> None:
        """Take over what dead owners left, and go on with it unless it was paused. A command that is about something
        else does not open."""
        for job in await asyncio.to_thread(self._shelf.left_behind):
            await asyncio.to_thread(end_worker, job)
            entry = Entry(job, DownloadState.PAUSED if job.paused else DownloadState.QUEUED)
            entry.done_bytes = await asyncio.to_thread(on_disk.present_bytes, job.cache, job.repo_id, job.files)
            self._entries[entry.key] = entry
            self._shelf.keep(entry, owner=ourselves(), worker=None)
        self._pump()
        self._tell()

    async def close(self) -> None:
        """Pause everything, or let it go on without us, as the user set."""
        self._closing = True
        if self._settings.current.downloads_after_close == "go_on":
            for entry in self._entries.values():
                link, entry.link = entry.link, None
                if link is not None:
                    await link.leave()
        await self._tasks.close()
        for entry in self._entries.values():
            if entry.state is not DownloadState.DONE:
                self._shelf.keep(entry, owner=None)

    def in_use(self) -> InUse:
        """For the cache: what must not be deleted, and whose unfinished files are wanted."""
        unfinished = [entry for entry in self._entries.values() if entry.state is not DownloadState.DONE]
        return InUse(
            busy=frozenset(entry.job.repo_id for entry in unfinished if not entry.ended),
            claimed=frozenset(entry.job.repo_id for entry in unfinished),
        )

    async def recount(self) -> None:
        """The cache was looked at: what somebody deleted of an unfinished download is not there any more."""
        changed = False
        for entry in [
            entry for entry in self._entries.values() if entry.ended and entry.state is not DownloadState.DONE
        ]:
            job = entry.job
            present = await asyncio.to_thread(on_disk.present_bytes, job.cache, job.repo_id, job.files)
            if entry.ended and present < entry.done_bytes:
                whole = await asyncio.to_thread(on_disk.whole_blobs, job.cache, job.repo_id, job.files)
                entry.done_bytes = present
                entry.finished = tuple(file.path for file in job.files if file.etag in whole)
                changed = True
        if changed:
            self._tell()

    # ---- verbs -----------------------------------------------------------------------------------------------------

    def list(self) -> tuple[DownloadInfo, ...]:
        return tuple(entry.info for entry in self._entries.values())

    async def get(self, ref: RepoRef, *, launch_after: bool = False) -> DownloadInfo:
        """Fetch what vLLM needs of a model at the commit that `ref` names now. Returns when it is in the queue.

        A download of the same commit goes on; one of an older commit of the same branch ends, and what it has in
        common with the new one is kept.

        Raises:
            AppError: `hub.*` when the Hub cannot be asked, `model.*` when there is nothing to load,
                `download.disk_full`, `download.not_writable`.
        """
        try:
            wanted = await find_wanted(await self._api(), ref)
        except AppError as error:
            whole = await asyncio.to_thread(find_whole, self._cache(), ref) if error.code in _NO_ANSWER else None
            if whole is None:
                raise
            return whole
        async with self._adding:
            job = await asyncio.to_thread(self._shelf.new_job, wanted, str(self._cache()), launch_after)
            entry = self._entries.get(job.key)
            if entry is None or entry.state is DownloadState.DONE:
                await self._replace_older(job)
                entry = Entry(job, DownloadState.QUEUED)
            entry.job = job if entry.ended else entry.job
            if entry.task is None:
                await self._check_space(entry)
                entry.state, entry.error = DownloadState.QUEUED, None
            self._entries[job.key] = entry
            self._shelf.keep(entry, owner=ourselves(), launch_after=launch_after, paused=False)
        self._pump()
        self._tell()
        return entry.info

    async def pause(self, key: str) -> None:
        """Stop it and keep what is there. Raises `AppError` `download.unknown`."""
        entry = self._find(key)
        await self._stop(entry)
        if entry.state is not DownloadState.DONE:
            entry.state, entry.waits_for = DownloadState.PAUSED, ""
            self._shelf.keep(entry, paused=True)
        self._pump()
        self._tell()

    async def resume(self, key: str) -> None:
        """Raises: AppError: `download.unknown`, `download.disk_full`."""
        entry = self._find(key)
        if not entry.ended or entry.state is DownloadState.DONE:
            return
        await self._check_space(entry)
        entry.state, entry.error, entry.deaths, entry.refreshed = DownloadState.QUEUED, None, 0, False
        self._shelf.keep(entry, paused=False)
        self._pump()
        self._tell()

    async def cancel(self, key: str) -> None:
        """Stop it and remove what it fetched; a finished one only leaves the list.

        Raises:
            AppError: `download.unknown`, `download.not_writable`.
        """
        entry = self._find(key)
        await self._stop(entry)
        del self._entries[key]
        try:
            if entry.state is not DownloadState.DONE:
                self._shelf.forget(entry.job)
                await self._shelf.remove_fetched(entry.job)
                await self._changed()
        finally:
            # Also where the disk refuses: it is off the list, and everyone must know.
            entry.changed.set()
            self._pump()
            self._tell()

    async def wait(self, key: str) -> DownloadInfo:
        """Until it is done, failed, paused or cancelled. Raises `AppError` `download.unknown`."""
        entry = self._find(key)
        while not entry.ended and self._entries.get(key) is entry:
            entry.changed.clear()
            await entry.changed.wait()
        return entry.info

    # ---- the queue -------------------------------------------------------------------------------------------------

    def _pump(self) -> None:
        """Start what may start."""
        running = sum(entry.task is not None for entry in self._entries.values())
        for entry in self._entries.values():
            if running >= AT_ONCE or self._closing:
                break
            if entry.state is DownloadState.QUEUED and entry.task is None:
                entry.begin()
                entry.task = self._tasks.start(self._run(entry), f"download {entry.key}")
                running += 1

    async def _run(self, entry: Entry) -> None:
        """One download from its start to its end."""
        try:
            while await self._runner.work(entry):
                pass
        except AppError as error:
            entry.fail(error)
        except OSError as error:
            entry.fail(AppError("download.not_writable", repr(error), path=error.filename, reason=error.strerror))
        finally:
            link, entry.link = entry.link, None
            if link is not None:
                await link.end()
                self._shelf.keep(entry, worker=None)
            entry.task = None
        if entry.state is DownloadState.DONE:
            self._shelf.forget(entry.job)
        self._tell()
        self._pump()
        if entry.state is DownloadState.DONE:
            await self._changed()

    async def _stop(self, entry: Entry) -> None:
        task = entry.task
        if task is not None:
            task.cancel()
            await asyncio.wait({task})
            entry.task = None

    # ---- jobs ------------------------------------------------------------------------------------------------------

    async def _replace_older(self, job: Job) -> None:
        """The branch has moved on: an unfinished download of its older commit would never be looked at again. Finished
        ones of the model only leave the list."""
        for old in [entry for entry in self._entries.values() if entry.job.repo_id == job.repo_id]:
            if old.state is not DownloadState.DONE and (old.job.ref != job.ref or old.key == job.key):
                continue
            await self._stop(old)
            del self._entries[old.key]
            old.changed.set()
            if old.state is not DownloadState.DONE:
                self._shelf.forget(old.job)
                await self._shelf.remove_fetched(old.job, frozenset(file.etag for file in job.files))

    async def _check_space(self, entry: Entry) -> None:
        """The whole rest of it must go onto the cache's own disk, beside the rest of those before it."""
        others = sum(
            max(0, other.job.total_bytes - other.done_bytes)
            for other in self._entries.values()
            if other is not entry and not other.ended and other.job.cache == entry.job.cache
        )
        entry.done_bytes = await asyncio.to_thread(check_space, entry.job, others)

    def _working(self) -> int:
        return sum(entry.link is not None for entry in self._entries.values())

    def _find(self, key: str) -> Entry:
        if (entry := self._entries.get(key)) is None:
            raise AppError("download.unknown", download=key)
        return entry

    def _tell(self) -> None:
        self._bus.emit(DownloadsChanged(self.list()))
        for entry in self._entries.values():
            entry.changed.set()
