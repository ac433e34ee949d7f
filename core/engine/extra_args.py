"""Words that a person adds to the command line, held against what the build accepts, before anything is started."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Collection, Iterator
from typing import Any, Final, cast

from core.engine.arguments import Argument
from core.engine.capabilities.model import Capabilities, Option
from core.errors import AppError

# Set anew for every launch; the model has a place of its own.
OURS: Final = frozenset(("--host", "--port", "--model", "--uds", "--root-path", "--headless"))
SECRETS: Final = frozenset(("--api-key", "--hf-token"))
# What a build is read to accept may be less than it does: plugins add options of their own while vLLM starts
# (`current_platform.pre_register_and_update`, 0.33).
MAY_BE_WRONG: Final = frozenset(("option.unknown", "option.unlike", "option.unknown_field", "option.bad_choice"))
_NEGATIVE_NUMBER: Final = re.compile(r"-\d")
_LEVEL: Final = re.compile(r"-O[0-3]")
_BOOLEANS: Final = frozenset(("true", "false", "yes", "no", "on", "off", "1", "0"))


def grouped(words: Collection[str]) -> Iterator[Argument]:
    """Words as options with their values: `--x=1` is split, `--max_model_len` gets its dashes (vLLM does the same).

    Raises:
        AppError: `option.not_a_flag` for a word before any option.
    """
    flag = ""
    values: list[str] = []
    for word in words:
        if not is_flag(word):
            if not flag:
                raise AppError("option.not_a_flag", word=word)
            values.append(word)
            continue
        if flag:
            yield Argument(flag, tuple(values))
        name, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
        head, dot, rest = name.partition(".")
        flag, values = "--" + head[2:].replace("_", "-") + dot + rest if name[:2] == "--" else name, []
        if equals:
            values.append(value)
    if flag:
        yield Argument(flag, tuple(values))


def is_flag(word: str) -> bool:
    return len(word) > 1 and word.startswith("-") and not _NEGATIVE_NUMBER.match(word)


def check_extra(words: Collection[str], capabilities: Capabilities, ours: Collection[str] = ()) -> tuple[Argument, ...]:
    """The extra arguments, full names and all, if this build takes them.

    Args:
        ours: flags that stand on the command line already, as they are written there.

    Raises:
        AppError: `option.*`: the first thing that is wrong.
    """
    taken = {_key(flag, capabilities) for flag in ours}
    checked: list[Argument] = []
    for argument in grouped(words):
        full = _checked(argument, capabilities)
        key = _key(full.flag, capabilities)
        if key in taken and "." not in full.flag:
            raise AppError("option.twice", flag=full.flag)
        taken.add(key)
        checked.append(full)
    return tuple(checked)


def _key(flag: str, capabilities: Capabilities) -> str:
    option = capabilities.option(flag.partition(".")[0])
    return option.flag if option is not None else flag


def _checked(argument: Argument, capabilities: Capabilities) -> Argument:
    name, dot, field = argument.flag.partition(".")
    if _LEVEL.fullmatch(name):
        return Argument("--optimization-level", (name[2:],))
    if name == "--config":
        raise AppError("option.config_file")
    if name in SECRETS:
        raise AppError("option.secret", flag=name)
    if name in OURS:
        raise AppError("option.ours", flag=name)
    option = capabilities.option(name)
    if option is None:
        raise _unknown(name, capabilities)
    negative = name in option.spellings and name.startswith("--no-") and name != option.flag
    full = name if negative else option.flag
    if dot:
        _check_field(full, field, option)
        return Argument(full + dot + field, argument.values)
    _check_values(Argument(full, argument.values), option)
    return Argument(full, argument.values)


def _unknown(name: str, capabilities: Capabilities) -> AppError:
    longer = sorted(s for s in capabilities.by_spelling if s.startswith(name)) if name.startswith("--") else []
    if len(longer) == 1:
        return AppError("option.abbreviated", flag=name, full=longer[0])
    if longer:
        return AppError("option.ambiguous", flag=name, known=", ".join(longer[:5]))
    close = closest(name, capabilities.by_spelling)
    return AppError("option.unknown", flag=name, close=close) if close else AppError("option.unlike", flag=name)


def closest(name: str, known: Collection[str]) -> str:
    """The most similar of `known`, "" when none is near."""
    found = difflib.get_close_matches(name, sorted(known), 1, 0.6)
    return found[0] if found else ""


def _check_field(flag: str, field: str, option: Option) -> None:
    first = field.partition(".")[0].rstrip("+")
    if option.kind != "json":
        raise AppError("option.unknown", flag=f"{flag}.{field}", close=flag)
    if option.fields and first not in option.fields:
        raise AppError("option.unknown_field", flag=flag, field=first, known=", ".join(option.fields))


def _check_values(argument: Argument, option: Option) -> None:
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
    if option.kind == "json":
        _check_json(flag, "".join(values), option)


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
