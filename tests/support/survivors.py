"""Which processes a test left behind: our own descendants, and orphans that still carry the test's folder.

A process that renames itself overwrites its environment and its command line, so its working folder counts too.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import psutil

# pytest-xdist's and the resource tracker's processes live as long as the run.
_OF_THE_RUNNER = ("multiprocessing.resource_tracker", "multiprocessing.forkserver")


def descendants() -> set[tuple[int, float]]:
    """(pid, start time) of every process below this one that lives, or that ended and that we never waited for."""
    me = psutil.Process()
    return {
        (child.pid, child.create_time())
        for child in me.children(recursive=True)
        if (_alive(child) or _unreaped(child, me.pid)) and not _belongs_to_runner(child)
    }


def orphans_of(folder: Path) -> set[tuple[int, float]]:
    """Living processes of anybody's that work in `folder` or name it in their command line or environment."""
    mark = str(folder)
    found: set[tuple[int, float]] = set()
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and _alive(process) and _carries(process, mark):
                found.add((process.pid, process.create_time()))
        except psutil.Error:
            continue
    return found


def wait_until_gone(folder: Path, allowed: set[tuple[int, float]], deadline_s: float) -> list[str]:
    """What is still alive after at most `deadline_s`, described; empty as soon as nothing is."""
    end = time.monotonic() + deadline_s
    while True:
        left = (descendants() | orphans_of(folder)) - allowed
        if not left or time.monotonic() > end:
            return [described for pid, started in sorted(left) if (described := _describe(pid, started))]
        time.sleep(0.05)


def reap() -> bool:
    """Wait for those of our children that have ended; whether there was one.

    For a test in which one process is two apps after each other: what the first one left running is a child of this
    process still, while a real first app is gone and its child is nobody's to wait for.
    """
    me = psutil.Process()
    ended = [child.pid for child in me.children() if _unreaped(child, me.pid)]
    for pid in ended:
        os.waitpid(pid, 0)
    return bool(ended)


def end(folder: Path, allowed: set[tuple[int, float]]) -> None:
    """Kill what a failed test left, so that it cannot disturb the next one."""
    for pid, started in (descendants() | orphans_of(folder)) - allowed:
        try:
            process = psutil.Process(pid)
            if process.create_time() == started:
                process.kill()
        except psutil.Error:
            continue


def _carries(process: psutil.Process, mark: str) -> bool:
    def holds(text: str) -> bool:
        return text == mark or f"{mark}/" in text or text.endswith(mark)

    if holds(process.cwd()) or any(holds(argument) for argument in process.cmdline()):
        return True
    return any(holds(value) for value in process.environ().values())


def _alive(process: psutil.Process) -> bool:
    try:
        return process.status() not in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
    except psutil.Error:
        return False


def _unreaped(process: psutil.Process, parent: int) -> bool:
    """Of other programs' children those programs may not have heard yet; ours stay until the run ends."""
    try:
        return process.status() == psutil.STATUS_ZOMBIE and process.ppid() == parent
    except psutil.Error:
        return False


def _belongs_to_runner(process: psutil.Process) -> bool:
    try:
        return any(part in " ".join(process.cmdline()) for part in _OF_THE_RUNNER)
    except psutil.Error:
        return False


def _describe(pid: int, started: float) -> str:
    try:
        process = psutil.Process(pid)
        if process.create_time() != started:
            return ""
        if process.status() == psutil.STATUS_ZOMBIE:
            return f"{pid} {process.name()}: ended, but nobody waited for it"
        return f"{pid} {process.name()}: {' '.join(process.cmdline())[:200]}"
    except psutil.Error:
        return ""
