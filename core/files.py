"""Writing a file so that its name always means a whole one."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_whole(path: Path, data: bytes, *, mode: int = 0o600, durable: bool = True) -> None:
    """Write `data` under a temporary name in the same folder, flush it to the disk, then give it its name.

    Args:
        durable: False for what can be had again: no waiting for the disk, and after a power cut it may be damaged.

    Raises:
        OSError: the disk is full or the folder is not writable; the old file is then untouched.
    """
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    if durable:
        sync_folder(path.parent)


def quiet_opener(path: str, flags: int) -> int:
    """For `open(..., opener=)`: reading does not count as a use of the file, where the system lets its owner ask so."""
    try:
        return os.open(path, flags | getattr(os, "O_NOATIME", 0))
    except PermissionError:
        return os.open(path, flags)


def sync_folder(folder: Path) -> None:
    """Make a rename in `folder` survive a power cut, where the system lets a folder be synced."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
