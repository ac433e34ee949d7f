"""Answers of the Hub that are kept for minutes, and shown as stale ones when it cannot be asked."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

import msgspec

from core.errors import AppError
from core.events import ErrorInfo
from core.hub.api import Json, Page
from core.hub.connection import Connection
from core.hub.kept import Kept

log = logging.getLogger(__name__)

FRESH_S: Final = 180.0
STALE_S: Final = 30 * 86400.0
# An answer that is true, however old what we have kept is.
_TRUE: Final = frozenset(
    (
        *("hub.not_found", "hub.revision_not_found", "hub.file_not_found", "hub.bad_token", "hub.gated_no_token"),
        "hub.gated_not_accepted",
    )
)


class _Stored(msgspec.Struct, frozen=True):
    items: tuple[Json, ...]
    next_url: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """`problem`: why this is an old one, None when it is not."""

    page: Page
    problem: ErrorInfo | None = None


class Answers:
    """Lives on the loop's thread; the disk is read and written in another."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept

    async def ask(
        self, connection: Connection, what: str, ask: Callable[[], Awaitable[Page]], *, fresh_s: float = FRESH_S
    ) -> Answer:
        """What `ask` gives, unless a kept answer is young enough.

        Args:
            what: names the question; endpoint and account are added.

        Raises:
            AppError: what `ask` raised, where nothing is kept or the failure itself is the answer.
        """
        key = f"{_place(connection)} {what}"
        stored, age_s = _decoded(await asyncio.to_thread(self._kept.get, key))
        if stored is not None and age_s < fresh_s:
            return Answer(Page(stored.items, stored.next_url))
        try:
            page = await ask()
        except AppError as error:
            if stored is None or age_s > STALE_S or error.code in _TRUE:
                raise
            log.info("an answer from %d s ago, because %s", age_s, error)
            return Answer(Page(stored.items, stored.next_url), ErrorInfo.of(error))
        await asyncio.to_thread(self._kept.put, key, _Stored(page.items, page.next_url))
        return Answer(page)


def _place(connection: Connection) -> str:
    """What decides what is seen; the token itself is not written down."""
    return f"{connection.endpoint} {hashlib.sha256(connection.token.encode()).hexdigest()[:12]}"


def _decoded(kept: tuple[bytes, float] | None) -> tuple[_Stored | None, float]:
    if kept is None:
        return None, 0.0
    try:
        return msgspec.json.decode(kept[0], type=_Stored), kept[1]
    except (msgspec.MsgspecError, UnicodeError):
        return None, 0.0
