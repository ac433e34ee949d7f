"""How full the context is, and what is left out when it is too full.

`/tokenize` takes the messages of a chat and gives `count` and `max_model_len` (vLLM 0.32,
`entrypoints/serve/tokenize/protocol.py`; the same since 0.8.5). It needs no API key up to 0.33, but takes one.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import httpx2
import msgspec

from core.chat.conversation import ApiMessage, to_api
from core.chat.params import Params, template_kwargs
from core.chat.tree import Message
from core.engine.endpoint import Endpoint
from core.errors import AppError

COUNT_S: Final = 10.0
"""A tokenizer needs about 1 s for a million characters on a slow CPU."""

Count = Callable[[Sequence[ApiMessage]], Awaitable["Counted"]]


@dataclass(frozen=True, slots=True)
class Counted:
    """Prompt tokens, and the most that the running server takes with the answer."""

    tokens: int
    limit: int


@dataclass(frozen=True, slots=True)
class Fitted:
    """The messages that fit; `trimmed`: how many of the oldest are not among them."""

    messages: tuple[Message, ...]
    trimmed: int = 0


async def count(endpoint: Endpoint, messages: Sequence[ApiMessage], params: Params, *, go_on: bool = False) -> Counted:
    """Tokens of a request as the chat template writes it.

    Raises:
        AppError: `chat.connection_lost`, `chat.refused` for a server or a template that cannot tell, `chat.bad_stream`
            for an answer that is no count.
    """
    body: dict[str, Any] = {"model": params.adapter or endpoint.model, "messages": list(messages)}
    if kwargs := template_kwargs(params):
        body["chat_template_kwargs"] = kwargs
    if go_on:
        body |= {"continue_final_message": True, "add_generation_prompt": False}
    headers = {"Authorization": f"Bearer {endpoint.api_key}"}
    async with httpx2.AsyncClient(trust_env=False, verify=False, timeout=COUNT_S) as client:
        try:
            response = await client.post(f"{endpoint.base_url}/tokenize", json=body, headers=headers)
        except httpx2.HTTPError as error:
            raise AppError("chat.connection_lost", repr(error), reason=str(error) or type(error).__name__) from error
    if response.status_code != 200:
        raise AppError("chat.refused", response.text[:600], status=response.status_code, reason=response.text[:200])
    try:
        found = msgspec.json.decode(response.content, type=_Count)
    except msgspec.MsgspecError as error:
        raise AppError("chat.bad_stream", response.text[:200], reason=str(error)) from error
    return Counted(found.count, found.max_model_len)


class _Count(msgspec.Struct):
    count: int
    max_model_len: int


def room_for_answer(params: Params, limit: int) -> int:
    """Tokens that are kept free for the answer: what it asks for, at most a quarter of the context."""
    return max(1, min(params.max_tokens or limit, limit // 4))


async def fit(system: str, messages: Sequence[Message], params: Params, count: Count) -> Fitted:
    """Leave out the oldest turns, as few as make room for the answer. The last question stays whatever its length.

    Cuts stand before a question, so that no answer stands without one.
    """
    messages = tuple(messages)
    counted = await count(to_api(system, messages))
    most = counted.limit - room_for_answer(params, counted.limit)
    if counted.tokens <= most:
        return Fitted(messages)
    cuts = [at for at, message in enumerate(messages) if message.role == "user" and at > 0]
    low, high = 0, len(cuts) - 1
    while low < high:
        middle = (low + high) // 2
        if (await count(to_api(system, messages[cuts[middle] :]))).tokens <= most:
            high = middle
        else:
            low = middle + 1
    return Fitted(messages[cuts[low] :], cuts[low]) if cuts else Fitted(messages)
