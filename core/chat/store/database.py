"""One SQLite file with one owner thread: several Stowages may share it, a crash leaves it whole.

WAL lets others read while one writes; every write is one `BEGIN IMMEDIATE` transaction, so a `kill -9` in the middle
leaves the state before it. A file that is no database any more is set aside, and an empty one takes its place.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, TypeVar

from core.errors import AppError

log = logging.getLogger(__name__)

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]

BUSY_S: Final = 5.0
_RETRY_S: Final = 0.02
_SIDE_FILES: Final = ("-wal", "-shm")


class Database:
    """Owner of the file and of the thread that touches it. `problems` are what a person should hear, newest last.

    Raises (every verb):
        AppError: `chat.store_failed` when the disk is full, the file locked too long or not writable;
            `chat.store_newer` for a file of a later Stowage, which is left alone.
    """

    def __init__(self, path: Path, migrations: Sequence[str], *, busy_s: float = BUSY_S) -> None:
        self._path = path
        self._migrations = tuple(migrations)
        self._busy_s = busy_s
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="stowage-chats")
        self._connection: sqlite3.Connection | None = None
        self._closed = False
        self.problems: list[AppError] = []

    async def read(self, work: Work[T]) -> T:
        """Run `work` on the owner's thread."""
        self._must_be_open()
        return await asyncio.wrap_future(self._thread.submit(self._guarded, work, False))

    async def write(self, work: Work[T]) -> T:
        """The same in one transaction: all of it or nothing. It is carried out even when the caller is cancelled."""
        future = asyncio.wrap_future(self._thread.submit(self._guarded, work, True))
        future.add_done_callback(_seen)
        return await asyncio.shield(future)

    def write_soon(self, work: Work[None], failed: Callable[[AppError], None]) -> None:
        """Write without waiting, before everything that is asked for later; `failed` is heard on the calling loop."""
        self._must_be_open()
        loop = asyncio.get_running_loop()

        def carried_out() -> None:
            try:
                self._guarded(work, True)
            except AppError as error:
                loop.call_soon_threadsafe(failed, error)

        self._thread.submit(carried_out)

    async def close(self) -> None:
        """Finish what was begun and close the file."""
        if not self._closed:
            self._closed = True
            await asyncio.wrap_future(self._thread.submit(self._close))
            self._thread.shutdown(wait=True)

    def _must_be_open(self) -> None:
        """A verb that Stowage's end overtook is cancelled: nobody is left to hear of it."""
        if self._closed:
            raise asyncio.CancelledError

    # ---- on the owner's thread -------------------------------------------------------------------------------------

    def _guarded(self, work: Work[T], writes: bool) -> T:
        for attempt in (1, 2):
            try:
                connection = self._open()
                return _transaction(connection, work) if writes else work(connection)
            except (sqlite3.OperationalError, OSError) as error:
                # Busy, full, read-only, gone: the file is good, this once it did not work.
                log.warning("chats: %s", error)
                raise AppError("chat.store_failed", repr(error), path=str(self._path), reason=str(error)) from error
            except sqlite3.DatabaseError as error:
                if attempt == 2 or isinstance(
                    error, sqlite3.IntegrityError | sqlite3.ProgrammingError | sqlite3.DataError
                ):
                    raise
                self._set_aside(str(error))
        raise AssertionError("two attempts, each of which returns or raises")

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            try:
                self._connection = self._patiently(time.monotonic() + self._busy_s)
            except sqlite3.OperationalError:
                raise
            except sqlite3.DatabaseError as error:
                self._set_aside(str(error))
                self._connection = self._patiently(time.monotonic() + self._busy_s)
        return self._connection

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
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Made here, so that it is private from its first byte.
        os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))
        connection = sqlite3.connect(self._path, timeout=self._busy_s, isolation_level=None, check_same_thread=False)
        try:
            version = _version(connection)
            if version > len(self._migrations):
                raise AppError("chat.store_newer", path=str(self._path), found=version)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if 0 < version < len(self._migrations):
                self._back_up(connection, version)
            self._migrate(connection)
        except BaseException:
            connection.close()
            raise
        return connection

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
        target = self._path.with_name(f"{self._path.name}.backup-{version}")
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
        if self._connection is not None:
            self._connection.close()
        self._connection = None
        kept = self._path.with_name(f"{self._path.name}.broken-{time.strftime('%Y%m%d-%H%M%S')}")
        self._path.replace(kept)
        for side in _SIDE_FILES:
            self._path.with_name(self._path.name + side).unlink(missing_ok=True)
        log.warning("chats: %s; set aside as %s", reason, kept)
        self.problems.append(AppError("chat.store_corrupt", reason, path=str(self._path), kept_as=str(kept)))

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None


def _seen(future: asyncio.Future[Any]) -> None:
    """An error that nobody waits for any more is no news to the loop."""
    if not future.cancelled():
        future.exception()


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
