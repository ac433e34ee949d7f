"""A refused request made acceptable, once per reason: what an older server or a strict chat template does not take."""

from __future__ import annotations

import re
from typing import Any, Final

from core.chat.conversation import fold_system
from core.errors import AppError

Body = dict[str, Any]

_STREAM_OPTION: Final = re.compile(r"continuous_usage_stats|stream_options|include_usage")
_ROLES: Final = re.compile(r"system role not supported|roles must alternate|only user and assistant", re.IGNORECASE)
_MAX_TOKENS: Final = re.compile(r"max_(?:completion_)?tokens")


def adapted(body: Body, error: AppError) -> Body | None:
    """The next body to try, None when the refusal stands.

    * An unknown stream option goes: first `continuous_usage_stats`, then all of `stream_options`.
    * `max_tokens` beyond the room that the prompt leaves goes: vLLM then fills what is left (every version read).
    * A system prompt that the template does not know moves into the first user turn.
    """
    text = error.detail
    options: dict[str, bool] = body.get("stream_options", {})
    if error.code == "chat.refused" and options and _STREAM_OPTION.search(text):
        rest = {key: value for key, value in body.items() if key != "stream_options"}
        return rest | {"stream_options": {"include_usage": True}} if "continuous_usage_stats" in options else rest
    if "max_tokens" in body and (_has_room(error) or (error.code == "chat.refused" and _MAX_TOKENS.search(text))):
        return {key: value for key, value in body.items() if key != "max_tokens"}
    if error.code == "chat.refused" and _ROLES.search(text):
        folded = list(fold_system(body["messages"]))
        return body | {"messages": folded} if folded != body["messages"] else None
    return None


def _has_room(error: AppError) -> bool:
    prompt, limit = error.facts.get("prompt_tokens"), error.facts.get("limit")
    return error.code == "chat.too_long" and isinstance(prompt, int) and isinstance(limit, int) and prompt < limit
