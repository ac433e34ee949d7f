"""What may be asked of an answer beside the messages, and the form it takes in a request. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

import msgspec

from core.errors import AppError

OutputKind = Literal["json", "json_schema", "regex", "grammar", "choice"]
AtLimit = Literal["ask", "trim"]

# `structured_outputs` since 0.11; `guided_*` before (gone in 0.12). `response_format` for JSON in every version read.
STRUCTURED_SINCE: Final = (0, 11)


@dataclass(frozen=True, slots=True)
class OutputFormat:
    """What the answer must look like. `text`: a JSON schema, a regular expression, an EBNF grammar, or one choice per
    line; unused for "json" (any JSON object)."""

    kind: OutputKind
    text: str = ""


@dataclass(frozen=True, slots=True)
class Params:
    """None (or empty) leaves it to the server, whose defaults are the model's own `generation_config`.

    `top_k` -1 or 0 switches it off; `thinking` and `effort` go to the chat template where it knows them; `adapter`
    is the served name of a LoRA adapter; `at_limit` says what happens when the conversation outgrows the context: "ask"
    ends with `chat.too_long`, "trim" leaves the oldest turns out and marks it.
    """

    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    top_k: int | None = None
    min_p: float | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    repetition_penalty: float | None = None
    stop: tuple[str, ...] = ()
    output: OutputFormat | None = None
    thinking: bool | None = None
    effort: str | None = None
    adapter: str | None = None
    at_limit: AtLimit = "ask"


DEFAULTS: Final = Params()

_PLAIN: Final = (
    "max_tokens",
    "temperature",
    "top_p",
    "seed",
    "top_k",
    "min_p",
    "presence_penalty",
    "frequency_penalty",
    "repetition_penalty",
)


def to_body(params: Params, version: tuple[int, ...] = STRUCTURED_SINCE) -> dict[str, Any]:
    """The fields of a `/v1/chat/completions` request (vLLM 0.32, `chat_completion/protocol.py`).

    Args:
        version: of the running vLLM, for the form of structured output.

    Raises:
        AppError: `chat.bad_format` when the output's schema is no JSON object.
    """
    body: dict[str, Any] = {name: value for name in _PLAIN if (value := getattr(params, name)) is not None}
    if params.stop:
        body["stop"] = list(params.stop)
    if params.output is not None:
        body |= _structured(params.output, version)
    if template := template_kwargs(params):
        body["chat_template_kwargs"] = template
    if params.effort is not None:
        body["reasoning_effort"] = params.effort
    return body


def template_kwargs(params: Params) -> dict[str, Any]:
    """Both names that templates use: `enable_thinking` (Qwen3, GLM), `thinking` (DeepSeek V3.1, Granite). A template
    that knows neither ignores them."""
    return {} if params.thinking is None else {"enable_thinking": params.thinking, "thinking": params.thinking}


def _structured(output: OutputFormat, version: tuple[int, ...]) -> dict[str, Any]:
    if output.kind == "json":
        return {"response_format": {"type": "json_object"}}
    if output.kind == "json_schema":
        schema = {"name": "answer", "schema": _schema(output.text)}
        return {"response_format": {"type": "json_schema", "json_schema": schema}}
    if not output.text.strip():
        raise AppError("chat.bad_format", reason=output.kind)
    value = (
        [line.strip() for line in output.text.splitlines() if line.strip()] if output.kind == "choice" else output.text
    )
    if version >= STRUCTURED_SINCE:
        return {"structured_outputs": {output.kind: value}}
    return {f"guided_{output.kind}": value}


def _schema(text: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.MsgspecError as error:
        raise AppError("chat.bad_format", text[:200], reason=str(error)) from error
