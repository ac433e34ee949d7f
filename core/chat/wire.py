"""The bytes of `/v1/chat/completions` as values: one stream chunk, one error body. Pure and tolerant.

Tolerated, because servers in the wild send it: `choices` empty, null or absent; `usage` on no chunk, on all, or on one
without choices; null deltas and null content; the reasoning field under either name (`reasoning_content` up to vLLM
0.10.2, both in 0.12, `reasoning` since 0.16); an error object in a stream that began with status 200.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final, cast

import msgspec

from core.chat.speed import Usage
from core.errors import AppError

REASON_LENGTH: Final = 600

# "maximum context length is 8192 tokens. However, you requested 8204 tokens (12 in the messages, 8192 in the
# completion)" (older), "... However, your prompt contains at least 8193 input tokens, which exceeds this limit" (0.32).
_LIMIT: Final = re.compile(
    r"maximum (?:context length|model length) (?:is|of) (\d+)|maximum context length \((\d+)\)|max_model_len=(\d+)"
)
_PROMPT: Final = re.compile(
    r"\((\d+) in the (?:messages|prompt)|contains (?:at least )?(\d+) input tokens|Input length \((\d+)\)"
)
_TOO_LONG: Final = re.compile(r"maximum context length|reduce the length of the (?:messages|input)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class StreamItem:
    """One chunk of an answer. `at_s` is `time.monotonic()` when its bytes came; `usage` the counts so far, if told;
    `finish` why the answer ended ("stop", "length", ...), "" while it goes on."""

    at_s: float
    content: str = ""
    reasoning: str = ""
    usage: Usage | None = None
    finish: str = ""

    @property
    def has_text(self) -> bool:
        return bool(self.content or self.reasoning)


class _Delta(msgspec.Struct):
    content: str | None = None
    reasoning: str | None = None
    reasoning_content: str | None = None


class _Choice(msgspec.Struct):
    delta: _Delta | None = None
    finish_reason: str | None = None
    index: int | None = 0


class _Details(msgspec.Struct):
    cached_tokens: int | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = 0
    completion_tokens: int | None = 0
    prompt_tokens_details: _Details | None = None  # with --enable-prompt-tokens-details only


class _Chunk(msgspec.Struct):
    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    error: Any = None


_chunks = msgspec.json.Decoder(_Chunk)


def parse_chunk(data: str, at_s: float) -> StreamItem:
    """One `data:` value as an item.

    Raises:
        AppError: `chat.bad_stream` when it is no chunk, or what `refusal` makes of an error object.
    """
    try:
        chunk = _chunks.decode(data)
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise AppError("chat.bad_stream", data[:REASON_LENGTH], reason=str(error)) from error
    if chunk.error:
        raise refusal(200, data)
    usage = None
    if chunk.usage is not None:
        details = chunk.usage.prompt_tokens_details or _Details()
        usage = Usage(chunk.usage.prompt_tokens or 0, chunk.usage.completion_tokens or 0, details.cached_tokens)
    choice = chunk.choices[0] if chunk.choices else _Choice()
    delta = choice.delta or _Delta()
    return StreamItem(
        at_s,
        content=delta.content or "",
        reasoning=delta.reasoning or delta.reasoning_content or "",
        usage=usage,
        finish=choice.finish_reason or "",
    )


def refusal(status: int, body: str) -> AppError:
    """What an answer that is no stream means. `status` is HTTP's; an error object's own `code` wins over 200."""
    message, code = _error_of(body)
    status = code if status == 200 and code else status
    reason = message[:REASON_LENGTH]
    if status == 401:
        return AppError("chat.unauthorized", reason)
    if status == 404:
        return AppError("chat.model_gone", reason, reason=reason)
    if status >= 500:
        return AppError("chat.server_error", reason, status=status, reason=reason)
    if _TOO_LONG.search(message):
        prompt_tokens, limit = _number(_PROMPT, message), _number(_LIMIT, message)
        return AppError("chat.too_long", reason, prompt_tokens=prompt_tokens, limit=limit)
    return AppError("chat.refused", reason, status=status, reason=reason)


def _error_of(body: str) -> tuple[str, int]:
    """Message and code of `{"error": {"message": ..., "code": ...}}` (0.28+), `{"error": "text"}` (its 401), the flat
    `{"object": "error", "message": ...}` (up to 0.10), `{"detail": ...}` (FastAPI) or plain text."""
    try:
        raw: Any = msgspec.json.decode(body)
    except (msgspec.MsgspecError, UnicodeError):
        return body.strip(), 0
    fields = _object(raw)
    found = fields.get("error") or fields.get("message") or fields.get("detail")
    inner = _object(found)
    code = inner.get("code")
    found = inner.get("message") or found
    return (found if isinstance(found, str) else body), (code if isinstance(code, int) else 0)


def _object(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _number(pattern: re.Pattern[str], message: str) -> int | None:
    match = pattern.search(message)
    return next((int(group) for group in match.groups() if group), None) if match else None
