"""Writes a running answer down while it comes, so that a kill loses at most half a second of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from core.chat.store import answers
from core.chat.store.database import Database
from core.errors import AppError
from core.events import ChatDelta, ChatDone, ErrorInfo, Event, EventBus, Notice

PIECE_S: Final = 0.5
RETRY_S: Final = 2.0


@dataclass
class _Kept:
    """The answer that is followed. `whole`: `text` and `reasoning` are all of it, for thinking was moved."""

    conversation: str
    message: str
    text: str = ""
    reasoning: str = ""
    all_text: str = ""
    all_reasoning: str = ""
    whole: bool = False
    begun: bool = False


class Keeper:
    """Hears the deltas of one answer at a time. `ended` is told when its end is on its way into the file."""

    def __init__(self, database: Database, bus: EventBus, ended: Callable[[str], None]) -> None:
        self._database = database
        self._bus = bus
        self._ended = ended
        self._kept: _Kept | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._retry: asyncio.TimerHandle | None = None
        self._failed_before = False
        self._unsubscribe = bus.subscribe(self._hear)

    @property
    def conversation(self) -> str:
        """Where an answer is being written, "" for none."""
        return self._kept.conversation if self._kept is not None else ""

    def follow(self, conversation: str, message: str, text: str = "", reasoning: str = "") -> None:
        """Args: `text`, `reasoning`: what the answer has already, when it is continued."""
        self._kept = _Kept(conversation, message, all_text=text, all_reasoning=reasoning)
        self._failed_before = False

    def close(self) -> None:
        self._unsubscribe()
        self._cancel()
        if self._retry is not None:
            self._retry.cancel()

    def _hear(self, event: Event) -> None:
        kept = self._kept
        if kept is None:
            return
        if isinstance(event, ChatDelta) and event.answer_id == kept.message:
            _take(kept, event)
            if self._timer is None:
                # The first text at once: from then on a kill leaves something to go on from.
                wait_s = PIECE_S if kept.begun else 0.0
                kept.begun = True
                self._timer = asyncio.get_running_loop().call_later(wait_s, self._write)
        elif isinstance(event, ChatDone) and event.answer_id == kept.message:
            self._cancel()
            self._kept = None
            self._finish(kept.conversation, event)
            self._ended(kept.conversation)

    def _write(self) -> None:
        self._timer = None
        kept = self._kept
        if kept is None:
            return
        text, reasoning, whole = kept.text, kept.reasoning, kept.whole
        kept.text, kept.reasoning, kept.whole = "", "", False
        message = kept.message
        self._database.write_soon(lambda db: answers.write_piece(db, message, text, reasoning, whole), self._failed)

    def _finish(self, conversation: str, done: ChatDone) -> None:
        """Tried until it works: what has come must not be lost to a disk that is full for a while."""

        def failed(error: AppError) -> None:
            self._failed(error)
            self._retry = asyncio.get_running_loop().call_later(RETRY_S, self._finish, conversation, done)

        self._database.write_soon(lambda db: answers.finish(db, conversation, done), failed)

    def _failed(self, error: AppError) -> None:
        """Said once an answer: the next piece would fail in the same way."""
        if not self._failed_before:
            self._failed_before = True
            self._bus.emit(Notice(ErrorInfo.of(error)))

    def _cancel(self) -> None:
        """No piece more: the whole answer is on its way."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _take(kept: _Kept, delta: ChatDelta) -> None:
    if delta.moved:
        kept.all_reasoning, kept.all_text = kept.all_reasoning + kept.all_text, ""
        kept.whole = True
    kept.all_text += delta.text
    kept.all_reasoning += delta.reasoning
    kept.text = kept.all_text if kept.whole else kept.text + delta.text
    kept.reasoning = kept.all_reasoning if kept.whole else kept.reasoning + delta.reasoning
