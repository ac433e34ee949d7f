"""What runs, on disk: one small file per launch, so that a later start of the app finds what an earlier one left.

No secret is in it: the API key lives in the guardian's memory and comes back over its socket.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Final

import msgspec

from core.engine.command import LAUNCH_ENV
from core.engine.process_tree import Mark, boot_id, is_same, read_process
from core.files import write_whole

log = logging.getLogger(__name__)

VERSION: Final = 1


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One launch. `guardian_started` is in clock ticks since the boot `boot`; `folder` is the launch's working folder
    and, with `launch_id`, the mark by which its processes are known."""

    launch_id: str
    guardian_pid: int
    guardian_started: int
    boot: str
    server_pid: int
    socket: str
    folder: str
    model: str
    engine: str
    port: int
    version: int = VERSION

    @property
    def mark(self) -> Mark:
        return Mark(LAUNCH_ENV, self.launch_id, self.folder)

    @property
    def guardian_alive(self) -> bool:
        """Whether the very guardian that wrote this lives: number, start time and boot all agree."""
        return self.boot == boot_id() and is_same(self.guardian_pid, self.guardian_started)


class Ledger:
    """The folder of entries. File names are launch ids."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, launch_id: str) -> Path:
        return self._folder / f"{launch_id}.json"

    def write(self, entry: Entry) -> None:
        write_whole(self.path(entry.launch_id), msgspec.json.encode(entry))

    def remove(self, launch_id: str) -> None:
        self.path(launch_id).unlink(missing_ok=True)

    def models(self) -> frozenset[str]:
        """The ids of the models that living servers serve."""
        return frozenset(entry.model for entry in self.entries() if entry.guardian_alive)

    def engines(self) -> frozenset[str]:
        """The ids of the engines that living servers run on, whoever started them."""
        return frozenset(entry.engine for entry in self.entries() if entry.guardian_alive)

    def entries(self) -> list[Entry]:
        """All that can be read, oldest first; a broken file is removed (the processes it named are found by nobody, but
        their guardian still ends them when its owner is gone)."""
        found: list[tuple[float, Entry]] = []
        for path in self._folder.glob("*.json"):
            try:
                found.append((path.stat().st_mtime, msgspec.json.decode(path.read_bytes(), type=Entry)))
            except FileNotFoundError:
                continue
            except (OSError, msgspec.MsgspecError) as error:
                log.warning("ledger: %s is not readable and goes: %s", path.name, error)
                path.unlink(missing_ok=True)
        return [entry for _, entry in sorted(found, key=lambda item: item[0])]


def started(pid: int) -> int:
    """Start time of a process in clock ticks since boot, 0 when it is gone."""
    process = read_process(pid)
    return process.started if process is not None else 0
