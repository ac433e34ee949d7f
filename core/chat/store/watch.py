"""Hears that another process wrote into the file: SQLite counts the commits of other connections (`data_version`)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from sqlite3 import Connection
from typing import Final

from core.chat.records import ConversationPage
from core.chat.store.database import Database
from core.errors import AppError
from core.runtime import Tasks

LOOK_S: Final = 1.0
MOST_SHOWN: Final = 16

State = tuple[int, float, str]
Changed = Callable[[Iterable[tuple[str, int]]], None]


class Watch:
    """Looks once a second from `start` on. `changed` hears the conversations of those shown that are others now, with
    their revisions; it is called for any foreign change, as the list may be another."""

    def __init__(self, database: Database, changed: Changed) -> None:
        self._database = database
        self._changed = changed
        self._shown: dict[str, State] = {}
        self._tasks = Tasks()
        self._started = False
        self._version: int | None = None

    def start(self) -> None:
        if not self._started:
            self._started = True
            self._tasks.start(self._look(), "chats elsewhere")

    def show(self, page: ConversationPage) -> None:
        """This conversation is on somebody's screen; the last few of them are watched."""
        self._shown.pop(page.info.id, None)
        self._shown[page.info.id] = (page.info.revision, page.info.updated, page.answering)
        while len(self._shown) > MOST_SHOWN:
            del self._shown[next(iter(self._shown))]

    async def close(self) -> None:
        await self._tasks.close()

    async def _look(self) -> None:
        while True:
            try:
                foreign, states = await self._database.read(self._states)
            except AppError:
                foreign, states = False, dict[str, State]()
            others = {one: state for one, state in states.items() if self._shown.get(one) != state}
            self._shown |= others
            if foreign:
                self._changed([(one, state[0]) for one, state in others.items()])
            await asyncio.sleep(LOOK_S)

    def _states(self, db: Connection) -> tuple[bool, dict[str, State]]:
        version = int(db.execute("PRAGMA data_version").fetchone()[0])
        foreign, self._version = self._version not in (None, version), version
        if not foreign:
            return False, {}
        return True, {one: state for one in tuple(self._shown) if (state := _state(db, one)) is not None}


def _state(db: Connection, conversation: str) -> State | None:
    query = "SELECT revision, updated, answering FROM conversations WHERE id = ?"
    row = db.execute(query, (conversation,)).fetchone()
    return None if row is None else (row[0], row[1], row[2] or "")
