"""What Stowage itself remembers of the cache, in its own folder: when a model was last launched, and what the last full
hash found. Losing either costs nothing but that knowledge."""

from __future__ import annotations

import datetime
import logging
import time
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from core.files import write_whole
from core.hub.cache.on_disk import SnapshotFile
from core.hub.model import Verified

log = logging.getLogger(__name__)

T = TypeVar("T")

_KEPT: Final = 500
# Of a file when it was hashed: size, time of the last change in ns, whether it was as it should be.
_Stamp = tuple[int, int, bool]


class Hashed(msgspec.Struct, frozen=True):
    """One commit, file by file."""

    at: str
    files: dict[str, _Stamp]


class Uses:
    """When a repository was last launched by us, in Unix seconds."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "model-uses.json"

    def all(self) -> dict[str, float]:
        return _read(self._path, dict[str, float]) or {}

    def mark(self, repo_id: str) -> None:
        uses = self.all() | {repo_id: time.time()}
        newest = sorted(uses.items(), key=lambda item: item[1])[-_KEPT:]
        _write(self._path, dict(newest))


class Hashes:
    """The last full hash of each commit. It counts only for files that did not change since."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "model-hashes.json"

    def all(self) -> dict[str, Hashed]:
        return _read(self._path, dict[str, Hashed]) or {}

    def keep(self, found: Verified, files: tuple[SnapshotFile, ...]) -> None:
        stamps = {file.path: (file.size or 0, file.modified_ns, file.path not in found.damaged) for file in files}
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        known = self.all()
        known.pop(_key(found.repo_id, found.commit), None)
        known[_key(found.repo_id, found.commit)] = Hashed(now, stamps)
        _write(self._path, dict(list(known.items())[-_KEPT:]))


def looked_up(
    known: dict[str, Hashed], repo_id: str, commit: str, files: tuple[SnapshotFile, ...]
) -> tuple[str, tuple[str, ...]]:
    """When this commit was hashed, as it is now ("" when it was not, or has changed since), and its damaged files."""
    hashed = known.get(_key(repo_id, commit))
    if hashed is None:
        return "", ()
    same = {
        file.path: stamp
        for file in files
        if (stamp := hashed.files.get(file.path)) is not None and stamp[:2] == (file.size or 0, file.modified_ns)
    }
    damaged = tuple(path for path, stamp in same.items() if not stamp[2])
    return (hashed.at if len(same) == len(files) else ""), damaged


def _key(repo_id: str, commit: str) -> str:
    return f"{repo_id}@{commit}"


def _read(path: Path, kind: type[T]) -> T | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError, UnicodeError) as error:
        log.warning("%s is not used: %s", path, error)
        return None


def _write(path: Path, value: object) -> None:
    try:
        write_whole(path, msgspec.json.encode(value))
    except OSError as error:
        log.warning("%s is not written: %s", path, error)
