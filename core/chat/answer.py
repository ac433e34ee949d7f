"""One answer from the first byte to `ChatDone`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final

from core.chat.client import SILENCE_S, stream_chat
from core.chat.conversation import ApiMessage
from core.chat.params import DEFAULTS, STRUCTURED_SINCE, Params
from core.chat.reconcile import Counters, reconcile
from core.chat.speed import SpeedMeter
from core.chat.thinking import Split, split_thinking
from core.chat.wire import StreamItem
from core.engine.endpoint import Endpoint
from core.errors import AppError
from core.events import ChatDelta, ChatDone, ErrorInfo, EventBus, FinishReason
from core.speed_card import SpeedCard

FRAME_S: Final = 0.02
# The server counts a request a moment after its last token has gone out.
SETTLE_LOOKS, SETTLE_S = 5, 0.05

# A request that waits although nothing runs will wait for ever: vLLM never starts one whose prompt needs more KV cache
# than there is (vllm#39734).
STUCK_S: Final = 30.0
STUCK_LOOKS: Final = 6

Look = Callable[[Endpoint], Awaitable[Counters | None]]
Rouse = Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Question:
    """All that one answer needs. `before`, `thought_before`: what an answer that is continued has already;
    `trimmed`: how many of the oldest messages are not among `messages`; `version`: of the running vLLM."""

    messages: Sequence[ApiMessage]
    params: Params = DEFAULTS
    before: str = ""
    thought_before: str = ""
    trimmed: int = 0
    version: tuple[int, ...] = STRUCTURED_SINCE

    @property
    def go_on(self) -> bool:
        return bool(self.before)


@dataclass
class Texts:
    """What has come, told apart into answer and thinking. `raw` is the content as it was sent."""

    question: Question
    parts: list[str] = field(default_factory=list[str])
    reasoning: list[str] = field(default_factory=list[str])
    raw: str = ""

    def split(self, *, final: bool) -> Split:
        """Everything so far. A server that names the thinking itself leaves none in the content, save for Harmony's
        marks."""
        self.raw += "".join(self.parts)
        self.parts.clear()
        named = "".join(self.reasoning)
        plain = self.question.go_on or (named and "<|channel|>" not in self.raw)
        found = Split(self.raw) if plain else split_thinking(self.raw, final=final)
        thought = "\n\n".join(part for part in (named, found.reasoning) if part)
        return Split(self.question.before + found.text, self.question.thought_before + thought)


class Answer:
    """Emits `ChatDelta`s and exactly one `ChatDone`.

    Args:
        look: reads the server's counters, before and after; None leaves the figures unchecked.
        stuck_s: how long a question may wait in the queue of a server that does nothing else.
        rouse: wakes a server that sleeps; its failure is the answer's.
    """

    def __init__(
        self,
        bus: EventBus,
        answer_id: str,
        question: Question,
        look: Look | None = None,
        stuck_s: float = STUCK_S,
        rouse: Rouse | None = None,
    ) -> None:
        self._stuck_s = stuck_s
        self._stuck = False
        self._bus = bus
        self._id = answer_id
        self._question = question
        self._look, self._rouse = look, rouse
        self._meter = SpeedMeter(time.monotonic())
        self._texts = Texts(question)
        self._sent = Split(question.before, question.thought_before)
        self._flush_at: asyncio.TimerHandle | None = None
        self._last_flush_s = 0.0
        self._ended = False
        self._before: Counters | None = None

    async def run(self, endpoint: Endpoint, silence_s: float = SILENCE_S) -> ChatDone:
        """Stream the answer. However it ends (also by a bug, also by cancellation), one `ChatDone` goes out."""
        finish, error = FinishReason.ERROR, ErrorInfo("app.bug", facts={"kind": "chat"})
        card: SpeedCard | None = None
        try:
            finish, error = await self._stream(endpoint, silence_s), None
            card = await self._checked(endpoint)
        except AppError as failure:
            error = ErrorInfo.of(failure)
        except asyncio.CancelledError:
            if not self._stuck:
                finish, error = (FinishReason.CANCELLED, None) if error is not None else (finish, None)
                raise
            error = ErrorInfo("chat.never_begun", facts={"seconds": round(self._stuck_s)})
        finally:
            done = self._end(finish, error, card)
        return done

    async def _stream(self, endpoint: Endpoint, silence_s: float) -> FinishReason:
        finish = ""
        if self._rouse is not None:
            await self._rouse()
        if self._look is not None:
            self._before = await self._look(endpoint)
        asked = self._question
        self._meter = SpeedMeter(time.monotonic())
        stream = stream_chat(
            endpoint,
            asked.messages,
            asked.params,
            silence_s=silence_s,
            go_on=asked.go_on,
            version=asked.version,
        )
        async with aclosing(stream) as items, self._watched(endpoint):
            async for item in items:
                finish = item.finish or finish
                self._take(item)
        return FinishReason.LENGTH if finish == "length" else FinishReason.STOP

    @asynccontextmanager
    async def _watched(self, endpoint: Endpoint) -> AsyncGenerator[None]:
        """Ends the answer when it never leaves the queue."""
        answering = asyncio.current_task()
        assert answering is not None
        watch = asyncio.create_task(self._watch_queue(endpoint, answering))
        try:
            yield
        finally:
            watch.cancel()
            await asyncio.wait({watch})

    async def _watch_queue(self, endpoint: Endpoint, answering: asyncio.Task[Any]) -> None:
        looks = 0
        while self._look is not None and looks < STUCK_LOOKS:
            await asyncio.sleep(self._stuck_s / STUCK_LOOKS)
            if self._meter.card().ttft_s is not None:
                return
            seen = await self._look(endpoint)
            looks = looks + 1 if seen is not None and seen.waiting > 0 and seen.running == 0 else 0
        if looks:
            self._stuck = True
            answering.cancel()

    async def _checked(self, endpoint: Endpoint) -> SpeedCard:
        """The final card beside the server's counters."""
        card = self._meter.card(final=True, now_s=time.monotonic())
        if self._look is None or self._before is None:
            return card if self._look is None else replace(card, unchecked="no_metrics")
        after = await self._look(endpoint)
        for _ in range(SETTLE_LOOKS):
            if after is None or (after.finished > self._before.finished and after.running == 0):
                break
            await asyncio.sleep(SETTLE_S)
            after = await self._look(endpoint)
        return reconcile(card, self._before, after, ended=True)

    def _take(self, item: StreamItem) -> None:
        self._meter.feed(item.at_s, item.usage, item.has_text)
        if item.content:
            self._texts.parts.append(item.content)
        if item.reasoning:
            self._texts.reasoning.append(item.reasoning)
        if not item.has_text or self._flush_at is not None:
            return
        # The first text goes at once, then one batch per frame however fast the tokens come.
        wait_s = self._last_flush_s + FRAME_S - time.monotonic()
        if wait_s <= 0:
            self._flush()
        else:
            self._flush_at = asyncio.get_running_loop().call_later(wait_s, self._flush)

    def _flush(self, *, final: bool = False) -> Split:
        self._flush_at = None
        self._last_flush_s = time.monotonic()
        now, sent = self._texts.split(final=final), self._sent
        if now.reasoning and not sent.reasoning:
            self._meter.thinks(True)
        if now.text and now.reasoning:
            self._meter.thinks(False)
        moved = not now.text.startswith(sent.text)
        known = len((sent.reasoning + sent.text).strip()) if moved else len(sent.reasoning)
        text, reasoning = now.text if moved else now.text[len(sent.text) :], now.reasoning[known:]
        self._sent = now
        if text or reasoning or moved:
            self._bus.emit(ChatDelta(self._id, text, reasoning, self._meter.card(), moved))
        return now

    def never_began(self, _task: asyncio.Task[ChatDone]) -> None:
        """A task that is cancelled before its first step runs no line of its coroutine; its end is told here."""
        if not self._ended:
            self._end(FinishReason.CANCELLED, None, None)

    def _end(self, finish: FinishReason, error: ErrorInfo | None, card: SpeedCard | None) -> ChatDone:
        self._ended = True
        if self._flush_at is not None:
            self._flush_at.cancel()
        whole = self._flush(final=True)
        if card is None:
            card = self._meter.card(final=True, now_s=time.monotonic())
            card = card if self._look is None else reconcile(card, self._before, self._before, ended=False)
        done = ChatDone(self._id, whole.text, whole.reasoning, finish, card, error, self._question.trimmed)
        self._bus.emit(done)
        return done
