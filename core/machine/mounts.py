"""Which filesystem a path lies on, from `/proc/self/mountinfo` (proc_pid_mountinfo(5))."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.machine.reading import Known
from core.machine.tree import Tree

_OCTAL = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True, slots=True)
class Mount:
    """`device` is "major:minor" of what `stat` gives for files on it; `root` the folder of the filesystem shown at
    `point`."""

    point: str
    device: str
    root: str
    filesystem: str
    source: str
    options: tuple[str, ...]


def read_mounts(tree: Tree) -> tuple[Mount, ...]:
    """All mounts in the order they were made; none where the system has no mountinfo."""
    text = tree.text("/proc/self/mountinfo")
    if not isinstance(text, Known):
        return ()
    return tuple(mount for line in text.value.splitlines() if (mount := _parse(line)) is not None)


def _parse(line: str) -> Mount | None:
    left, separator, right = line.partition(" - ")
    fields, tail = left.split(" "), right.split(" ")
    if not separator or len(fields) < 6 or len(tail) < 2:
        return None
    options = (*fields[5].split(","), *(tail[2].split(",") if len(tail) > 2 else ()))
    return Mount(_plain(fields[4]), fields[2], _plain(fields[3]), tail[0], _plain(tail[1]), options)


def _plain(text: str) -> str:
    """Spaces, tabs and backslashes stand as octal escapes."""
    return _OCTAL.sub(lambda match: chr(int(match[1], 8)), text)


def mount_of(path: str, mounts: tuple[Mount, ...]) -> Mount | None:
    """The mount that `path` (absolute, links resolved) lies on: the longest mount point above it; of two on the same
    point the later hides the earlier."""
    best: Mount | None = None
    for mount in mounts:
        point = mount.point.rstrip("/")
        if (path == point or path.startswith(point + "/") or not point) and (
            best is None or len(mount.point) >= len(best.point)
        ):
            best = mount
    return best
