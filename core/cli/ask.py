"""`stowage ask`: one question, one answer, honest figures, nothing left running."""

from __future__ import annotations

import asyncio
from typing import Any

from core.chat.conversation import Conversation
from core.cli.console import Console
from core.cli.speed_text import speed_lines, speed_object
from core.cli.start import Start, start_model
from core.cli.table_text import table_lines, table_object, table_proof
from core.errors import AppError
from core.events import ChatDelta, ChatDone, Event, FinishReason
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
    """Start `model`, stream the answer to `prompt`, print what it cost, stop the server."""
    if not prompt.strip():
        raise AppError("chat.empty")
    endpoint = await start_model(services, console, model, start)
    engine_id = services.server_status.engine
    done = await _answer(services, console, Conversation(system=system).asked(prompt), max_tokens)
    if done.error is not None:
        if not console.as_json:
            console.out("")
        raise AppError(done.error.code, done.error.detail, **done.error.facts)
    table = await table_proof(services) if start.ple is not None else None
    await services.stop_server()
    if console.as_json:
        console.object(as_object(done, engine_id, endpoint.model) | (table_object(*table) if table else {}))
    else:
        console.out("\n\n" + "\n".join(speed_lines(done.speed, console)))
        if table is not None:
            console.out("\n".join(table_lines(*table, console)))
        if done.finish is FinishReason.LENGTH:
            console.say("cut")


async def _answer(services: Services, console: Console, conversation: Conversation, max_tokens: int | None) -> ChatDone:
    finished: asyncio.Future[ChatDone] = asyncio.get_running_loop().create_future()

    def heard(event: Event) -> None:
        if isinstance(event, ChatDelta) and event.answer_id == ANSWER_ID and not console.as_json:
            # What was shown was thinking; the answer begins on a line of its own.
            console.out("\n\n" + event.text if event.moved else event.text, end="")
        elif isinstance(event, ChatDone) and event.answer_id == ANSWER_ID and not finished.done():
            finished.set_result(event)

    unsubscribe = services.bus.subscribe(heard)
    try:
        await services.ask(conversation, ANSWER_ID, max_tokens=max_tokens)
        return await finished
    finally:
        unsubscribe()


def as_object(done: ChatDone, engine: str, model: str) -> dict[str, Any]:
    """The answer as one JSON object. Times in seconds; figures are null when they could not be measured."""
    return {
        "answer": done.text,
        "reasoning": done.reasoning,
        "finish_reason": str(done.finish),
        "engine": engine,
        "model": model,
    } | speed_object(done.speed)
