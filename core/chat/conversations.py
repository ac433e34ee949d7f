"""The verbs of the chat: what is kept of conversations, and what is asked in them. All on the runtime's loop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from sqlite3 import Connection
from typing import Final, TypeVar

from core.chat import abilities as able
from core.chat import asking, context
from core.chat.asking import Asking
from core.chat.conversation import to_api
from core.chat.events import ContextChanged, ConversationChanged, ConversationsChanged
from core.chat.exchange import reading, writing
from core.chat.params import Params
from core.chat.records import (
    Abilities,
    Asked,
    ContextMeter,
    ConversationInfo,
    ConversationPage,
    Deleted,
    Draft,
    ExportFormat,
    Hit,
    OlderMessages,
    Preset,
)
from core.chat.service import ChatService
from core.chat.store import answers, changes, presets, rows, search, whole
from core.chat.store.database import Database
from core.chat.store.schema import MIGRATIONS
from core.chat.store.watch import Watch
from core.chat.store.writer import lives
from core.chat.tree import Attachment, Message, to_markdown
from core.engine.endpoint import Endpoint
from core.errors import AppError
from core.events import ErrorInfo, EventBus, Notice
from core.sqlite_file import BUSY_S

T = TypeVar("T")

PAGE: Final = 40
METER_DELAY_S: Final = 0.3

Folder = Callable[[], Awaitable[Path | None]]
"""The running model's checkpoint, None when it is not known."""


class Conversations:
    """Owner of `conversations.db` and of the answers in it.

    Every verb may raise `chat.store_failed`, `chat.store_newer`, and `chat.unknown` for a conversation that is gone.
    `revision` is the one the caller shows: where the conversation has moved on, `chat.changed_elsewhere` is raised and
    nothing is done. None skips that check.

    Args:
        system: the system prompt of a new conversation.
        most_tokens: length of an answer that asks for none.
        busy_s: how long another process's write is waited for.
    """

    def __init__(
        self,
        path: Path,
        bus: EventBus,
        service: ChatService,
        endpoint: Callable[[], Endpoint | None],
        *,
        folder: Folder,
        system: Callable[[], str] = str,
        most_tokens: Callable[[], int] = lambda: 1024,
        busy_s: float = BUSY_S,
    ) -> None:
        self._database = Database(path, MIGRATIONS, busy_s=busy_s)
        self._bus = bus
        self._endpoint = endpoint
        self._folder = folder
        self._system = system
        self._asking = Asking(self._database, bus, service, most_tokens)
        self._watch = Watch(self._database, self._changed_elsewhere)
        self._abilities: tuple[Endpoint, Abilities] | None = None
        self._meters = 0
        self._tidied = False

    async def close(self) -> None:
        """End what runs; everything that has come is in the file then."""
        await self._watch.close()
        await self._asking.close()
        await self._database.close()

    # ---- the list --------------------------------------------------------------------------------------------------

    async def list(self, tag: str | None = None) -> tuple[ConversationInfo, ...]:
        """Pinned ones first, then the newest. Those without a message, a draft and a title are left out."""
        self._watch.start()
        return await self._read(lambda db: rows.infos(db, tag))

    async def tags(self) -> tuple[str, ...]:
        return await self._read(rows.tags)

    async def search(self, text: str, limit: int = 50) -> tuple[Hit, ...]:
        """Where all words of `text` stand (the last may be unfinished): titles, then messages, newest first."""
        return await self._read(lambda db: search.find(db, text, limit))

    async def new(self, preset: str = "") -> ConversationPage:
        """An empty conversation, with a preset's system prompt and parameters."""
        chosen = next((one for one in await self.presets() if one.id == preset), Preset("", self._system()))
        kept = rows.to_json(chosen.params) or "{}"
        return await self._write(lambda db: rows.page(db, changes.create(db, chosen.system, kept), PAGE))

    async def rename(self, conversation: str, title: str) -> None:
        await self._list_change(lambda db: changes.put(db, conversation, title=" ".join(title.split())))

    async def pin(self, conversation: str, pinned: bool = True) -> None:
        await self._list_change(lambda db: changes.put(db, conversation, pinned=int(pinned)))

    async def tag(self, conversation: str, tags: Iterable[str]) -> None:
        """These tags and no others."""
        kept = tuple(tags)
        await self._list_change(lambda db: changes.put_tags(db, conversation, kept))

    async def delete(self, conversation: str) -> Deleted:
        if self._asking.conversation == conversation:
            await self.stop()
        return await self._list_change(lambda db: changes.delete(db, conversation))

    async def undo(self, token: str) -> str:
        """Take a deletion back; gives the conversation. Raises: AppError `chat.undo_gone`."""
        conversation = await self._list_change(lambda db: changes.undo(db, token))
        await self._announce(conversation)
        return conversation

    # ---- one conversation ------------------------------------------------------------------------------------------

    async def open(self, conversation: str, at: str = "", limit: int = PAGE) -> ConversationPage:
        """The newest messages. With `at` the path is first made to run through that message, and the page reaches back
        to it."""
        self._watch.start()
        page = await self._read(lambda db: rows.page(db, conversation, limit))
        if page.elsewhere and not await self._writer_lives(conversation):
            await self._write(answers.recover)
            page = await self._read(lambda db: rows.page(db, conversation, limit))
        if at and not any(message.id == at for message in page.messages):
            page = await self._read(lambda db: rows.page_from(db, conversation, at, limit))
            if not any(message.id == at for message in page.messages):
                await self.switch(conversation, at)
                page = await self._read(lambda db: rows.page_from(db, conversation, at, limit))
        self._watch.show(page)
        return page

    async def older(self, conversation: str, before: str, limit: int = PAGE) -> OlderMessages:
        return await self._read(lambda db: rows.older(db, conversation, before, limit))

    async def draft(self, conversation: str, draft: Draft) -> None:
        await self._write(lambda db: changes.put_draft(db, conversation, draft))

    async def set_system(self, conversation: str, text: str) -> None:
        await self._write(lambda db: changes.put(db, conversation, system=text))

    async def set_params(self, conversation: str, params: Params) -> None:
        await self._write(lambda db: changes.put(db, conversation, params=rows.to_json(params)))

    async def switch(self, conversation: str, message: str) -> ConversationPage:
        """Another version: the path runs through `message` from now on, to where it was left."""
        await self._write(lambda db: changes.switch(db, conversation, message))
        await self._announce(conversation)
        return await self._read(lambda db: rows.page(db, conversation, PAGE))

    async def delete_turn(self, conversation: str, message: str, revision: int | None = None) -> Deleted:
        """A question with its answers, or one answer. See `Tree.remove` for what goes with it."""
        if self._asking.conversation == conversation:
            raise AppError("chat.busy")
        deleted = await self._list_change(lambda db: changes.delete_turn(db, conversation, message, revision))
        await self._announce(conversation)
        return deleted

    async def markdown(self, conversation: str, message: str = "") -> str:
        """The active path as Markdown, or one message as it was written."""
        page = await self._read(lambda db: rows.page(db, conversation, rows.ALL))
        if message:
            return next((one.content for one in page.messages if one.id == message), "")
        return to_markdown(page.messages, page.info.title, page.system)

    # ---- asking ----------------------------------------------------------------------------------------------------

    async def send(
        self,
        conversation: str,
        text: str,
        attachments: tuple[Attachment, ...] = (),
        revision: int | None = None,
    ) -> Asked:
        """Store the question and begin the answer; the draft is gone then. Raises: see `Asking.ask`."""
        begin = asking.send(conversation, text, attachments, revision)
        return await self._asking.ask(conversation, begin, await self.abilities(), pictures=attachments)

    async def edit(
        self,
        conversation: str,
        message: str,
        text: str,
        attachments: tuple[Attachment, ...] | None = None,
        revision: int | None = None,
    ) -> Asked:
        """A question in other words, and an answer to it, on a branch of their own."""
        begin = asking.edit(conversation, message, text, attachments, revision)
        return await self._asking.ask(conversation, begin, await self.abilities(), pictures=attachments or ())

    async def regenerate(
        self, conversation: str, message: str, revision: int | None = None, params: Params | None = None
    ) -> Asked:
        """Another answer beside this one, or the first to a question that has none. `params`: for this once."""
        begin = asking.regenerate(conversation, message, revision)
        return await self._asking.ask(conversation, begin, await self.abilities(), params)

    async def go_on(self, conversation: str, message: str, revision: int | None = None) -> Asked:
        """A cut answer (`Message.can_continue`), continued in its own place."""
        begin = asking.go_on(conversation, message, revision)
        return await self._asking.ask(conversation, begin, await self.abilities())

    async def stop(self) -> None:
        """End the running answer; its `ChatDone` is out when this returns."""
        await self._asking.stop()

    # ---- what the server takes -------------------------------------------------------------------------------------

    async def abilities(self) -> Abilities | None:
        """What the running server can; None without one. Asked once per server."""
        endpoint = self._endpoint()
        if endpoint is None:
            return None
        if self._abilities is None or self._abilities[0] != endpoint:
            folder = await self._folder()
            adapters, limit, version = await able.ask_server(endpoint)
            found = await asyncio.to_thread(able.of_model, endpoint.model, folder)
            found = replace(found, adapters=adapters, max_model_len=limit, version=version)
            if not limit:
                return found  # it did not answer: asked again next time
            self._abilities = endpoint, found
        return self._abilities[1]

    async def meter(
        self,
        conversation: str,
        draft: str = "",
        attachments: tuple[Attachment, ...] = (),
        delay_s: float = METER_DELAY_S,
    ) -> ContextMeter | None:
        """How full the context would be with `draft`. None without a server, or when a newer call came meanwhile."""
        self._meters += 1
        mine, endpoint = self._meters, self._endpoint()
        await asyncio.sleep(delay_s)
        if endpoint is None or mine != self._meters:
            return None
        page = await self._read(lambda db: rows.page(db, conversation, rows.ALL))
        written = [Message("user", draft, attachments=attachments)] if draft.strip() or attachments else []
        messages: Sequence[Message] = [*page.messages, *written]
        counted = await context.count(endpoint, to_api(page.system, messages), page.params)
        exact = not any(one.kind == "image" for message in messages for one in message.attachments)
        meter = ContextMeter(conversation, counted.tokens, counted.limit, page.params.max_tokens, exact)
        if mine != self._meters:
            return None
        self._bus.emit(ContextChanged(meter))
        return meter

    # ---- presets ---------------------------------------------------------------------------------------------------

    async def presets(self) -> tuple[Preset, ...]:
        return await self._read(presets.all_presets)

    async def save_preset(self, preset: Preset) -> Preset:
        return await self._write(lambda db: presets.save(db, preset))

    async def delete_preset(self, preset: str) -> None:
        await self._write(lambda db: presets.delete(db, preset))

    # ---- in and out ------------------------------------------------------------------------------------------------

    async def export(self, conversations: Iterable[str], format: ExportFormat, path: str) -> None:
        """Several conversations in Markdown follow each other in one file. Raises: AppError `chat.export_failed`."""
        chosen = tuple(conversations)
        kept = [await self._read(lambda db, one=one: whole.read(db, one)) for one in chosen]
        await asyncio.to_thread(writing.write, kept, format, Path(path))

    async def import_file(self, path: str) -> tuple[ConversationInfo, ...]:
        """Conversations of Stowage, ChatGPT, LM Studio, or one in Markdown. Raises: AppError `chat.import_failed`."""
        found = await asyncio.to_thread(reading.read, Path(path))
        return await self._list_change(lambda db: tuple(whole.write(db, one) for one in found))

    # ---- inside ----------------------------------------------------------------------------------------------------

    async def _read(self, work: Callable[[Connection], T]) -> T:
        await self._tidy()
        return await self._database.read(work)

    async def _write(self, work: Callable[[Connection], T]) -> T:
        await self._tidy()
        return await self._database.write(work)

    async def _list_change(self, work: Callable[[Connection], T]) -> T:
        result = await self._write(work)
        self._bus.emit(ConversationsChanged())
        return result

    async def _announce(self, conversation: str) -> None:
        info = await self._database.read(lambda db: rows.info(db, conversation))
        self._bus.emit(ConversationChanged(conversation, info.revision))

    async def _tidy(self) -> None:
        """Before the first look: answers that a dead Stowage left, deletions that are a week old, a broken file."""
        if self._tidied:
            return
        self._tidied = True
        await self._database.write(answers.recover)
        await self._database.write(changes.purge)
        for problem in self._database.problems:
            self._bus.emit(Notice(ErrorInfo.of(problem)))

    async def _writer_lives(self, conversation: str) -> bool:
        writer = await self._database.read(lambda db: rows.writer(db, conversation))
        return await asyncio.to_thread(lives, writer)

    def _changed_elsewhere(self, changed: Iterable[tuple[str, int]]) -> None:
        self._bus.emit(ConversationsChanged())
        for conversation, revision in changed:
            self._bus.emit(ConversationChanged(conversation, revision, elsewhere=True))
