"""The chat as the rest of the app sees it: one running answer, its text in batches, exactly one end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from core.chat.answer import Answer, Look, Question, Rouse
from core.chat.client import SILENCE_S
from core.chat.conversation import ApiMessage
from core.chat.params import DEFAULTS, Params
from core.engine.endpoint import Endpoint
from core.errors import AppError
from core.events import ChatDone, EventBus
from core.runtime import ErrorHook, Tasks


class ChatService:
    """Owner of the running answer. Everything here is called on the runtime's loop.

    Args:
        look: reads the server's counters, for the check of every answer's figures.
        rouse: wakes the server before a question where it sleeps.
    """

    def __init__(
        self,
        bus: EventBus,
        endpoint: Callable[[], Endpoint | None],
        *,
        silence_s: float = SILENCE_S,
        on_error: ErrorHook | None = None,
        look: Look | None = None,
        rouse: Rouse | None = None,
    ) -> None:
        self._bus = bus
        self._endpoint = endpoint
        self._silence_s = silence_s
        self._look, self._rouse = look, rouse
        self._tasks = Tasks(on_error)
        self._running: asyncio.Task[ChatDone] | None = None

    @property
    def busy(self) -> bool:
        return self._running is not None and not self._running.done()

    def may_start(self) -> Endpoint:
        """Where an answer would come from. Raises: AppError `chat.busy`, `chat.no_server`."""
        if self.busy:
            raise AppError("chat.busy")
        endpoint = self._endpoint()
        if endpoint is None:
            raise AppError("chat.no_server")
        return endpoint

    def start_answer(
        self, answer_id: str, messages: Sequence[ApiMessage], params: Params = DEFAULTS
    ) -> asyncio.Task[ChatDone]:
        """Begin an answer; it comes as `ChatDelta` events and one `ChatDone`, which the task gives too.

        Raises:
            AppError: `chat.busy` while an answer runs, `chat.empty` without a question, `chat.no_server`. Later
                failures stand in `ChatDone.error`, beside the text that came before them.
        """
        return self.start(answer_id, Question(messages, params))

    def start(self, answer_id: str, question: Question) -> asyncio.Task[ChatDone]:
        """The same, with all that may be asked."""
        if self.busy:
            raise AppError("chat.busy")
        if not any(message["role"] == "user" and _says(message) for message in question.messages):
            raise AppError("chat.empty")
        endpoint = self.may_start()
        answer = Answer(self._bus, answer_id, question, self._look, rouse=self._rouse)
        self._running = self._tasks.start(answer.run(endpoint, self._silence_s), name=f"answer {answer_id}")
        self._running.add_done_callback(answer.never_began)
        return self._running

    async def stop(self) -> None:
        """Close the stream of the running answer, if there is one; its `ChatDone` is out when this returns."""
        if self._running is not None and not self._running.done():
            self._running.cancel()
            await asyncio.wait({self._running})

    async def close(self) -> None:
        await self._tasks.close()


def _says(message: ApiMessage) -> bool:
    content = message["content"]
    return bool(content.strip() if isinstance(content, str) else content)
