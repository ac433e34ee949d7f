"""Hashing the files of a commit against the names that the Hub gave them: sha256 for large files, git's sha1 for small
ones. Reading so does not count as a use of the model."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from core.files import quiet_opener
from core.hub.cache.layout import is_sha1, is_sha256
from core.hub.cache.on_disk import RepoOnDisk
from core.hub.cache.stoppable import Stopped
from core.hub.cache.whole import read_tree
from core.hub.model import Verified

CHUNK_BYTES: Final = 1024**2


@dataclass(frozen=True, slots=True)
class Task:
    """A file to hash: `etag` "" where nothing tells what it must be."""

    path: str
    full: str
    size: int
    etag: str


def tasks_of(repo: RepoOnDisk, commit: str) -> tuple[Task, ...]:
    """The files of a commit that are there."""
    tree = read_tree(repo, commit) or {}
    folder = repo.snapshot_path(commit)
    told = {path: file.etag for path, file in tree.items()}
    return tuple(
        Task(file.path, os.path.join(folder, file.path), file.size, _etag(told.get(file.path, file.etag)))
        for file in repo.snapshots[commit]
        if file.size is not None
    )


def verify(
    repo: RepoOnDisk, commit: str, tasks: tuple[Task, ...], advance: Callable[[int], None], stop: threading.Event
) -> Verified:
    """Blocking. `advance` is called with the bytes of each chunk.

    Raises:
        Stopped: `stop` was set.
        OSError: a file cannot be read.
    """
    damaged: list[str] = []
    hashed = 0
    by_blob: dict[tuple[str, str], bool] = {}
    for task in tasks:
        if not task.etag:
            advance(task.size)
            continue
        key = os.path.realpath(task.full), task.etag
        if key not in by_blob:
            by_blob[key] = hash_of(task.full, task.size, task.etag, advance, stop) == task.etag
            hashed += task.size
        if not by_blob[key]:
            damaged.append(task.path)
    unknown = tuple(task.path for task in tasks if not task.etag)
    return Verified(repo.repo_id, commit, len(tasks) - len(unknown), hashed, tuple(damaged), unknown)


def hash_of(path: str, size: int, like: str, advance: Callable[[int], None], stop: threading.Event) -> str:
    """The hash of a file, of the same kind as `like`.

    Raises:
        Stopped, OSError.
    """
    digest = hashlib.sha256() if is_sha256(like) else hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    with open(path, "rb", buffering=0, opener=quiet_opener) as file:
        buffer = memoryview(bytearray(CHUNK_BYTES))
        while count := file.readinto(buffer):
            if stop.is_set():
                raise Stopped
            digest.update(buffer[:count])
            advance(count)
    return digest.hexdigest()


def _etag(etag: str) -> str:
    return etag if is_sha256(etag) or is_sha1(etag) else ""
