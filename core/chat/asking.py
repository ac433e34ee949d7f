"""Questions on their way to the model: stored, fitted into the context, answered, written down."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from sqlite3 import Connection
from typing import Final

from core.chat import context
from core.chat.answer import Question
from core.chat.context import Counted, Fitted
from core.chat.conversation import ApiMessage, to_api, without_images
from core.chat.events import AnswerBegan, ConversationChanged, ConversationsChanged
from core.chat.keeper import Keeper
from core.chat.params import STRUCTURED_SINCE, Params, to_body
from core.chat.records import Abilities, Asked
from core.chat.service import ChatService
from core.chat.store import answers, rows
from core.chat.store.answers import Begun
from core.chat.store.database import Database
from core.chat.tree import Attachment
from core.engine.endpoint import Endpoint
from core.errors import AppError
from core.events import ChatDone, ErrorInfo, EventBus, FinishReason
from core.runtime import Tasks
from core.speed_card import NO_FIGURES

Begin = Callable[[Connection, str, Params], Begun]
"""Stores a question; the model's name and the parameters are given to it."""

# A server that is slow to count must not hold the question up; the answer then goes untrimmed.
FIT_S: Final = 20.0


class Asking:
    """Owner of the way from a question to the stored answer; one at a time.

    Args:
        most_tokens: length of an answer that asks for none.
    """

    def __init__(self, database: Database, bus: EventBus, service: ChatService, most_tokens: Callable[[], int]) -> None:
        self._database = database
        self._bus = bus
        self._service = service
        self._most_tokens = most_tokens
        self._keeper = Keeper(database, bus, self._ended)
        self._tasks = Tasks()
        self._starting: asyncio.Task[None] | None = None

    @property
    def conversation(self) -> str:
        """Where an answer is on its way, "" for none."""
        return self._keeper.conversation

    async def close(self) -> None:
        await self.stop()
        await self._tasks.close()
        self._keeper.close()

    async def ask(
        self,
        conversation: str,
        begin: Begin,
        abilities: Abilities | None,
        params: Params | None = None,
        pictures: Sequence[Attachment] = (),
    ) -> Asked:
        """Store what `begin` stores and start the answer.

        Raises:
            AppError: `chat.no_server`, `chat.busy`, `chat.busy_elsewhere`, `chat.changed_elsewhere`, `chat.unknown`,
                `chat.empty`, `chat.no_images`, `chat.bad_format`, `chat.store_failed`. Nothing was stored then.
        """
        endpoint = self._service.may_start()
        if self._keeper.conversation:
            raise AppError("chat.busy")
        if abilities is not None and not abilities.images and any(one.kind == "image" for one in pictures):
            raise AppError("chat.no_images", model=abilities.model)
        asked_with = await self._params(conversation, params)
        version = (abilities.version if abilities else ()) or STRUCTURED_SINCE
        to_body(asked_with, version)  # a form that cannot be used is refused before anything is stored
        model = asked_with.adapter or endpoint.model
        begun = await self._database.write(lambda db: begin(db, model, asked_with))
        answer = begun.asked.answer
        self._keeper.follow(conversation, answer.id, answer.content, answer.reasoning)
        self._bus.emit(AnswerBegan(conversation, answer))
        self._bus.emit(ConversationChanged(conversation, begun.asked.revision))
        self._bus.emit(ConversationsChanged())
        self._starting = self._tasks.start(
            self._start(endpoint, begun, asked_with, abilities, version), name=f"question {answer.id}"
        )
        return begun.asked

    async def stop(self) -> None:
        """The running answer ends, also one that has not been sent yet."""
        if self._starting is not None and not self._starting.done():
            self._starting.cancel()
            await asyncio.wait({self._starting})
        await self._service.stop()

    async def _params(self, conversation: str, params: Params | None) -> Params:
        if params is None:
            params = await self._database.read(lambda db: rows.params(db, conversation))
        return params if params.max_tokens else replace(params, max_tokens=self._most_tokens())

    async def _start(
        self,
        endpoint: Endpoint,
        begun: Begun,
        params: Params,
        abilities: Abilities | None,
        version: tuple[int, ...],
    ) -> None:
        """However this ends, the answer has begun or its `ChatDone` is out."""
        answer = begun.asked.answer
        try:
            seen = begun.history if abilities is None or abilities.images else without_images(begun.history)
            fitted = await self._fitted(endpoint, replace(begun, history=seen), params)
            self._service.start(
                answer.id,
                Question(
                    to_api(begun.system, fitted.messages),
                    params,
                    before=answer.content,
                    thought_before=answer.reasoning,
                    trimmed=fitted.trimmed,
                    version=version,
                ),
            )
        except AppError as error:
            self._give_up(begun, FinishReason.ERROR, ErrorInfo.of(error))
        except asyncio.CancelledError:
            self._give_up(begun, FinishReason.CANCELLED, None)
        except BaseException:
            self._give_up(begun, FinishReason.ERROR, ErrorInfo("app.bug", facts={"kind": "chat"}))
            raise

    async def _fitted(self, endpoint: Endpoint, begun: Begun, params: Params) -> Fitted:
        if params.at_limit != "trim":
            return Fitted(begun.history)
        go_on = bool(begun.asked.answer.content)

        async def count(messages: Sequence[ApiMessage]) -> Counted:
            return await context.count(endpoint, messages, params, go_on=go_on)

        try:
            async with asyncio.timeout(FIT_S):
                return await context.fit(begun.system, begun.history, params, count)
        except (AppError, TimeoutError):
            return Fitted(begun.history)

    def _give_up(self, begun: Begun, finish: FinishReason, error: ErrorInfo | None) -> None:
        answer = begun.asked.answer
        self._bus.emit(ChatDone(answer.id, answer.content, answer.reasoning, finish, NO_FIGURES, error))

    def _ended(self, conversation: str) -> None:
        self._bus.emit(ConversationsChanged())


def send(conversation: str, text: str, attachments: tuple[Attachment, ...], revision: int | None) -> Begin:
    if not text.strip() and not attachments:
        raise AppError("chat.empty")
    question = answers.Question(text, attachments)
    return lambda db, model, params: answers.send(db, conversation, question, model, params, revision)


def edit(
    conversation: str, message: str, text: str, attachments: tuple[Attachment, ...] | None, revision: int | None
) -> Begin:
    if not text.strip() and not attachments:
        raise AppError("chat.empty")
    question = (text, attachments)
    return lambda db, model, params: answers.edit(db, conversation, message, question, model, params, revision)


def regenerate(conversation: str, message: str, revision: int | None) -> Begin:
    return lambda db, model, params: answers.regenerate(db, conversation, message, model, params, revision)


def go_on(conversation: str, message: str, revision: int | None) -> Begin:
    return lambda db, _model, params: answers.go_on(db, conversation, message, params, revision)
