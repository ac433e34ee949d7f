"""One worker per engine folder, over processes. The kernel drops the lock when the last holder ends, however it ends;
installer children inherit it, so nobody touches a folder that one of them still writes to."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from core.errors import AppError

if sys.platform != "win32":
    import fcntl


def _path(engines: Path, engine_id: str) -> Path:
    return engines / f".{engine_id}.lock"


def _try_lock(handle: int) -> bool:
    if sys.platform == "win32":
        return True  # no recipe installs on Windows
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _lock_soon(handle: int) -> bool:
    """`is_locked` of another process holds the lock for an instant: that is not somebody at work."""
    for _ in range(3):
        if _try_lock(handle):
            return True
        time.sleep(0.02)
    return False


@contextmanager
def engine_lock(engines: Path, engine_id: str) -> Generator[int]:
    """Hold the lock of one engine; yields the descriptor for children to inherit.

    Raises:
        AppError: `engine.busy` with the holder's pid; `app.data_not_writable` when the folder cannot be written.
    """
    path = _path(engines, engine_id)
    try:
        engines.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        reason = error.strerror or str(error)
        raise AppError("app.data_not_writable", str(error), path=str(engines), reason=reason) from error
    try:
        if not _lock_soon(handle):
            pid = os.pread(handle, 20, 0).decode(errors="replace").strip()
            raise AppError("engine.busy", engine=engine_id, pid=int(pid) if pid.isdigit() else None)
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        yield handle
    finally:
        os.close(handle)


def is_locked(engines: Path, engine_id: str) -> bool:
    try:
        handle = os.open(_path(engines, engine_id), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return not _try_lock(handle)
    finally:
        os.close(handle)
