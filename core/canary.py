"""The trial of a new engine before it may become the default: it serves the starter, answers a fixed question, is no
more than a fifth slower than the engine before it measured the same way, and serves the model last used here."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Final

from core.chat.client import Params, stream_chat
from core.chat.speed import SpeedMeter
from core.engine.command import LaunchRequest, Tuning
from core.engine.endpoint import Endpoint
from core.engine.install_progress import Meter
from core.engine.supervisor import Supervisor
from core.engine_records import Canary
from core.errors import AppError
from core.events import EngineInfo, ErrorInfo, EventBus
from core.paths import Paths

log = logging.getLogger(__name__)

QUESTION: Final = "What is the capital of France?"
EXPECTED: Final = "paris"
# The starter writes on until it is cut: a rate over the eight tokens of the capital's name is noise.
LONG_QUESTION: Final = "Write a long story about a lighthouse keeper and the sea."
STEPS: Final = ("canary_start", "canary_answer", "canary_own", "canary_before", "canary_speed")
# The best of several answers: another program's load slows single ones, nothing makes one faster than the engine is.
ANSWERS: Final = 3
TOKENS: Final = 64
SLOWEST: Final = 0.8
_SILENCE_S: Final = 120.0
_CONTEXT: Final = 1024

Own = Callable[[EngineInfo], Awaitable[LaunchRequest | None]]


@dataclass(frozen=True, slots=True)
class Trial:
    """What the trial uses. `starter` is the path of a small instruct checkpoint; `own` makes the launch of the model
    that was last used here, None where there is none or it does not fit."""

    starter: str
    own: Own


class CanaryRun:
    """One trial of `new` beside `old`. Its servers are its own: nobody hears of them, and no two run at once."""

    def __init__(self, paths: Paths, new: EngineInfo, old: EngineInfo, trial: Trial, meter: Meter) -> None:
        self._supervisor = Supervisor(paths, EventBus())
        self._new = new
        self._old = old
        self._trial = trial
        self._meter = meter
        self._step = STEPS[0]

    async def run(self) -> Canary:
        """Never raises for an engine that fails: that is the result. Cancelling ends the server that runs."""
        result = Canary(True, time.time(), self._old.id)
        try:
            async with self._meter.ticking(lambda: 0):
                return await self._all(result)
        finally:
            await self._supervisor.close()

    async def _all(self, result: Canary) -> Canary:
        try:
            rate = await self._rate(self._new, "canary_start", "canary_answer")
            result = replace(result, rate=rate)
            self._begin("canary_own")
            own = await self._trial.own(self._new)
            if own is not None:
                await self._serves(own)
                result = replace(result, own_model=own.model_id)
        except AppError as error:
            return self._failed(result, error)
        try:
            result = replace(result, before_rate=await self._rate(self._old, "canary_before", "canary_speed"))
        except AppError as error:
            # The engine before does not run any more: there is nothing to be slower than.
            log.warning("canary: %s could not be measured: %s", self._old.id, error)
            return result
        self._begin("canary_speed")
        if rate and result.before_rate and rate < SLOWEST * result.before_rate:
            reason = f"{rate:.1f} < {SLOWEST} × {result.before_rate:.1f} tok/s"
            return self._failed(result, AppError("engine.too_slow", reason=reason))
        return result

    async def _rate(self, engine: EngineInfo, start: str, answer: str) -> float | None:
        """Tokens per second of the starter on `engine`, the best of `ANSWERS`."""
        self._begin(start)
        request = LaunchRequest("starter", self._trial.starter, engine, _CONTEXT, tuning=_small(engine))
        endpoint = await self._supervisor.start(request)
        try:
            self._begin(answer)
            text, _ = await _answer(endpoint, QUESTION, TOKENS)
            if EXPECTED not in text.lower():
                raise AppError("engine.wrong_answer", text, reason=f"the answer was: {text[:80]!r}")
            rates = [(await _answer(endpoint, LONG_QUESTION, TOKENS))[1] for _ in range(ANSWERS)]
            return max(filter(None, rates), default=None)
        finally:
            await self._supervisor.stop()

    async def _serves(self, own: LaunchRequest) -> None:
        endpoint = await self._supervisor.start(own)
        try:
            await _answer(endpoint, QUESTION, 8)
        finally:
            await self._supervisor.stop()

    def _begin(self, step: str) -> None:
        self._step = step
        self._meter.begin(step)

    def _failed(self, result: Canary, error: AppError) -> Canary:
        log.warning("canary: %s failed at %s: %s", self._new.id, self._step, error)
        return replace(result, passed=False, step=self._step, error=ErrorInfo.of(error))


def _small(engine: EngineInfo) -> Tuning:
    """The starter needs little of a card, and vLLM refuses to start when the share it wants is not free."""
    return Tuning(max_num_seqs=4, gpu_memory_utilization=None if engine.platform == "cpu" else 0.5)


async def _answer(endpoint: Endpoint, question: str, tokens: int) -> tuple[str, float | None]:
    """The text, and tokens per second over the whole answer. (Not the chat's decode rate: chunks that arrive in one
    piece make that one too high, and here only the comparison counts.)

    Raises:
        AppError: `chat.*`; `engine.wrong_answer` for an empty answer.
    """
    meter = SpeedMeter(time.monotonic())
    text = ""
    stream = stream_chat(
        endpoint, [{"role": "user", "content": question}], Params(tokens, temperature=0.0), silence_s=_SILENCE_S
    )
    async with aclosing(stream) as items:
        async for item in items:
            meter.feed(item.at_s, item.usage, item.has_text)
            text += item.content or item.reasoning
    if not text.strip():
        raise AppError("engine.wrong_answer", reason="the answer was empty")
    card = meter.card(final=True, now_s=time.monotonic())
    log.info("canary: %s", card)
    return text, card.completion_tokens / card.total_s if card.completion_tokens else None
