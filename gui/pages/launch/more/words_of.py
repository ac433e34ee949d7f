"""Values that are typed as words: `name=folder`, `NAME=value`, `image=2`, flags. Pure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import PurePath

from core.engine.options import Lora

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def words(text: str) -> tuple[str, ...]:
    """Raises: ValueError: a quote that is not closed; its text is what stands there."""
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise ValueError(text.strip()) from error


def joined(values: Sequence[str]) -> str:
    return shlex.join(values)


def loras(text: str) -> tuple[Lora, ...]:
    """A folder without a name is called as the folder."""
    return tuple(_lora(word) for word in words(text))


def _lora(word: str) -> Lora:
    name, equals, path = word.partition("=")
    return Lora(name, path) if equals and name else Lora(PurePath(word.lstrip("=")).name, word.lstrip("="))


def written_loras(values: Sequence[Lora]) -> str:
    return joined([f"{each.name}={each.path}" for each in values])


def pairs(text: str) -> tuple[tuple[str, str], ...]:
    """Raises: ValueError: a word that is no NAME=value; its text is the word."""
    found: dict[str, str] = {}
    for word in words(text):
        name, equals, value = word.partition("=")
        if not equals or not _VARIABLE.match(name):
            raise ValueError(word)
        found[name] = value
    return tuple(sorted(found.items()))


def written_pairs(values: Sequence[tuple[str, object]]) -> str:
    return joined([f"{name}={value}" for name, value in values])


def counts(text: str) -> tuple[tuple[str, int], ...]:
    """Raises: ValueError: a word that is no name=number; its text is the word."""
    found: list[tuple[str, int]] = []
    for name, value in pairs(text):
        if not value.isdecimal():
            raise ValueError(f"{name}={value}")
        found.append((name, int(value)))
    return tuple(found)
