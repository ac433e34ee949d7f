"""What was asked for, on disk: one small file per download, so that the queue survives the app and the computer.

No secret is in it. Each names its owner, the process that works on it: what a dead one left is taken over by the next.
"""

from __future__ import annotations

import logging
import os
import re
import time
from pathlib import Path
from typing import Any, Final

import msgspec

from core.engine.ledger import started
from core.engine.process_tree import boot_id, is_same
from core.files import write_whole
from core.hub.model import HubFile

log = logging.getLogger(__name__)

VERSION: Final = 1


class Running(msgspec.Struct, frozen=True):
    """A process, by number, start time in clock ticks and boot, so that a number used again is not taken for it."""

    pid: int
    started: int
    boot: str

    @property
    def alive(self) -> bool:
        return self.boot == boot_id() and is_same(self.pid, self.started)

    @classmethod
    def of(cls, pid: int) -> Running:
        return cls(pid, started(pid), boot_id())


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """One download. `ref` is the branch or tag asked for, "" for a commit; `had` the blobs that were there before it,
    which a cancel leaves; `had_snapshot`: the commit's folder was. `number` orders the queue. `paused` by the user.
    `guest`: another Stowage fetches the same and owns the file of the job."""

    repo_id: str
    commit: str
    ref: str
    cache: str
    files: tuple[HubFile, ...]
    had: frozenset[str]
    had_snapshot: bool
    tree: dict[str, Any] | None = None
    launch_after: bool = False
    paused: bool = False
    number: int = msgspec.field(default_factory=time.time_ns)
    owner: Running | None = None
    worker: Running | None = None
    guest: bool = False
    version: int = VERSION

    @property
    def key(self) -> str:
        return f"{self.repo_id}@{self.commit}"

    @property
    def total_bytes(self) -> int:
        return sum(file.size for file in self.files)


class JobStore:
    """The folder of jobs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write(self, job: Job) -> None:
        """Raises: OSError."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(self._path(job.repo_id, job.commit), msgspec.json.encode(job))

    def remove(self, job: Job) -> None:
        self._path(job.repo_id, job.commit).unlink(missing_ok=True)

    def find(self, repo_id: str, commit: str) -> Job | None:
        return _read(self._path(repo_id, commit))

    def all(self) -> list[Job]:
        """In the order of the queue; what cannot be read is left out and said in the log."""
        found = [job for path in self._folder.glob("*.json") if (job := _read(path)) is not None]
        return sorted(found, key=lambda job: job.number)

    def _path(self, repo_id: str, commit: str) -> Path:
        return self._folder / f"{re.sub(r'[^A-Za-z0-9.-]', '--', repo_id)}@{commit}.json"


def _read(path: Path) -> Job | None:
    try:
        job = msgspec.json.decode(path.read_bytes(), type=Job)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError) as error:
        log.warning("download %s is not readable: %s", path.name, error)
        return None
    return job if job.version == VERSION else None


def ourselves() -> Running:
    return Running.of(os.getpid())
