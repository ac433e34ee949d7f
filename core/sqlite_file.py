"""One SQLite file with one owner thread: several Stowages may share it, a crash leaves it whole.

WAL lets others read while one writes; every write is one `BEGIN IMMEDIATE` transaction, so a `kill -9` in the middle
leaves the state before it. A file that is no database any more is set aside, and an empty one takes its place. What a
failure means to a person is said by whoever owns the file (`core.chat.store`, `core.ledger`).
"""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Final, TypeVar

log = logging.getLogger(__name__)

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]
Broken = Callable[[str, Path], None]

BUSY_S: Final = 5.0
_RETRY_S: Final = 0.02
_SIDE_FILES: Final = ("-wal", "-shm")

TROUBLE: Final = (sqlite3.OperationalError, OSError)
"""Busy, full, read-only, gone: the file is good, this once it did not work."""
MISTAKES: Final = (sqlite3.IntegrityError, sqlite3.ProgrammingError, sqlite3.DataError)
"""Of the one who asked, not of the file."""


class NewerFileError(Exception):
    """A later Stowage wrote the file, which is left alone. `found`: the version of its tables."""

    def __init__(self, found: int) -> None:
        super().__init__(f"version {found}")
        self.found = found


class SqliteFile:
    """`submit` brings work to the owner's thread, `open` and `carry_out` are called there. Once `closed` nothing may be
    submitted.

    Args:
        migrations: statements of each version's step, from an empty file on.
        check: look through the file when it is opened (its time grows with the file).
        broken: told the reason and the new place of a file that was set aside.
    """

    def __init__(
        self,
        path: Path,
        migrations: Sequence[str],
        *,
        name: str,
        broken: Broken,
        busy_s: float = BUSY_S,
        check: bool = False,
    ) -> None:
        self.path = path
        self.closed = False
        self._migrations = tuple(migrations)
        self._name = name
        self._broken = broken
        self._busy_s = busy_s
        self._check = check
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=f"stowage-{name}")
        self._connection: sqlite3.Connection | None = None

    def submit(self, action: Callable[[], T]) -> Future[T]:
        return self._thread.submit(action)

    async def close(self) -> None:
        """Finish what was begun and close the file, even when the caller is cancelled."""
        if not self.closed:
            self.closed = True
            last = self._thread.submit(self._close)
            # From here on no work is taken: it would open the file again, and nobody would close it.
            self._thread.shutdown(wait=False)
            await asyncio.shield(asyncio.wrap_future(last))
            self._thread.shutdown(wait=True)

    # ---- on the owner's thread -------------------------------------------------------------------------------------

    def open(self) -> sqlite3.Connection:
        """Raises `TROUBLE`, `NewerFileError`, or `sqlite3.DatabaseError` when an empty file breaks too."""
        if self._connection is None:
            try:
                self._connection = self._patiently(time.monotonic() + self._busy_s)
            except sqlite3.OperationalError:
                raise
            except sqlite3.DatabaseError as error:
                self._set_aside(str(error))
                self._connection = self._patiently(time.monotonic() + self._busy_s)
        return self._connection

    def carry_out(self, work: Work[T], *, writes: bool) -> T:
        """With `writes` in one transaction: all of it or nothing. Raises what `open` raises, and what `work` does."""
        try:
            return self._once(work, writes)
        except (sqlite3.OperationalError, *MISTAKES):
            raise
        except sqlite3.DatabaseError as error:
            self._set_aside(str(error))
            return self._once(work, writes)

    def _once(self, work: Work[T], writes: bool) -> T:
        connection = self.open()
        return _transaction(connection, work) if writes else work(connection)

    def _patiently(self, until_s: float) -> sqlite3.Connection:
        """SQLite does not wait for its busy time while another process changes the journal mode: wait here."""
        while True:
            try:
                return self._connect()
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > until_s:
                    raise
                time.sleep(_RETRY_S)

    def _connect(self) -> sqlite3.Connection:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Made here, so that it is private from its first byte.
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        connection = sqlite3.connect(self.path, timeout=self._busy_s, isolation_level=None, check_same_thread=False)
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        # Before anything that would change a file that is not ours to change.
        version = _version(connection)
        if version > len(self._migrations):
            raise NewerFileError(version)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if self._check and (said := connection.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
            raise sqlite3.DatabaseError(said)
        if 0 < version < len(self._migrations):
            self._back_up(connection, version)
        self._migrate(connection)

    def _migrate(self, connection: sqlite3.Connection) -> None:
        """All missing steps at once. Another Stowage may be doing the same: whoever comes second finds it done."""
        if _version(connection) == len(self._migrations):
            return
        connection.execute("BEGIN IMMEDIATE")
        try:
            for step in self._migrations[_version(connection) :]:
                for statement in step.split(";"):
                    connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {len(self._migrations)}")
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise

    def _back_up(self, connection: sqlite3.Connection, version: int) -> None:
        target = self.path.with_name(f"{self.path.name}.backup-{version}")
        part = target.with_name(target.name + ".part")
        part.unlink(missing_ok=True)
        copy = sqlite3.connect(part)
        try:
            connection.backup(copy)
        finally:
            copy.close()
        part.chmod(0o600)
        part.replace(target)

    def _set_aside(self, reason: str) -> None:
        self._close()
        kept = self.path.with_name(f"{self.path.name}.broken-{time.strftime('%Y%m%d-%H%M%S')}")
        self.path.replace(kept)
        for side in _SIDE_FILES:
            self.path.with_name(self.path.name + side).unlink(missing_ok=True)
        log.warning("%s: %s; set aside as %s", self._name, reason, kept)
        self._broken(reason, kept)

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None


def _transaction(connection: sqlite3.Connection, work: Work[T]) -> T:
    connection.execute("BEGIN IMMEDIATE")
    try:
        result = work(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return result


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
