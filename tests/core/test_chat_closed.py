"""A verb that comes after the end is cancelled, not a bug."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from tests.support.chats import Chats


def test_a_verb_after_the_end_is_cancelled(tmp_path: Path) -> None:
    async def main() -> None:
        chats = Chats(tmp_path)
        await chats.verbs.list()
        await chats.close()
        for verb in (chats.verbs.list, chats.verbs.new):
            with pytest.raises(asyncio.CancelledError):
                await verb()

    asyncio.run(main())


def test_a_verb_that_the_end_overtakes_does_not_open_the_file_again(tmp_path: Path) -> None:
    """The first look writes twice: the end comes between the two, and only the first is carried out."""

    async def main() -> None:
        first = Chats(tmp_path)
        await first.new()
        await first.close()
        chats = Chats(tmp_path)
        with closing(sqlite3.connect(chats.path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            looking = asyncio.create_task(chats.verbs.list())
            ending = asyncio.create_task(chats.close())
            done, _ = await asyncio.wait({ending}, timeout=0.2)
            assert not done, "the end did not wait for what was begun"
            other.execute("ROLLBACK")
        await ending
        with pytest.raises(asyncio.CancelledError):
            await looking
        assert [file.path for file in psutil.Process().open_files() if file.path.startswith(str(chats.path))] == []

    asyncio.run(main())
