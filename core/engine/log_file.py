"""The server's log on disk: rotating, private, and never a reason for the server to stop."""

from __future__ import annotations

import os
from io import FileIO
from pathlib import Path
from typing import Final

ROTATE_BYTES: Final = 8 * 1024 * 1024
OLDER: Final = 2


class RotatingFile:
    """Appends to `path`; at `limit` bytes it becomes `path.1`, the one before `path.2`, and older ones go.

    A disk that refuses (full, gone) turns it silent: `broken` then holds the reason.
    """

    def __init__(self, path: Path, limit: int = ROTATE_BYTES, older: int = OLDER) -> None:
        self._path = path
        self._limit = limit
        self._older = older
        self._file: FileIO | None = None
        self._size = 0
        self.broken: str | None = None

    def write(self, data: bytes) -> None:
        if self.broken is not None:
            return
        try:
            if self._file is not None and self._size + len(data) > self._limit:
                self._rotate(self._file)
            if self._file is None:
                self._file = self._open()
            self._file.write(data)
            self._size += len(data)
        except OSError as error:
            self.broken = str(error)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _open(self) -> FileIO:
        handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._size = os.fstat(handle).st_size
        return FileIO(handle, "ab")

    def _rotate(self, full: FileIO) -> None:
        full.close()
        self._file = None
        for number in range(self._older, 0, -1):
            newer = self._path if number == 1 else self._numbered(number - 1)
            if newer.exists():
                newer.replace(self._numbered(number))

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}")
