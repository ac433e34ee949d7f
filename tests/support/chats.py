"""Conversations for tests: a store with a chat on a fake server, and what was heard of it."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from core.chat.conversations import Conversations
from core.chat.events import AnswerBegan
from core.chat.params import Params
from core.chat.records import Asked, ConversationPage
from core.chat.service import ChatService
from core.engine.endpoint import Endpoint
from core.errors import AppError
from core.events import ChatDelta, ChatDone, Event, EventBus
from core.speed_counters import counters
from tests.support.fake_chat_server import until

ROOT = Path(__file__).parents[2]


class Chats:
    """One Stowage's chat over the file in `root`. `model` is the folder of its checkpoint."""

    def __init__(
        self, root: Path, endpoint: Endpoint | None = None, model: Path | None = None, busy_s: float = 5.0
    ) -> None:
        self.heard: list[Event] = []
        self.endpoint = endpoint
        self.path = root / "conversations.db"
        self.bus = EventBus()
        self.bus.subscribe(self.heard.append)
        self.service = ChatService(self.bus, lambda: self.endpoint, silence_s=20.0, look=counters)

        async def folder() -> Path | None:
            return model

        self.verbs = Conversations(
            self.path, self.bus, self.service, lambda: self.endpoint, folder=folder, busy_s=busy_s
        )

    @property
    def ends(self) -> list[ChatDone]:
        return [event for event in self.heard if isinstance(event, ChatDone)]

    def deltas(self, answer: str) -> list[ChatDelta]:
        return [event for event in self.heard if isinstance(event, ChatDelta) and event.answer_id == answer]

    async def close(self) -> None:
        await self.verbs.close()
        await self.service.close()

    async def done(self, asked: Asked, deadline_s: float = 30.0) -> ChatDone:
        """The end of an answer."""

        def since() -> list[ChatDone]:
            at = max(n for n, event in enumerate(self.heard) if _begins(event, asked.answer.id))
            return [event for event in self.heard[at:] if isinstance(event, ChatDone)]

        async def ended() -> bool:
            return bool(since())

        await until(ended, deadline_s)
        return since()[0]

    async def ask(self, conversation: str, text: str) -> ConversationPage:
        """Send, wait for the end, and look."""
        await self.done(await self.verbs.send(conversation, text))
        return await self.verbs.open(conversation)

    async def new(self, params: Params | None = None, system: str = "") -> str:
        page = await self.verbs.new()
        if params is not None:
            await self.verbs.set_params(page.info.id, params)
        if system:
            await self.verbs.set_system(page.info.id, system)
        return page.info.id


def _begins(event: Event, answer: str) -> bool:
    return isinstance(event, AnswerBegan) and event.answer.id == answer


def run(root: Path, endpoint: Endpoint | None, steps: Callable[[Chats], Awaitable[None]]) -> Chats:
    """Run `steps` with a chat of their own and close it."""

    async def main() -> Chats:
        chats = Chats(root, endpoint)
        try:
            await steps(chats)
        finally:
            await chats.close()
        return chats

    return asyncio.run(main())


@contextmanager
def chat_child(
    folder: Path, endpoint: Endpoint, conversation: str, *questions: str
) -> Generator[subprocess.Popen[str]]:
    """A running `chat_child`; it ends when its input closes."""
    command = [sys.executable, "-m", "tests.support.chat_child", str(folder), endpoint.base_url, endpoint.model]
    child = subprocess.Popen(
        [*command, conversation, *questions],
        cwd=ROOT,
        env=os.environ | {"CHAT_KEY": endpoint.api_key},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield child
    finally:
        if child.poll() is None:
            child.communicate(timeout=20)
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                pipe.close()


def line(child: subprocess.Popen[str]) -> str:
    assert child.stdout is not None
    return child.stdout.readline().strip()


def said(page: ConversationPage) -> list[str]:
    return [message.content for message in page.messages]


async def refused(work: Awaitable[object]) -> str:
    """The code that the verb was refused with, "" when it was not."""
    try:
        await work
    except AppError as error:
        return error.code
    return ""
