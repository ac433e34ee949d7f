"""`stowage ask`: one question, one answer, honest figures, nothing left running."""

from __future__ import annotations

import asyncio
from typing import Any

from core.chat.conversation import Conversation
from core.cli.console import Console
from core.cli.start import Start, start_model
from core.errors import AppError
from core.events import ChatDelta, ChatDone, Event, FinishReason, SpeedCard
from core.services import Services

ANSWER_ID = "ask"


async def ask(
    services: Services,
    console: Console,
    model: str,
    prompt: str,
    *,
    system: str,
    max_tokens: int | None,
    start: Start,
) -> None:
    """Start `model`, stream the answer to `prompt`, print TTFT, decode tokens/s and token counts, stop the server."""
    if not prompt.strip():
        raise AppError("chat.empty")
    endpoint = await start_model(services, console, model, start)
    engine_id = services.server_status.engine
    done = await _answer(services, console, Conversation(system=system).asked(prompt), max_tokens)
    if done.error is not None:
        if not console.as_json:
            console.out("")
        raise AppError(done.error.code, done.error.detail, **done.error.facts)
    await services.stop_server()
    if console.as_json:
        console.object(as_object(done, engine_id, endpoint.model))
    else:
        console.out("\n\n" + stats_line(done.speed, console))
        if done.finish is FinishReason.LENGTH:
            console.say("cut")


async def _answer(services: Services, console: Console, conversation: Conversation, max_tokens: int | None) -> ChatDone:
    finished: asyncio.Future[ChatDone] = asyncio.get_running_loop().create_future()

    def heard(event: Event) -> None:
        if isinstance(event, ChatDelta) and event.answer_id == ANSWER_ID and not console.as_json:
            console.out(event.text, end="")
        elif isinstance(event, ChatDone) and event.answer_id == ANSWER_ID and not finished.done():
            finished.set_result(event)

    unsubscribe = services.bus.subscribe(heard)
    try:
        await services.ask(conversation, ANSWER_ID, max_tokens=max_tokens)
        return await finished
    finally:
        unsubscribe()


def stats_line(speed: SpeedCard, console: Console) -> str:
    blank = console.text("not_measured")
    line = console.text(
        "stats",
        ttft=blank if speed.ttft_s is None else f"{speed.ttft_s:.2f} s",
        rate=blank if speed.decode_tokens_per_s is None else f"{speed.decode_tokens_per_s:.1f}",
        prompt=f"{speed.prompt_tokens:,}",
        completion=f"{speed.completion_tokens:,}",
        total=f"{speed.total_s:.1f} s",
    )
    return line if speed.exact else f"{line} {console.text('inexact')}"


def as_object(done: ChatDone, engine: str, model: str) -> dict[str, Any]:
    """The answer as one JSON object. Times in seconds; figures are null when they could not be measured."""
    speed = done.speed
    return {
        "answer": done.text,
        "reasoning": done.reasoning,
        "finish_reason": str(done.finish),
        "prompt_tokens": speed.prompt_tokens,
        "completion_tokens": speed.completion_tokens,
        "ttft_s": speed.ttft_s,
        "decode_tokens_per_s": speed.decode_tokens_per_s,
        "total_s": speed.total_s,
        "exact": speed.exact,
        "engine": engine,
        "model": model,
    }
