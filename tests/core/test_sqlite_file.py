"""However it ends, the file is closed: one left open keeps its side files, and Python 3.13 calls it an error."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from pathlib import Path

import psutil
import pytest

from core.sqlite_file import SqliteFile
from tests.support.fake_chat_server import until


def made(folder: Path) -> SqliteFile:
    return SqliteFile(folder / "notes.db", ("CREATE TABLE notes (text TEXT)",), name="notes", broken=_whole)


def _whole(reason: str, kept: Path) -> None:
    raise AssertionError(f"{kept} was set aside: {reason}")


def open_files(folder: Path) -> list[str]:
    return [file.path for file in psutil.Process().open_files() if file.path.startswith(str(folder))]


async def opened_and_busy(file: SqliteFile, go_on: threading.Event) -> Future[bool]:
    """The file is open, and its thread is at work until `go_on` is set."""
    await asyncio.wrap_future(file.submit(file.open))
    return file.submit(lambda: go_on.wait(30.0))


def test_a_close_that_is_cancelled_closes(tmp_path: Path) -> None:
    async def main() -> None:
        file, go_on = made(tmp_path), threading.Event()
        begun = await opened_and_busy(file, go_on)
        closing = asyncio.create_task(file.close())
        await asyncio.wait({closing}, timeout=0.05)
        closing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await closing
        assert open_files(tmp_path)
        go_on.set()
        assert await asyncio.wrap_future(begun)

        async def closed() -> bool:
            return not open_files(tmp_path)

        await until(closed)

    asyncio.run(main())


def test_no_work_is_taken_while_it_closes(tmp_path: Path) -> None:
    async def main() -> None:
        file, go_on = made(tmp_path), threading.Event()
        begun = await opened_and_busy(file, go_on)
        closing = asyncio.create_task(file.close())
        await asyncio.wait({closing}, timeout=0.05)
        with pytest.raises(RuntimeError):
            file.submit(file.open)
        go_on.set()
        await closing
        assert begun.result()
        assert open_files(tmp_path) == []

    asyncio.run(main())
