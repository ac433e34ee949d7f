"""The verbs of the cache: look, delete, hash, mend, sweep, move. Work on the disk happens in a thread."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeVar

from core.engine.engine_lock import engine_lock
from core.engine.install_progress import Meter
from core.errors import AppError
from core.events import ErrorInfo, EventBus, JobDone
from core.hub.cache import hashing, local_folder, move
from core.hub.cache.delete import delete_commit, delete_files, delete_repo
from core.hub.cache.locks import is_repo_held
from core.hub.cache.on_disk import Partial, RepoOnDisk
from core.hub.cache.records import Hashes, Uses
from core.hub.cache.scan import InUse, Scan, commit_of, old_partials, scan
from core.hub.cache.sizes import freed_by_commit, freed_by_repo
from core.hub.cache.stoppable import Counter, stoppable
from core.hub.events import CacheChanged
from core.hub.model import CachedRepo, CachedRevision, CacheState, Verified
from core.hub.places import cache_folder
from core.jobs import Jobs
from core.paths import Paths
from core.settings import SettingsStore

VERIFY_JOB: Final = "cache:verify"
MOVE_JOB: Final = "cache:move"
_CHANGE: Final = "cache"

T = TypeVar("T")
Work = Callable[[], Coroutine[Any, Any, T]]


@dataclass(frozen=True, slots=True)
class Leftovers:
    """Files to be swept, and their bytes."""

    paths: tuple[str, ...]
    bytes: int


class Cache:
    """Owner of what Stowage does to the cache. Lives on the loop's thread; `close` ends what runs.

    `add_user` names those whose models must stay: they are asked before anything is deleted.
    """

    def __init__(self, paths: Paths, settings: SettingsStore, bus: EventBus) -> None:
        self._paths, self._settings, self._bus = paths, settings, bus
        self._uses, self._hashes = Uses(paths.state), Hashes(paths.state)
        self._users: list[Callable[[], InUse]] = []
        self._listeners: list[Callable[[], Awaitable[None]]] = []
        self._jobs = Jobs()
        self._move = move.Move(paths.state)

    def add_user(self, in_use: Callable[[], InUse]) -> None:
        self._users.append(in_use)

    def add_listener(self, changed: Callable[[], Awaitable[None]]) -> None:
        """`changed` runs after every look at the cache."""
        self._listeners.append(changed)

    async def close(self) -> None:
        await self._jobs.close()

    async def cancel(self, job: str) -> None:
        """End `VERIFY_JOB` or `MOVE_JOB`."""
        await self._jobs.cancel(job)

    @property
    def folder(self) -> Path:
        return cache_folder(self._settings.current)

    # ---- looking ---------------------------------------------------------------------------------------------------

    async def look(self) -> CacheState:
        """All that lies in the cache now; everyone hears it."""
        await self._finish_move()
        state = (await self.scan()).state
        journal = self._move.unfinished()
        if journal is not None and MOVE_JOB not in self._jobs:
            interrupted = ErrorInfo("hub.move_unfinished", facts={"path": journal.target})
            state = replace(state, warnings=(*state.warnings, interrupted))
        self._bus.emit(CacheChanged(state))
        for changed in self._listeners:
            await changed()
        return state

    async def scan(self) -> Scan:
        """As `look`, but told to nobody, with what was read from the disk."""
        return await asyncio.to_thread(scan, self.folder, self._in_use(), self._uses, self._hashes)

    async def mark_used(self, repo_id: str) -> None:
        """A launch of that model began."""
        await asyncio.to_thread(self._uses.mark, repo_id)

    # ---- deleting --------------------------------------------------------------------------------------------------

    async def frees(self, repo_id: str, revision: str = "") -> int:
        """Bytes that `delete` would free.

        Raises:
            AppError: `hub.not_cached`.
        """
        found, repo, one = await self._find(repo_id, revision)
        if revision:
            return freed_by_commit(repo, one, found.repos.values())
        return freed_by_repo(repo, found.repos.values())

    async def delete(self, repo_id: str, revision: str = "") -> int:
        """Delete a repository, or one commit of it (a branch, a tag, the beginning of a commit). Returns the bytes
        freed.

        Raises:
            AppError: `hub.not_cached`, `hub.cache_in_use`, `hub.cache_busy`, `hub.cache_not_deleted`.
        """

        async def work() -> int:
            found, repo, one = await self._find(repo_id, revision)
            self._refuse_if_used(repo)
            repos = tuple(found.repos.values())
            if revision:
                return await asyncio.to_thread(delete_commit, repo, one, repos)
            return await asyncio.to_thread(delete_repo, repo, repos)

        return await self._change(work)

    async def leftovers(self) -> Leftovers:
        """What `sweep` would delete: unfinished files that belong to nobody (`CacheState.orphans`), and those of
        folders that `hf download --local-dir` filled."""
        partial = await asyncio.to_thread(self._unfinished_elsewhere)
        state = (await self.scan()).state
        size = state.orphan_bytes + sum(file.size for file in partial)
        return Leftovers((*state.orphans, *(file.path for file in partial)), size)

    async def sweep(self) -> int:
        """Delete the leftovers. Returns the bytes freed.

        Raises:
            AppError: `hub.cache_busy`, `hub.cache_not_deleted`.
        """

        async def work() -> int:
            return await asyncio.to_thread(delete_files, (await self.leftovers()).paths)

        return await self._change(work)

    def _unfinished_elsewhere(self) -> tuple[Partial, ...]:
        folders = self._settings.current.model_folders
        return old_partials(file for folder in folders for file in local_folder.unfinished(Path(folder)))

    # ---- hashing ---------------------------------------------------------------------------------------------------

    async def verify(self, model_id: str, revision: str = "") -> Verified:
        """Hash every file of a commit (the main branch's by default), or of a folder that `hf download --local-dir`
        filled; `Progress` and `JobDone` of `VERIFY_JOB`.

        Raises:
            AppError: `hub.not_cached`, `hub.verify_busy`, `hub.verify_cancelled`, `hub.verify_failed`,
                `hub.verify_unknown` for a folder without a note of its hashes.
        """
        busy, cancelled = AppError("hub.verify_busy"), AppError("hub.verify_cancelled")
        work = self._told(VERIFY_JOB, cancelled, lambda: self._verify(model_id, revision))
        return await self._jobs.run(VERIFY_JOB, work, busy=busy, cancelled=cancelled)

    async def _verify(self, model_id: str, revision: str) -> Verified:
        if os.path.isabs(model_id):
            repo, commit = _folder_as_repo(model_id), ""
            tasks = await asyncio.to_thread(local_folder.noted_tasks, Path(model_id))
            if not tasks:
                raise AppError("hub.verify_unknown", path=model_id)
        else:
            _, repo, commit = await self._find(model_id, revision)
            tasks = await asyncio.to_thread(hashing.tasks_of, repo, commit)
        counter = Counter()
        meter = Meter(self._bus, VERIFY_JOB, ("hash",), sum(task.size for task in tasks))

        def work(stop: threading.Event) -> Verified:
            return hashing.verify(repo, commit, tasks, counter.add, stop)

        try:
            async with meter.ticking(lambda: counter.bytes):
                found = await stoppable(work)
        except OSError as error:
            reason = error.strerror or str(error)
            raise AppError("hub.verify_failed", repr(error), file=error.filename, reason=reason) from error
        if commit:
            await asyncio.to_thread(self._hashes.keep, found, repo.snapshots[commit])
            await self.look()
        return found

    async def repair(self, repo_id: str, revision: str = "") -> tuple[str, ...]:
        """Delete the damaged files of a commit, so that a download fetches exactly these. Returns their names.

        Raises:
            AppError: as `delete`.
        """

        async def work() -> tuple[str, ...]:
            found, repo, commit = await self._find(repo_id, revision)
            self._refuse_if_used(repo)
            damaged = _revision(found.state, repo_id, commit).damaged
            files = [file for file in repo.snapshots[commit] if file.path in damaged]
            places = [file.blob or os.path.join(repo.snapshot_path(commit), file.path) for file in files]
            stores = [blob.store for place in places if (blob := repo.blobs.get(place)) is not None and blob.store]
            await asyncio.to_thread(delete_files, dict.fromkeys([*places, *stores]))
            return damaged

        return await self._change(work)

    # ---- moving ----------------------------------------------------------------------------------------------------

    async def move(self, folder: str) -> None:
        """Move the cache to `folder` (new or empty, usually on another disk) and use it from there; the old place leads
        there. `Progress` and `JobDone` of `MOVE_JOB`. A failure or a cancellation takes everything back; after a kill
        the same call goes on.

        Raises:
            AppError: `hub.move_*`, `hub.cache_in_use`, `hub.cache_busy`, `settings.not_saved`.
        """
        cancelled = AppError("hub.move_cancelled")
        target = Path(folder).expanduser().absolute()
        work = self._told(MOVE_JOB, cancelled, lambda: self._locked(lambda: self._move_to(target)))
        await self._jobs.run(MOVE_JOB, work, busy=AppError("hub.cache_busy", pid=os.getpid()), cancelled=cancelled)

    async def _move_to(self, target: Path) -> None:
        await self._finish_tidying()
        source = self.folder
        if not source.is_dir():
            raise AppError("hub.move_nothing", path=str(source))
        found = await self.scan()
        for repo in found.repos.values():
            self._refuse_if_used(repo)
        counter = Counter()
        meter = Meter(self._bus, MOVE_JOB, ("copy", "tidy"), 2 * await asyncio.to_thread(move.bytes_of, source))
        async with meter.ticking(lambda: counter.bytes):
            journal = await stoppable(lambda stop: self._move.copy(source, target, counter.add, stop))
        meter.at_least(counter.bytes)
        meter.begin("tidy")
        journal = self._move.switched(journal)
        try:
            self._settings.change(hub_cache=journal.target)
        except AppError:
            await asyncio.to_thread(self._move.take_back, journal)
            raise
        await asyncio.to_thread(self._move.tidy, journal)

    async def _finish_move(self) -> None:
        """A move that was killed after it had switched only has the old copy to remove."""
        journal = self._move.unfinished()
        if journal is not None and journal.switched and _CHANGE not in self._jobs and MOVE_JOB not in self._jobs:
            try:
                await self._locked(self._finish_tidying)
            except AppError as error:
                if error.code != "hub.cache_busy":
                    raise

    async def _finish_tidying(self) -> None:
        journal = self._move.unfinished()
        if journal is not None and journal.switched:
            self._settings.change(hub_cache=journal.target)
            await asyncio.to_thread(self._move.tidy, journal)

    # ---- common ----------------------------------------------------------------------------------------------------

    def _in_use(self) -> InUse:
        told = [user() for user in self._users]
        nobody: frozenset[str] = frozenset()
        return InUse(nobody.union(*(one.busy for one in told)), nobody.union(*(one.claimed for one in told)))

    async def _find(self, repo_id: str, revision: str) -> tuple[Scan, RepoOnDisk, str]:
        """What the disk says now, the repository, and the commit that `revision` means."""
        found = await self.scan()
        repo = find_repo(found.state, repo_id)
        one = commit_of(repo, revision) if repo is not None else None
        if repo is None or (revision and one is None):
            raise AppError("hub.not_cached", model=f"{repo_id}@{revision}" if revision else repo_id)
        return found, found.repos[repo.repo_id], one.commit if one is not None else ""

    def _refuse_if_used(self, repo: RepoOnDisk) -> None:
        if repo.repo_id in self._in_use().busy or is_repo_held(repo.path):
            raise AppError("hub.cache_in_use", model=repo.repo_id)

    async def _change(self, work: Work[T]) -> T:
        """One change of the cache at a time, over processes; everyone hears what is there afterwards."""
        busy = AppError("hub.cache_busy", pid=os.getpid())
        if MOVE_JOB in self._jobs:
            raise busy
        try:
            return await self._jobs.run(_CHANGE, self._locked(work), busy=busy, cancelled=busy)
        finally:
            await self.look()

    async def _locked(self, work: Work[T]) -> T:
        try:
            with engine_lock(self._paths.state, "hub-cache"):
                return await work()
        except AppError as error:
            if error.code != "engine.busy":
                raise
            raise AppError("hub.cache_busy", pid=error.facts["pid"]) from error

    async def _told(self, job: str, cancelled: AppError, work: Work[T]) -> T:
        """Say how long work ended."""
        error: ErrorInfo | None = None
        try:
            return await work()
        except AppError as failure:
            error = ErrorInfo.of(failure)
            raise
        except asyncio.CancelledError:
            error = ErrorInfo.of(cancelled)
            raise
        finally:
            self._bus.emit(JobDone(job, error))
            if job == MOVE_JOB:
                await self.look()


def find_repo(state: CacheState, repo_id: str) -> CachedRepo | None:
    """By its id; by another spelling of its case when that is the only one."""
    same = [repo for repo in state.repos if repo.repo_id == repo_id]
    alike = [repo for repo in state.repos if repo.repo_id.lower() == repo_id.lower()]
    return same[0] if same else alike[0] if len(alike) == 1 else None


def _revision(state: CacheState, repo_id: str, commit: str) -> CachedRevision:
    repo = find_repo(state, repo_id)
    assert repo is not None
    return next(revision for revision in repo.revisions if revision.commit == commit)


def _folder_as_repo(folder: str) -> RepoOnDisk:
    return RepoOnDisk(folder, folder, False, {}, {}, {}, ())
