"""A real cgroup with a limit of memory, where this user may make one."""

from __future__ import annotations

import os
import re
from pathlib import Path


def own_cgroup(version: int) -> Path | None:
    """The folder of the memory cgroup that this process is in; None where the system has no such hierarchy."""
    text = Path("/proc/self/cgroup").read_text("ascii")
    pattern = r"^\d+:memory:(.*)$" if version == 1 else r"^0::(.*)$"
    match = re.search(pattern, text, re.MULTILINE)
    root = Path("/sys/fs/cgroup/memory" if version == 1 else "/sys/fs/cgroup")
    return root / match[1].lstrip("/") if match is not None else None


def small_cgroup(limit_bytes: int) -> Path | None:
    """A new one below our own, None where this user may not make one."""
    for version in (1, 2):
        own = own_cgroup(version)
        if own is None:
            continue
        folder = own / f"stowage-test-{os.getpid()}"
        try:
            folder.mkdir()
        except OSError:
            continue
        try:
            name = "memory.limit_in_bytes" if version == 1 else "memory.max"
            (folder / name).write_text(str(limit_bytes), "ascii")
        except OSError:
            folder.rmdir()
            continue
        return folder
    return None


def move_here(folder: Path) -> None:
    """This process, its threads and the children that it starts from now on. What it has allocated stays where it is.

    Raises:
        OSError: it may not.
    """
    (folder / "cgroup.procs").write_text(str(os.getpid()), "ascii")
