"""Who is alive, from `/proc`. Standard library only: the guardian uses it too.

A process is named by its number *and* its start time, because numbers are used again. A zombie holds nothing but its
exit status and does not count, with two twists (both seen with vLLM 0.32 after a SIGKILL of its API server): one whose
main thread alone has ended looks like a zombie and still runs, and one may have living children.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_TICKS_PER_S = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


@dataclass(frozen=True, slots=True)
class Process:
    """One process. `started` is in clock ticks since boot, `cpu_s` its own user + system time in seconds; `alive` is
    False for a zombie."""

    pid: int
    parent: int
    group: int
    session: int
    started: int
    cpu_s: float
    name: str
    alive: bool


@dataclass(frozen=True, slots=True)
class Mark:
    """What every process of one launch carries: the launch id in its environment, and the launch's own folder as its
    working folder. Two marks, since a process that renames itself (vLLM's children do) overwrites its environment."""

    env_name: str
    launch_id: str
    folder: str


def read_process(pid: int) -> Process | None:
    """The process, or None when there is none or only its zombie."""
    process = _read(pid)
    return process if process is not None and process.alive else None


def all_processes() -> Iterator[Process]:
    return (process for process in _everything() if process.alive)


def descendants(root: int) -> list[Process]:
    """Every living process below `root`, without it. Complete where `root` is a subreaper."""
    children: dict[int, list[Process]] = {}
    for process in _everything():
        children.setdefault(process.parent, []).append(process)
    found: list[Process] = []
    waiting = [root]
    while waiting:
        below = children.pop(waiting.pop(), [])
        found += below
        waiting += [process.pid for process in below]
    return [process for process in found if process.alive]


def marked(mark: Mark) -> list[Process]:
    """Every living process of this user that carries the mark, whatever its parent, group or session is now."""
    needle = f"{mark.env_name}={mark.launch_id}".encode()
    own = os.getuid()
    found: list[Process] = []
    for process in all_processes():
        folder = _PROC / str(process.pid)
        try:
            if folder.stat().st_uid != own:
                continue
            ours = os.readlink(folder / "cwd").removesuffix(" (deleted)") == mark.folder
            ours = ours or needle in (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if ours and process.pid != os.getpid():
            found.append(process)
    return found


def is_same(pid: int, started: int) -> bool:
    """Whether the process `pid` still is the one that began at `started`."""
    process = read_process(pid)
    return process is not None and process.started == started


def send_signal(processes: Iterable[Process], number: signal.Signals) -> None:
    """Signal each, but never one that took over the number of another in the meantime."""
    for process in processes:
        try:
            handle = os.pidfd_open(process.pid)
        except OSError:
            continue
        try:
            if is_same(process.pid, process.started):
                signal.pidfd_send_signal(handle, number)
        except OSError:
            pass
        finally:
            os.close(handle)


def boot_id() -> str:
    """Start times are only comparable within one boot."""
    try:
        return (_PROC / "sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return ""


def _everything() -> Iterator[Process]:
    for entry in os.listdir(_PROC):
        if entry.isdigit() and (process := _read(int(entry))) is not None:
            yield process


def _read(pid: int) -> Process | None:
    try:
        text = (_PROC / str(pid) / "stat").read_text("utf-8", "replace")
    except OSError:
        return None
    # The name stands in parentheses and may itself hold spaces and parentheses.
    name = text[text.index("(") + 1 : text.rindex(")")]
    fields = text[text.rindex(")") + 2 :].split()
    cpu_s = (int(fields[11]) + int(fields[12])) / _TICKS_PER_S
    alive = fields[0] not in "ZXx" or int(fields[17]) > 1
    return Process(pid, int(fields[1]), int(fields[2]), int(fields[3]), int(fields[19]), cpu_s, name, alive)
