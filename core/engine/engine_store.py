"""Which engines there are: the records on disk, and the folders that go with them. No process is started here."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import logging
import shutil
import time
from pathlib import Path
from typing import Final

from core.engine import manifest, own_engine
from core.engine.manifest import FILE_NAME, Manifest
from core.errors import AppError
from core.paths import Paths
from core.settings import SettingsStore

log = logging.getLogger(__name__)

_TRASH: Final = ".removed-"


def own_id(kept: str) -> str:
    """The id of a user's engine: of its path, so that it survives a restart."""
    return "own-" + hashlib.sha256(kept.encode()).hexdigest()[:8]


class EngineStore:
    """Reads and writes the records of whole engines; deletes folders so that half of one never looks whole."""

    def __init__(self, paths: Paths, settings: SettingsStore) -> None:
        self.engines = paths.engines
        self._own_records = paths.state / "own_engines"
        self._settings = settings

    def folder(self, engine_id: str) -> Path:
        return self.engines / engine_id

    def ours(self, engine_id: str) -> Manifest | None:
        """The record of an engine in our folder, None when it is not whole."""
        record = manifest.read(self.folder(engine_id) / FILE_NAME)
        return record if record is not None and record.id == engine_id else None

    def own(self, kept: str) -> Manifest:
        """The record of a user's engine, which may not have been checked yet."""
        return manifest.read(self._path(own_id(kept), kept)) or own_engine.unchecked(own_id(kept), kept)

    def all(self) -> list[Manifest]:
        """Every whole engine of ours and every one of the user's, newest first."""
        names = sorted(path.parent.name for path in self.engines.glob(f"[!.]*/{FILE_NAME}"))
        records = [record for name in names if (record := self.ours(name)) is not None]
        records += [self.own(kept) for kept in self._settings.current.own_engines]
        return sorted(records, key=lambda record: record.installed_at, reverse=True)

    def get(self, engine_id: str) -> Manifest:
        """Raises: AppError: `engine.unknown`."""
        records = self.all()
        for record in records:
            if record.id == engine_id:
                return record
        known = ", ".join(record.id for record in records) or None
        raise AppError("engine.unknown", engine=engine_id, known=known)

    def write(self, record: Manifest) -> None:
        """Raises: AppError: `app.data_not_writable`, `install.disk_full`."""
        path = self._path(record.id, record.own_path)
        try:
            manifest.write(path, record)
        except OSError as error:
            raise system_error(error, path.parent, "verify") from error

    def forget(self, record: Manifest) -> None:
        """Drop a user's engine from what is remembered; their files are not looked at."""
        left = tuple(own for own in self._settings.current.own_engines if own != record.own_path)
        self._settings.change(own_engines=left)
        self._path(record.id, record.own_path).unlink(missing_ok=True)

    async def delete(self, engine_id: str) -> None:
        """By a rename first: whatever happens after it, no half-deleted engine carries the engine's name.

        Raises:
            AppError: `app.data_not_writable`.
        """
        folder = self.folder(engine_id)
        if not folder.exists():
            return
        doomed = folder.with_name(f"{_TRASH}{folder.name}-{time.time_ns()}")
        try:
            folder.rename(doomed)
        except OSError as error:
            raise system_error(error, self.engines, "remove") from error
        await asyncio.to_thread(shutil.rmtree, doomed, True)

    async def discard_unfinished(self, engine_id: str) -> None:
        """Delete a folder without a record. A failure is logged: the next install of the engine tries again."""
        if self.ours(engine_id) is None:
            try:
                await self.delete(engine_id)
            except AppError as error:
                log.warning("what is left of %s cannot be deleted: %s", engine_id, error)

    async def empty_trash(self) -> None:
        """Finish deletions that a crash cut short."""
        for doomed in self.engines.glob(f"{_TRASH}*"):
            await asyncio.to_thread(shutil.rmtree, doomed, True)

    def _path(self, engine_id: str, own_path: str) -> Path:
        return self._own_records / f"{engine_id}.json" if own_path else self.folder(engine_id) / FILE_NAME


def system_error(error: OSError, folder: Path, step: str) -> AppError:
    """A refusal of the operating system in the product's terms."""
    reason = error.strerror or str(error)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        free = shutil.disk_usage(folder).free
        return AppError("install.disk_full", str(error), path=str(folder), needed_bytes=None, free_bytes=free)
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST):
        return AppError("app.data_not_writable", str(error), path=str(folder), reason=reason)
    return AppError("install.failed", repr(error), step=step, reason=reason)
