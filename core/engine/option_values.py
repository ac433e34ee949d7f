"""The values of one option, held against what the build takes for it."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final, cast

from core.engine.arguments import Argument
from core.engine.capabilities.model import Option
from core.errors import AppError

_BOOLEANS: Final = frozenset(("true", "false", "yes", "no", "on", "off", "1", "0"))
# Numbers that may be written "32k" (decimal) or "32K" (binary): `_compute_kwargs`, `engine/arg_utils.py`, 0.32.
SCALED: Final = frozenset(
    ("--max-model-len", "--max-num-batched-tokens", "--max-num-scheduled-tokens", "--kv-cache-memory-bytes",
     "--safetensors-prefetch-block-size", "--max-num-queued-tokens")
)  # fmt: skip
_SCALED_NUMBER: Final = re.compile(r"\d+(\.\d+)?[kmgt]|\d+[KMGT]")
_AUTO: Final = "--max-model-len"
_AROUND: Final = frozenset(("None", "Optional", "Union", "SkipValidation", "Annotated"))


def check_field(flag: str, field: str, option: Option) -> None:
    first = field.partition(".")[0].rstrip("+")
    if option.kind != "json":
        raise AppError("option.unknown", flag=f"{flag}.{field}", close=flag)
    if option.fields and first not in option.fields:
        raise AppError("option.unknown_field", flag=flag, field=first, known=", ".join(option.fields))


def check_values(argument: Argument, option: Option) -> None:
    flag, values = argument.flag, argument.values
    if option.kind in ("switch", "flag"):
        if values and values[0].lower() in _BOOLEANS:
            off = option.negative or "nothing"
            raise AppError("option.switch_value", flag=option.flag, value=values[0], negative=off)
        if values:
            raise AppError("option.not_a_flag", word=values[0])
        return
    if not values:
        raise AppError("option.no_value", flag=flag)
    _check_words(flag, values, option)


def _check_words(flag: str, values: tuple[str, ...], option: Option) -> None:
    if option.kind != "list" and len(values) > 1:
        raise AppError("option.many_values", flag=flag, value=" ".join(values[1:]))
    bad = next((value for value in values if option.closed and value not in (*option.choices, "None")), None)
    if bad is not None:
        raise AppError("option.bad_choice", flag=flag, value=bad, known=", ".join(option.choices))
    if option.kind == "value" and not option.choices:
        _check_number(flag, "".join(values), option)
    if option.kind == "json":
        _check_json(flag, "".join(values), option)


def number_type(option: Option) -> str:
    """ "int" or "float" for an option that takes a number and nothing else, "" for any other."""
    names = frozenset(re.findall(r"\w+", option.type)) - _AROUND
    if not names or not names <= {"int", "float"}:
        return ""
    return "float" if "float" in names else "int"


def _check_number(flag: str, text: str, option: Option) -> None:
    kind = number_type(option)
    if not kind or (text in ("", "None") and ("None" in option.type or "Optional" in option.type)):
        return
    if (flag in SCALED and _SCALED_NUMBER.fullmatch(text)) or (flag == _AUTO and text.lower() == "auto"):
        return
    if not (_is_float(text) if kind == "float" else _is_int(text)):
        raise AppError("option.bad_number", flag=flag, value=text)


def _is_int(text: str) -> bool:
    try:
        int(text)
    except ValueError:
        return False
    return True


def _is_float(text: str) -> bool:
    """A NaN passes vLLM's parser and stops it later."""
    try:
        return not math.isnan(float(text))
    except ValueError:
        return False


def _check_json(flag: str, text: str, option: Option) -> None:
    if not text.lstrip().startswith(("{", "[")):
        return
    try:
        value: Any = json.loads(text)
    except ValueError as error:
        raise AppError("option.bad_json", str(error), flag=flag, reason=str(error)) from error
    fields = list(cast("dict[str, Any]", value)) if isinstance(value, dict) and option.fields else []
    for field in fields:
        if field not in option.fields:
            raise AppError("option.unknown_field", flag=flag, field=field, known=", ".join(option.fields))
