"""Other models that a launch names besides the one that it serves: a tokenizer's, a draft's. Pure, but for a look
whether a name is a folder here."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final, cast

from core.engine.arguments import Argument
from core.engine.command import LaunchRequest, sheet_of
from core.engine.extra_args import grouped
from core.errors import AppError

_NAMING: Final = ("--tokenizer", "--hf-config-path", "--speculative-config.model")
_SPECULATIVE: Final = ("--speculative-config", "-sc")
# "organisation/name" as the Hub writes it; a folder that is called so goes first in vLLM too.
_HUB_ID: Final = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")


def named_models(request: LaunchRequest) -> tuple[str, ...]:
    """The Hub's ids, in the order of the command line."""
    names = (name for argument in _arguments(request) for name in _named(argument))
    return tuple(dict.fromkeys(name for name in names if _HUB_ID.fullmatch(name) and not Path(name).exists()))


def _arguments(request: LaunchRequest) -> tuple[Argument, ...]:
    try:
        return tuple(grouped((*sheet_of(request).words, *request.extra_args)))
    except AppError:
        return ()


def _named(argument: Argument) -> tuple[str, ...]:
    if argument.flag in _NAMING:
        return argument.values
    if argument.flag not in _SPECULATIVE:
        return ()
    try:
        config: Any = json.loads(" ".join(argument.values))
    except ValueError:
        return ()
    model = cast("dict[str, Any]", config).get("model") if isinstance(config, dict) else None
    return (model,) if isinstance(model, str) else ()
