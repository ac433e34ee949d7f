"""A verb that comes after the end is cancelled, not a bug."""

from __future__ import annotations

import asyncio
from pathlib import Path

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
