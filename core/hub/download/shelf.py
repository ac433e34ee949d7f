"""The jobs as they lie on the disk: remembered, taken over from the dead, taken away with all they fetched."""

from __future__ import annotations

import asyncio
import logging
import signal
from pathlib import Path
from typing import Any, Final

import msgspec

from core.engine.process_tree import read_process, send_signal
from core.errors import AppError
from core.hub.download import on_disk
from core.hub.download.entry import Entry
from core.hub.download.job import Job, JobStore, ourselves
from core.hub.download.wanted import Wanted
from core.hub.download.worker.fetch import free_bytes

log = logging.getLogger(__name__)

_SPARE_BYTES: Final = 64 << 20
"""Left free beside what is fetched; of a small disk a hundredth."""


class Shelf:
    """Owner of the job files."""

    def __init__(self, folder: Path) -> None:
        self._store = JobStore(folder)

    def left_behind(self) -> list[Job]:
        """Blocking. Jobs whose owner is gone, in the order of the queue."""
        return [job for job in self._store.all() if not _owned_by_another(job)]

    def new_job(self, wanted: Wanted, cache: str, launch_after: bool) -> Job:
        """Blocking. A job for what is wanted; where one of it was left behind, with what that one had found."""
        old = self._store.find(wanted.repo_id, wanted.commit)
        if old is not None and not _owned_by_another(old):
            end_worker(old)
        ours = old is None or not _owned_by_another(old)
        if old is None:
            had = on_disk.whole_blobs(cache, wanted.repo_id, wanted.files)
            had_snapshot = on_disk.has_snapshot(cache, wanted.repo_id, wanted.commit)
        else:
            had, had_snapshot = old.had, old.had_snapshot
        return Job(
            repo_id=wanted.repo_id,
            commit=wanted.commit,
            ref=wanted.ref,
            cache=cache,
            files=wanted.files,
            had=had,
            had_snapshot=had_snapshot,
            tree=wanted.tree,
            launch_after=launch_after,
            guest=not ours,
        )

    def keep(self, entry: Entry, **changes: Any) -> None:
        """Change the entry's job and write it. A disk that refuses costs the memory of it, not the download."""
        entry.job = msgspec.structs.replace(entry.job, **changes)
        if entry.job.guest:
            return
        try:
            self._store.write(entry.job)
        except OSError as error:
            log.warning("the download %s is not remembered: %s", entry.key, error)

    def forget(self, job: Job) -> None:
        if not job.guest:
            self._store.remove(job)

    async def remove_fetched(self, job: Job, keep: frozenset[str] = frozenset()) -> None:
        """Of a guest's job nothing: another Stowage fetches the same. Raises `AppError` `download.not_writable`."""
        if job.guest:
            return
        try:
            freed = await asyncio.to_thread(on_disk.remove_fetched, job, keep)
        except OSError as error:
            reason = error.strerror or str(error)
            raise AppError("download.not_writable", repr(error), path=error.filename, reason=reason) from error
        log.info("%s removed, %d bytes freed", job.key, freed)


def check_space(job: Job, others_bytes: int) -> int:
    """Blocking. Whether the rest of `job` goes onto the disk beside `others_bytes`. Returns the bytes that are there.

    Raises:
        AppError: `download.disk_full`.
    """
    folder = Path(job.cache)
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    free = free_bytes(str(folder))
    present = on_disk.present_bytes(job.cache, job.repo_id, job.files)
    needed = job.total_bytes - present
    if needed and needed + others_bytes + min(_SPARE_BYTES, free // 100) > free:
        raise AppError(
            "download.disk_full", repo=job.repo_id, path=job.cache, needed_bytes=needed + others_bytes, free_bytes=free
        )
    return present


def end_worker(job: Job) -> None:
    """Blocking. End a worker whose app is gone: this one goes on where it was."""
    if job.worker is not None and job.worker.alive and (process := read_process(job.worker.pid)) is not None:
        send_signal([process], signal.SIGKILL)


def _owned_by_another(job: Job) -> bool:
    return job.owner is not None and job.owner != ourselves() and job.owner.alive
