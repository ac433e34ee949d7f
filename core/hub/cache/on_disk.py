"""One repository of the cache as it lies on the disk. Reads names and sizes, opens only refs; follows no link out.

Tolerant where huggingface_hub's own scan gives up on the whole repository: links to nothing, refs to commits that are
not there, folders without snapshots.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from core.hub.cache.layout import INCOMPLETE, SHARED, is_sha256, repo_of


@dataclass(frozen=True, slots=True)
class Blob:
    """An entry of `blobs/`. `size` None: a link to nothing. `store`: the shared payload behind it, "" for bytes of its
    own. `ours` False: it leads out of the cache, or its bytes have a second name elsewhere, so that deleting it frees
    nothing."""

    path: str
    etag: str
    size: int | None
    store: str = ""
    ours: bool = True
    modified_ns: int = 0
    used: float = 0.0


@dataclass(frozen=True, slots=True)
class SnapshotFile:
    """A file of a commit. `path` relative to the snapshot; `size` None: nothing is there; `blob` "" for a copy or for a
    link that leads elsewhere; `etag` "" then."""

    path: str
    size: int | None
    blob: str = ""
    etag: str = ""
    copy: bool = False
    modified_ns: int = 0


@dataclass(frozen=True, slots=True)
class Partial:
    """An unfinished file of a download, by whichever tool."""

    path: str
    size: int
    modified: float


@dataclass(frozen=True, slots=True)
class RepoOnDisk:
    """`linked`: the folder itself, or a part of it, is a link to elsewhere: only the link is ever removed."""

    repo_id: str
    path: str
    linked: bool
    blobs: dict[str, Blob]
    snapshots: dict[str, tuple[SnapshotFile, ...]]
    refs: dict[str, tuple[str, ...]]
    partial: tuple[Partial, ...]
    modified: float = 0.0

    def snapshot_path(self, commit: str) -> str:
        return os.path.join(self.path, "snapshots", commit)

    def blobs_of(self, commit: str) -> frozenset[str]:
        """Paths of the entries of `blobs/` that a commit uses."""
        return frozenset(file.blob for file in self.snapshots.get(commit, ()) if file.blob)


def read_repo(folder: Path) -> RepoOnDisk | None:
    """`folder` in an absolute path without links above it; None when it is no repository.

    Raises:
        OSError: the folder cannot be read.
    """
    repo_id = repo_of(folder.name)
    if repo_id is None or not folder.is_dir():
        return None
    path = str(folder)
    parts = ("blobs", "snapshots", "refs")
    linked = folder.is_symlink() or any(os.path.islink(os.path.join(path, part)) for part in parts)
    blobs, partial = _blobs(path, str(folder.parent), linked)
    snapshots_path = os.path.join(path, "snapshots")
    snapshots = {
        entry.name: tuple(_snapshot(entry.path, blobs)) for entry in _entries(snapshots_path) if entry.is_dir()
    }
    return RepoOnDisk(
        repo_id, path, linked, blobs, snapshots, _refs(os.path.join(path, "refs")), partial, folder.stat().st_mtime
    )


def _entries(path: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(path) as found:
            return sorted(found, key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return []


def _blobs(path: str, cache: str, linked: bool) -> tuple[dict[str, Blob], tuple[Partial, ...]]:
    blobs: dict[str, Blob] = {}
    partial: list[Partial] = []
    for entry in _entries(os.path.join(path, "blobs")):
        if entry.name.endswith(INCOMPLETE):
            if entry.is_file(follow_symlinks=False):
                stat = entry.stat(follow_symlinks=False)
                partial.append(Partial(entry.path, stat.st_size, stat.st_mtime))
        elif not entry.name.startswith(".") and not entry.is_dir(follow_symlinks=False):
            blobs[entry.path] = _blob(entry, cache, linked)
    return blobs, tuple(partial)


def _blob(entry: os.DirEntry[str], cache: str, linked: bool) -> Blob:
    store = _store(entry.path, cache) if entry.is_symlink() else ""
    try:
        stat = os.stat(entry.path)
    except OSError:
        return Blob(entry.path, entry.name, None, store, ours=not linked)
    ours = not linked and stat.st_nlink == 1 and (bool(store) or not entry.is_symlink())
    return Blob(entry.path, entry.name, stat.st_size, store, ours, stat.st_mtime_ns, stat.st_atime)


def _store(link: str, cache: str) -> str:
    """The shared payload that a blob links to; "" when it leads anywhere else."""
    target = os.path.normpath(os.path.join(os.path.dirname(link), os.readlink(link)))
    prefix, name = os.path.split(target)
    inside = os.path.dirname(prefix) == os.path.join(cache, SHARED) and os.path.basename(prefix) == name[:2]
    return target if inside and is_sha256(name) and not os.path.islink(target) else ""


def _snapshot(path: str, blobs: dict[str, Blob]) -> Iterator[SnapshotFile]:
    for folder, _, names in os.walk(path):
        for name in sorted(names):
            full = os.path.join(folder, name)
            yield _file(full, os.path.relpath(full, path).replace(os.sep, "/"), blobs)


def _file(full: str, relative: str, blobs: dict[str, Blob]) -> SnapshotFile:
    if not os.path.islink(full):
        stat = os.lstat(full)
        return SnapshotFile(relative, stat.st_size, copy=True, modified_ns=stat.st_mtime_ns)
    hop = os.path.normpath(os.path.join(os.path.dirname(full), os.readlink(full)))
    if blob := blobs.get(hop):
        return SnapshotFile(relative, blob.size, hop, blob.etag, modified_ns=blob.modified_ns)
    try:
        stat = os.stat(full)
    except OSError:
        return SnapshotFile(relative, None)
    return SnapshotFile(relative, stat.st_size, modified_ns=stat.st_mtime_ns)


def _refs(path: str) -> dict[str, tuple[str, ...]]:
    """Names (branches, tags, "refs/pr/1") by commit."""
    found: dict[str, list[str]] = {}
    for folder, _, names in os.walk(path):
        for name in sorted(names):
            full = os.path.join(folder, name)
            try:
                with open(full, encoding="utf-8") as file:
                    commit = file.read(200).strip()
            except (OSError, UnicodeError):
                continue
            found.setdefault(commit, []).append(os.path.relpath(full, path).replace(os.sep, "/"))
    return {commit: tuple(refs) for commit, refs in found.items()}
