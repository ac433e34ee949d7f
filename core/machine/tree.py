"""Reads `/proc`, `/sys` and the like below a root, so that a recorded tree of another computer can be read the same
way."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from core.machine.reading import Known, Reading, Unknown, Why, of_error

_CHUNK = 65536
_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0)


@dataclass(frozen=True, slots=True)
class Space:
    """Room on a filesystem in bytes; `free_bytes` is what this user may still write
    (statvfs' `f_bavail`)."""

    total_bytes: int
    free_bytes: int


def space_of(path: str) -> Space:
    """Raises: OSError."""
    usage = shutil.disk_usage(path)
    return Space(usage.total, usage.free)


class Tree:
    """Paths are absolute as on the real system. `space` answers for the room on a filesystem, which no recorded tree
    holds."""

    def __init__(self, root: str | Path = "/", space: Callable[[str], Space] | None = None) -> None:
        self._prefix = str(root).rstrip("/")
        self._space = space if space is not None else space_of

    @property
    def real(self) -> bool:
        """Whether this is the running system itself."""
        return not self._prefix

    def bytes(self, path: str) -> bytes:
        """Raises: OSError."""
        handle = os.open(self._prefix + path, _FLAGS)
        try:
            data = os.read(handle, _CHUNK)
            if len(data) < 4096:
                return data
            parts = [data]
            while data := os.read(handle, _CHUNK):
                parts.append(data)
            return b"".join(parts)
        finally:
            os.close(handle)

    def text(self, path: str) -> Reading[str]:
        """The file's text without surrounding white space and NULs (device-tree files end in one)."""
        try:
            return Known(self.bytes(path).decode("utf-8", "replace").strip(" \t\r\n\0"))
        except OSError as error:
            return of_error(error, path)

    def integer(self, path: str) -> Reading[int]:
        text = self.text(path)
        if isinstance(text, Unknown):
            return text
        try:
            return Known(int(text.value, 0))
        except ValueError:
            return Unknown(Why.IMPOSSIBLE, f"{path}: {text.value[:40]!r}")

    def names(self, path: str) -> list[str]:
        """The sorted names in a folder, none when it cannot be read."""
        try:
            return sorted(os.listdir(self._prefix + path))
        except OSError:
            return []

    def exists(self, path: str) -> bool:
        return os.path.exists(self._prefix + path)

    def link(self, path: str) -> str | None:
        """The text of a symbolic link."""
        try:
            return os.readlink(self._prefix + path)
        except OSError:
            return None

    def resolved(self, path: str) -> str:
        """`path` with symbolic links followed, as seen inside the tree."""
        real = os.path.realpath(self._prefix + path)
        inside = os.path.realpath(self._prefix) if self._prefix else ""
        return real[len(inside) :] or "/" if real.startswith(inside) else real

    def space(self, path: str) -> Reading[Space]:
        try:
            return Known(self._space(path))
        except OSError as error:
            return of_error(error, path)
