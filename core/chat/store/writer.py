"""Which process writes an answer, so that one that died is told from one that lives."""

from __future__ import annotations

import functools
import os


@functools.cache
def _began(pid: int) -> float:
    import psutil

    return psutil.Process(pid).create_time()


def me() -> str:
    """This process. Its start is part of the name: the pid of a dead one may be given out again."""
    return f"{os.getpid()}:{_began(os.getpid()):.2f}"


def lives(writer: str) -> bool:
    import psutil

    pid, _, began = writer.partition(":")
    try:
        return f"{psutil.Process(int(pid)).create_time():.2f}" == began
    except (psutil.Error, ValueError):
        return False
