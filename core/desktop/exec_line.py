"""The `Exec` value of a desktop entry: from a command to one line and back. Pure.

Source: Desktop Entry Specification 1.5, "The Exec key". Two layers of escaping lie over each other: the quoting of
arguments, then that of every string value (a backslash is written twice).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_PLAIN = re.compile(r"[A-Za-z0-9_@%+:,./-]+")
_ESCAPED_IN_QUOTES = re.compile(r'(["`$\\])')


def exec_line(command: Sequence[str]) -> str:
    """`command` as an `Exec` value.

    Raises:
        ValueError: an argument holds a control character, which no entry can carry.
    """
    # GLib looks the program up before it turns `%%` into `%`, and the specification forbids `=` in it: such a program
    # is started through `env`, which takes a path with `%`. With `=` in it even `env` would set a variable.
    if "=" in command[0]:
        raise ValueError(f"the path {command[0]!r} contains '='")
    through_env = ["env", *command] if "%" in command[0] else list(command)
    return " ".join(_argument(argument) for argument in through_env).replace("\\", "\\\\")


def _argument(argument: str) -> str:
    if any(ord(letter) < 32 or ord(letter) == 127 for letter in argument):
        raise ValueError(f"{argument!r} contains a control character")
    doubled = argument.replace("%", "%%")
    if _PLAIN.fullmatch(argument):
        return doubled
    return '"' + _ESCAPED_IN_QUOTES.sub(r"\\\1", doubled) + '"'


def parse_exec_line(value: str) -> list[str]:
    """The command that a menu runs for this `Exec` value.

    Raises:
        ValueError: the value is not well formed.
    """
    return list(_arguments(iter(value.replace("\\\\", "\\"))))


def _arguments(letters: Iterator[str]) -> Iterator[str]:
    word: list[str] | None = None
    quoted = False
    for letter in letters:
        if letter == '"':
            quoted = not quoted
            word = word or []
        elif letter == "\\" and quoted:
            word = [*(word or []), next(letters, "")]
        elif letter == "%":
            if next(letters, "") != "%":
                raise ValueError("a field code where none belongs")
            word = [*(word or []), "%"]
        elif letter == " " and not quoted:
            if word is not None:
                yield "".join(word)
            word = None
        else:
            word = [*(word or []), letter]
    if quoted:
        raise ValueError("a quote is not closed")
    if word is not None:
        yield "".join(word)
