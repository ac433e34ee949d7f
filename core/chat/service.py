"""The chat as the rest of the app sees it: one running answer, its text in batches, exactly one end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import aclosing
from typing import Final

from core.chat.client import SILENCE_S, stream_chat
from core.chat.conversation import ApiMessage
from core.chat.params import DEFAULTS, Params
from core.chat.speed import SpeedMeter
from core.chat.wire import StreamItem
from core.engine.endpoint import Endpoint
from core.errors import AppError
from core.events import ChatDelta, ChatDone, ErrorInfo, EventBus, FinishReason
from core.runtime import ErrorHook, Tasks

FRAME_S: Final = 0.02


class ChatService:
    """Owner of the running answer. Everything here is called on the runtime's loop."""

    def __init__(
        self,
        bus: EventBus,
        endpoint: Callable[[], Endpoint | None],
        *,
        silence_s: float = SILENCE_S,
        on_error: ErrorHook | None = None,
    ) -> None:
        self._bus = bus
        self._endpoint = endpoint
        self._silence_s = silence_s
        self._tasks = Tasks(on_error)
        self._running: asyncio.Task[ChatDone] | None = None

    @property
    def busy(self) -> bool:
        return self._running is not None and not self._running.done()

    def start_answer(
        self, answer_id: str, messages: Sequence[ApiMessage], params: Params = DEFAULTS
    ) -> asyncio.Task[ChatDone]:
        """Begin an answer; it comes as `ChatDelta` events and one `ChatDone`, which the task gives too.

        Raises:
            AppError: `chat.busy` while an answer runs, `chat.empty` without a question, `chat.no_server`. Later
                failures stand in `ChatDone.error`, beside the text that came before them.
        """
        if self.busy:
            raise AppError("chat.busy")
        if not any(message["role"] == "user" and message["content"].strip() for message in messages):
            raise AppError("chat.empty")
        endpoint = self._endpoint()
        if endpoint is None:
            raise AppError("chat.no_server")
        answer = _Answer(self._bus, answer_id)
        self._running = self._tasks.start(
            answer.run(endpoint, messages, params, self._silence_s), name=f"answer {answer_id}"
        )
        self._running.add_done_callback(answer.never_began)
        return self._running

    async def stop(self) -> None:
        """Close the stream of the running answer, if there is one; its `ChatDone` is out when this returns."""
        if self._running is not None and not self._running.done():
            self._running.cancel()
            await asyncio.wait({self._running})

    async def close(self) -> None:
        await self._tasks.close()


class _Answer:
    """One answer from first byte to `ChatDone`."""

    def __init__(self, bus: EventBus, answer_id: str) -> None:
        self._bus = bus
        self._id = answer_id
        self._meter = SpeedMeter(time.monotonic())
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._sent = (0, 0)
        self._flush_at: asyncio.TimerHandle | None = None
        self._last_flush_s = 0.0
        self._ended = False

    async def run(
        self, endpoint: Endpoint, messages: Sequence[ApiMessage], params: Params, silence_s: float
    ) -> ChatDone:
        """Stream the answer. However it ends (also by a bug, also by cancellation), one `ChatDone` goes out."""
        finish, error = FinishReason.ERROR, ErrorInfo("app.bug", facts={"kind": "chat"})
        try:
            finish, error = await self._stream(endpoint, messages, params, silence_s), None
        except AppError as failure:
            error = ErrorInfo.of(failure)
        except asyncio.CancelledError:
            finish, error = FinishReason.CANCELLED, None
            raise
        finally:
            done = self._end(finish, error)
        return done

    async def _stream(
        self, endpoint: Endpoint, messages: Sequence[ApiMessage], params: Params, silence_s: float
    ) -> FinishReason:
        finish = ""
        self._meter = SpeedMeter(time.monotonic())
        async with aclosing(stream_chat(endpoint, messages, params, silence_s=silence_s)) as items:
            async for item in items:
                finish = item.finish or finish
                self._take(item)
        return FinishReason.LENGTH if finish == "length" else FinishReason.STOP

    def _take(self, item: StreamItem) -> None:
        self._meter.feed(item.at_s, item.usage, item.has_text)
        if item.content:
            self._text.append(item.content)
        if item.reasoning:
            self._reasoning.append(item.reasoning)
        if not item.has_text or self._flush_at is not None:
            return
        # The first text goes at once, then one batch per frame however fast the tokens come.
        wait_s = self._last_flush_s + FRAME_S - time.monotonic()
        if wait_s <= 0:
            self._flush()
        else:
            self._flush_at = asyncio.get_running_loop().call_later(wait_s, self._flush)

    def _flush(self) -> None:
        self._flush_at = None
        self._last_flush_s = time.monotonic()
        text, reasoning = "".join(self._text[self._sent[0] :]), "".join(self._reasoning[self._sent[1] :])
        self._sent = len(self._text), len(self._reasoning)
        if text or reasoning:
            self._bus.emit(ChatDelta(self._id, text, reasoning, self._meter.card()))

    def never_began(self, _task: asyncio.Task[ChatDone]) -> None:
        """A task that is cancelled before its first step runs no line of its coroutine; its end is told here."""
        if not self._ended:
            self._end(FinishReason.CANCELLED, None)

    def _end(self, finish: FinishReason, error: ErrorInfo | None) -> ChatDone:
        self._ended = True
        if self._flush_at is not None:
            self._flush_at.cancel()
        self._flush()
        card = self._meter.card(final=True, now_s=time.monotonic())
        done = ChatDone(self._id, "".join(self._text), "".join(self._reasoning), finish, card, error)
        self._bus.emit(done)
        return done
