"""The file of conversations (`core.sqlite_file`), whose troubles are a person's business: every verb raises them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from core.errors import AppError
from core.sqlite_file import BUSY_S, TROUBLE, NewerFileError, SqliteFile, Work

log = logging.getLogger(__name__)

T = TypeVar("T")


class Database:
    """`problems` are what a person should hear, newest last.

    Raises (every verb):
        AppError: `chat.store_failed` when the disk is full, the file locked too long or not writable;
            `chat.store_newer` for a file of a later Stowage, which is left alone.
    """

    def __init__(self, path: Path, migrations: Sequence[str], *, busy_s: float = BUSY_S) -> None:
        self._file = SqliteFile(path, migrations, name="chats", broken=self._broken, busy_s=busy_s)
        self.problems: list[AppError] = []

    async def read(self, work: Work[T]) -> T:
        """Run `work` on the owner's thread."""
        self._must_be_open()
        return await asyncio.wrap_future(self._file.submit(lambda: self._guarded(work, writes=False)))

    async def write(self, work: Work[T]) -> T:
        """The same in one transaction: all of it or nothing. It is carried out even when the caller is cancelled."""
        self._must_be_open()
        future = asyncio.wrap_future(self._file.submit(lambda: self._guarded(work, writes=True)))
        future.add_done_callback(_seen)
        return await asyncio.shield(future)

    def write_soon(self, work: Work[None], failed: Callable[[AppError], None]) -> None:
        """Write without waiting, before everything that is asked for later; `failed` is heard on the calling loop."""
        self._must_be_open()
        loop = asyncio.get_running_loop()

        def carried_out() -> None:
            try:
                self._guarded(work, writes=True)
            except AppError as error:
                loop.call_soon_threadsafe(failed, error)

        self._file.submit(carried_out)

    async def close(self) -> None:
        """Finish what was begun and close the file."""
        await self._file.close()

    def _must_be_open(self) -> None:
        """A verb that Stowage's end overtook is cancelled: nobody is left to hear of it."""
        if self._file.closed:
            raise asyncio.CancelledError

    # ---- on the owner's thread -------------------------------------------------------------------------------------

    def _guarded(self, work: Work[T], *, writes: bool) -> T:
        try:
            return self._file.carry_out(work, writes=writes)
        except NewerFileError as error:
            raise AppError("chat.store_newer", path=str(self._file.path), found=error.found) from error
        except TROUBLE as error:
            log.warning("chats: %s", error)
            raise AppError("chat.store_failed", repr(error), path=str(self._file.path), reason=str(error)) from error

    def _broken(self, reason: str, kept: Path) -> None:
        self.problems.append(AppError("chat.store_corrupt", reason, path=str(self._file.path), kept_as=str(kept)))


def _seen(future: asyncio.Future[Any]) -> None:
    """An error that nobody waits for any more is no news to the loop."""
    if not future.cancelled():
        future.exception()
