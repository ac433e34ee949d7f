"""What of a download lies on the disk, and taking it away again. Blocking: for a thread."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

from core.hub.cache.layout import INCOMPLETE, LOCKS, folder_of
from core.hub.cache.locks import is_held
from core.hub.download.job import Job
from core.hub.model import HubFile


def present_bytes(cache: str, repo_id: str, files: Iterable[HubFile]) -> int:
    """Of the bytes of `files`, those that need not be fetched."""
    blobs = Path(cache, folder_of(repo_id), "blobs")
    total = 0
    for file in files:
        whole, part = _size(blobs / file.etag), _size(blobs / f"{file.etag}{INCOMPLETE}")
        total += file.size if whole == file.size else part if part is not None and part <= file.size else 0
    return total


def whole_blobs(cache: str, repo_id: str, files: Iterable[HubFile]) -> frozenset[str]:
    """Names of the blobs that are there."""
    blobs = Path(cache, folder_of(repo_id), "blobs")
    return frozenset(file.etag for file in files if _size(blobs / file.etag) == file.size)


def has_snapshot(cache: str, repo_id: str, commit: str) -> bool:
    return Path(cache, folder_of(repo_id), "snapshots", commit).is_dir()


def remove_fetched(job: Job, keep: frozenset[str] = frozenset()) -> int:
    """Take away what a download brought: its unfinished files, its blobs unless another commit shows them, its links,
    and folders that are empty then. What was there before stays, and so does what another process works on, and the
    blobs named in `keep`, finished or not. Returns the bytes freed.

    Raises:
        OSError: the folder is not writable.
    """
    repo = Path(job.cache, folder_of(job.repo_id))
    snapshot = repo / "snapshots" / job.commit
    shown_elsewhere = _shown_elsewhere(repo, job.commit)
    freed = 0
    for file in job.files:
        if file.etag in job.had | keep:
            continue
        lock = Path(job.cache, LOCKS, repo.name, f"{file.etag}.lock")
        part = repo / "blobs" / f"{file.etag}{INCOMPLETE}"
        if is_held(str(lock)) or is_held(str(part)):
            continue
        freed += _unlink(part) + sum(_unlink(left) for left in part.parent.glob(f"{file.etag}.*{INCOMPLETE}"))
        if file.etag not in shown_elsewhere:
            freed += _unlink(repo / "blobs" / file.etag)
        _unlink(lock)
    if snapshot.is_dir():
        _unlink_links(snapshot, job)
    for folder in (repo / "snapshots", repo / "blobs", repo / "trees", repo, Path(job.cache, LOCKS, repo.name)):
        with contextlib.suppress(OSError):  # not empty, or not there
            folder.rmdir()
    return freed


def _unlink_links(snapshot: Path, job: Job) -> None:
    """Links that lead to nothing now; all of them where the folder is ours."""
    for name in (file.path for file in job.files):
        path = snapshot / name
        if path.is_symlink() and (not job.had_snapshot or not path.exists()):
            path.unlink()
    for folder, _, _ in os.walk(snapshot, topdown=False):
        with contextlib.suppress(OSError):
            os.rmdir(folder)


def _shown_elsewhere(repo: Path, commit: str) -> frozenset[str]:
    """Names of the blobs that other commits link to."""
    found: set[str] = set()
    for folder, _, names in os.walk(repo / "snapshots"):
        if Path(folder).relative_to(repo).parts[1:2] == (commit,):
            continue
        for name in names:
            path = os.path.join(folder, name)
            if os.path.islink(path):
                found.add(os.path.basename(os.readlink(path)))
    return frozenset(found)


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


def _unlink(path: Path) -> int:
    try:
        size = path.lstat().st_size
        path.unlink()
    except (FileNotFoundError, NotADirectoryError):
        return 0
    return size
