"""A JSON object in a file of the user's: versioned, written whole, with one backup, and never fatal."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from core.errors import AppError
from core.files import write_whole

log = logging.getLogger(__name__)

T = TypeVar("T")
# A pure step from version n to n + 1, applied to the raw object before it is checked.
Migration = Callable[[dict[str, Any]], dict[str, Any]]


class VersionedFile:
    """Owner of the file. A file that cannot be read is set aside and reported in `problems`, and the backup is used;
    one that a later Stowage wrote is used as far as it is understood and never overwritten.

    `area` names the codes: "<area>.corrupt", ".newer", ".not_saved".
    """

    def __init__(self, path: Path, area: str, version: int, migrations: Mapping[int, Migration]) -> None:
        self._path = path
        self._backup = path.with_suffix(".backup.json")
        self._area = area
        self._version = version
        self._migrations = migrations
        self._newer = False
        self._stamp: tuple[int, int, int] | None = None
        self.problems: list[AppError] = []

    def load(self, accept: Callable[[dict[str, Any]], T]) -> T | None:
        """What `accept` makes of the object, whose version is the present one by then; None where there is no file
        that can be read. `accept` may raise msgspec's errors, TypeError and KeyError for a damaged one."""
        self._newer = False
        self._stamp = self._now()
        for path in (self._path, self._backup):
            try:
                data = path.read_bytes()
            except FileNotFoundError:
                if path == self._path and not self._backup.exists():
                    return None
                continue
            except OSError as error:
                self.report("corrupt", str(error), path=str(path), kept_as=None, reason=str(error))
                continue
            try:
                return accept(self._present(msgspec.json.decode(data, type=dict[str, Any]), path))
            except (msgspec.MsgspecError, UnicodeDecodeError, TypeError, KeyError) as error:
                self._set_aside(path, str(error))
        return None

    def save(self, document: Mapping[str, Any]) -> None:
        """Raises: AppError: "<area>.newer", "<area>.not_saved"; the old file is then as it was."""
        if self._newer:
            raise AppError(f"{self._area}.newer", path=str(self._path), found=None, known=self._version)
        data = msgspec.json.format(msgspec.json.encode({**document, "version": self._version}), indent=2) + b"\n"
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if self._path.exists():
                write_whole(self._backup, self._path.read_bytes())
            write_whole(self._path, data)
        except OSError as error:
            reason = error.strerror or str(error)
            raise AppError(f"{self._area}.not_saved", str(error), path=str(self._path), reason=reason) from error
        self._stamp = self._now()

    @property
    def changed_by_another(self) -> bool:
        """Whether somebody else wrote the file since it was loaded or saved here."""
        now = self._now()
        return now is not None and now != self._stamp

    def _now(self) -> tuple[int, int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size

    def report(self, kind: str, detail: str = "", **facts: Any) -> None:
        problem = AppError(f"{self._area}.{kind}", detail, **facts)
        log.warning("%s: %s", self._area, problem)
        self.problems.append(problem)

    def _present(self, raw: dict[str, Any], path: Path) -> dict[str, Any]:
        version = raw.pop("version", 0)
        if not isinstance(version, int):
            raise TypeError(f"version is {version!r}")
        if version > self._version:
            self._newer = True
            self.report("newer", path=str(path), found=version, known=self._version)
        for step in range(version, self._version):
            raw = self._migrations[step](raw) if step in self._migrations else raw
        return raw

    def _set_aside(self, path: Path, reason: str) -> None:
        kept = path.with_name(f"{path.name}.broken-{time.strftime('%Y%m%d-%H%M%S')}")
        try:
            path.replace(kept)
        except OSError as error:
            log.warning("cannot set %s aside: %s", path, error)
        self.report("corrupt", reason, path=str(path), kept_as=str(kept), reason=reason)
