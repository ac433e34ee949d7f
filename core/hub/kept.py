"""Answers kept on disk for a while: one small file each, the oldest thrown away. Losing one costs a request."""

from __future__ import annotations

import hashlib
import logging
import os
import time
from pathlib import Path
from typing import Final

import msgspec

from core.files import write_whole

log = logging.getLogger(__name__)

_ENDING: Final = ".json"


class Kept:
    """Owner of a folder. Methods do file work and never raise for it: a cache that cannot be written is none.

    Args:
        most: files to keep; those written last stay.
    """

    def __init__(self, folder: Path, most: int) -> None:
        self._folder = folder
        self._most = most
        self._written = 0

    def get(self, key: str) -> tuple[bytes, float] | None:
        """What was kept under `key` and its age in seconds."""
        path = self._path(key)
        try:
            data, changed = path.read_bytes(), path.stat().st_mtime
        except OSError:
            return None
        return (data, max(0.0, time.time() - changed)) if data else None

    def put(self, key: str, value: object) -> None:
        path = self._path(key)
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(path, msgspec.json.encode(value), durable=False)
        except OSError as error:
            log.info("not kept: %s", error)
            return
        self._written += 1
        if self._written % 50 == 1:
            self._thin_out()

    def _path(self, key: str) -> Path:
        return self._folder / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}{_ENDING}"

    def _thin_out(self) -> None:
        try:
            with os.scandir(self._folder) as entries:
                files = [(entry.stat().st_mtime, entry.path) for entry in entries if entry.name.endswith(_ENDING)]
        except OSError:
            return
        for _, path in sorted(files, reverse=True)[self._most :]:
            Path(path).unlink(missing_ok=True)
