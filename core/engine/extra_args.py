"""Words that a person adds to the command line, held against what the build accepts, before anything is started."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterator
from typing import Final

from core.engine.arguments import Argument
from core.engine.capabilities.model import Capabilities
from core.engine.option_values import check_field, check_values
from core.errors import AppError

# Set anew for every launch; the model has a place of its own.
OURS: Final = frozenset(("--host", "--port", "--model", "--uds", "--root-path", "--headless"))
SECRETS: Final = frozenset(("--api-key", "--hf-token"))
# What a build is read to accept may be less than it does: plugins add options of their own while vLLM starts
# (`current_platform.pre_register_and_update`, 0.33).
MAY_BE_WRONG: Final = frozenset(
    ("option.unknown", "option.unlike", "option.unknown_field", "option.bad_choice", "option.bad_number")
)
_NEGATIVE_NUMBER: Final = re.compile(r"-\d")
_LEVEL: Final = re.compile(r"-O[0-3]")


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
        check_field(full, field, option)
        return Argument(full + dot + field, argument.values)
    check_values(Argument(full, argument.values), option)
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
