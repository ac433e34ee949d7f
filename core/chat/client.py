"""One streamed answer from the running server. Closing the stream stops the generation (vLLM aborts the request when
its connection closes: running 1 -> 0 within 1.5 s, seen on 0.32)."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Final

import httpx2

from core.chat.adapt import Body, adapted
from core.chat.conversation import ApiMessage
from core.chat.params import DEFAULTS, STRUCTURED_SINCE, Params, to_body
from core.chat.sse import SseDecoder
from core.chat.wire import StreamItem, parse_chunk, refusal
from core.engine.endpoint import Endpoint
from core.errors import AppError

CONNECT_S: Final = 10.0
# A long prompt on a slow CPU brings no byte before its first token; the person can stop at any time.
SILENCE_S: Final = 900.0
DONE: Final = "[DONE]"
_GO_ON: Final = {"continue_final_message": True, "add_generation_prompt": False}


async def stream_chat(
    endpoint: Endpoint,
    messages: Sequence[ApiMessage],
    params: Params = DEFAULTS,
    *,
    silence_s: float = SILENCE_S,
    go_on: bool = False,
    version: tuple[int, ...] = STRUCTURED_SINCE,
) -> AsyncGenerator[StreamItem, None]:
    """The chunks of an answer, in order. Wrap in `contextlib.aclosing` when leaving early: the close is the stop.

    Args:
        silence_s: longest wait for the next byte; a server's keep-alive comments count as bytes.
        go_on: the last message is an answer's own beginning, which the model continues.
        version: of the running vLLM.

    Raises:
        AppError: `chat.too_long`, `chat.unauthorized`, `chat.model_gone`, `chat.refused`, `chat.server_error` as the
            server answers; `chat.connection_lost` when it cannot be reached or ends before the answer does;
            `chat.silent`; `chat.bad_stream` for bytes that are no chat stream.
    """
    body = _first_body(endpoint, messages, params, version) | (_GO_ON if go_on else {})
    # Loopback: no proxy from the environment, no certificate store to load (20 ms).
    timeout = httpx2.Timeout(silence_s, connect=CONNECT_S)
    # Every request has its own connection: a kept one may be closed by the server just when it is used again.
    limits = httpx2.Limits(max_keepalive_connections=0)
    async with httpx2.AsyncClient(trust_env=False, verify=False, timeout=timeout, limits=limits) as client:
        try:
            while True:
                async with _post(client, endpoint, body) as response:
                    if response.status_code == 200:
                        async for item in _items(response):
                            yield item
                        return
                    error = refusal(response.status_code, (await response.aread()).decode("utf-8", errors="replace"))
                if (next_body := adapted(body, error)) is None:
                    raise error
                body = next_body
        except httpx2.ReadTimeout as error:
            raise AppError("chat.silent", repr(error), seconds=silence_s) from error
        except httpx2.TransportError as error:
            raise AppError("chat.connection_lost", repr(error), reason=str(error) or type(error).__name__) from error


def _first_body(endpoint: Endpoint, messages: Sequence[ApiMessage], params: Params, version: tuple[int, ...]) -> Body:
    return {
        "model": params.adapter or endpoint.model,
        "messages": list(messages),
        "stream": True,
        "stream_options": {"include_usage": True, "continuous_usage_stats": True},
    } | to_body(params, version)


def _post(client: httpx2.AsyncClient, endpoint: Endpoint, body: Body) -> AbstractAsyncContextManager[httpx2.Response]:
    headers = {
        "Authorization": f"Bearer {endpoint.api_key}",
        "Accept": "text/event-stream",
        "Accept-Encoding": "identity",
    }
    return client.stream("POST", f"{endpoint.base_url}/v1/chat/completions", json=body, headers=headers)


async def _items(response: httpx2.Response) -> AsyncIterator[StreamItem]:
    """The stream's chunks; its end is `[DONE]`, or the end of the bytes after a finish reason."""
    kind = response.headers.get("content-type", "")
    if "text/event-stream" not in kind:
        body = (await response.aread()).decode("utf-8", errors="replace")
        if '"error"' in body:
            raise refusal(200, body)
        raise AppError("chat.bad_stream", body[:200], reason=f"content-type {kind or 'missing'}")
    decoder = SseDecoder()
    finished = False
    async for piece in response.aiter_raw():
        at_s = time.monotonic()
        for event in decoder.feed(piece):
            if event.data == DONE:
                return
            item = parse_chunk(event.data, at_s)
            finished = finished or bool(item.finish)
            yield item
    for event in decoder.finish():
        # An event without its blank line: whole from a careless server, half when the connection broke.
        if event.data == DONE or not event.data.endswith("}"):
            finished = finished or event.data == DONE
            continue
        item = parse_chunk(event.data, time.monotonic())
        finished = finished or bool(item.finish)
        yield item
    if not finished:
        raise AppError("chat.connection_lost", "no finish reason, no [DONE]", reason="the server closed the stream")
