"""Ending what a crash left, when no guardian is there to do it. Never by name: only what carries the launch's mark."""

from __future__ import annotations

import asyncio
import shutil
import signal
import time
from typing import Final

from core.engine.process_tree import Mark, Process, descendants, marked, send_signal

_LOOK_S: Final = 0.1
TERM_S: Final = 3.0
GIVE_UP_S: Final = 15.0


async def sweep(mark: Mark, *, term_s: float = TERM_S, give_up_s: float = GIVE_UP_S) -> list[int]:
    """TERM, then KILL, to every process that carries `mark` and to all below them; then remove the launch's folder.

    Returns:
        The pids that were still there after `give_up_s` (empty: all gone).
    """
    began = time.monotonic()
    first = True
    while left := await asyncio.to_thread(_with_descendants, mark):
        waited = time.monotonic() - began
        if waited >= give_up_s:
            return [process.pid for process in left]
        if first or waited >= term_s:
            send_signal(left, signal.SIGTERM if first else signal.SIGKILL)
        first = False
        await asyncio.sleep(_LOOK_S)
    shutil.rmtree(mark.folder, ignore_errors=True)
    return []


def _with_descendants(mark: Mark) -> list[Process]:
    found = {process.pid: process for process in marked(mark)}
    for pid in tuple(found):
        found |= {process.pid: process for process in descendants(pid)}
    return list(found.values())
