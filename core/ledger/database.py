"""The ledger's file (`core.sqlite_file`), none of whose troubles ever stops a launch."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from core.errors import AppError
from core.sqlite_file import BUSY_S, MISTAKES, TROUBLE, NewerFileError, SqliteFile, Work

log = logging.getLogger(__name__)

T = TypeVar("T")


class Database:
    """`problems` are what a person should hear, newest last.

    Reads and writes that fail give `otherwise`; they are logged, never raised. A file that a later Stowage wrote is
    left alone: everything gives `otherwise` then.
    """

    def __init__(self, path: Path, migrations: Sequence[str], *, busy_s: float = BUSY_S) -> None:
        self._file = SqliteFile(path, migrations, name="ledger", broken=self._broken, busy_s=busy_s, check=True)
        self._given_up = False
        self.problems: list[AppError] = []

    async def read(self, work: Work[T], otherwise: T) -> T:
        """Run `work` on the owner's thread. What it raises besides SQLite's errors is a bug and is raised."""
        if self._file.closed:
            return otherwise
        return await asyncio.wrap_future(self._file.submit(lambda: self._guarded(work, otherwise, writes=False)))

    async def write(self, work: Work[T], otherwise: T) -> T:
        """The same in one transaction: all of it or nothing. It is carried out even when the caller is cancelled."""
        if self._file.closed:
            return otherwise
        future = self._file.submit(lambda: self._guarded(work, otherwise, writes=True))
        return await asyncio.shield(asyncio.wrap_future(future))

    async def close(self) -> None:
        """Finish what was begun and close the file; whoever still asks gets `otherwise`."""
        await self._file.close()

    # ---- on the owner's thread -------------------------------------------------------------------------------------

    def _guarded(self, work: Work[T], otherwise: T, *, writes: bool) -> T:
        if not self._is_open():
            return otherwise
        try:
            return self._file.carry_out(work, writes=writes)
        except MISTAKES:
            raise
        except (*TROUBLE, sqlite3.DatabaseError) as error:
            log.warning("ledger: %s", error)
            return otherwise

    def _is_open(self) -> bool:
        """A file that could not be opened once is not tried again: each try may wait for seconds."""
        if self._given_up:
            return False
        try:
            self._file.open()
        except NewerFileError as error:
            self.problems.append(AppError("ledger.newer", path=str(self._file.path), found=error.found))
            self._given_up = True
        except (*TROUBLE, sqlite3.DatabaseError) as error:
            log.warning("ledger: cannot be opened: %s", error)
            self._given_up = True
        return not self._given_up

    def _broken(self, reason: str, kept: Path) -> None:
        path = str(self._file.path)
        self.problems.append(AppError("ledger.corrupt", reason, path=path, kept_as=str(kept), reason=reason))
