"""Codes into text, for the window and the terminal alike: a title, a sentence, and what to do next.

The texts are data (`resources/words/<language>.toml`), one table per code. Facts go in by name; those that end in
`_bytes` are shown in GiB. It is in `core` because the command line speaks both languages too, without Qt.
"""

from __future__ import annotations

import functools
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from core.errors import AppError, Fact
from core.events import ErrorInfo

RESOURCES: Final = Path(__file__).resolve().parent.parent / "resources"
LANGUAGES: Final = ("en", "ru")
UNKNOWN: Final = {"en": "unknown", "ru": "неизвестно"}
GIB: Final = 1024**3


@dataclass(frozen=True, slots=True)
class Words:
    """What a person reads about a failure. `details` is technical and folded away."""

    title: str
    sentence: str
    next_step: str
    details: str = ""

    def as_text(self) -> str:
        return "\n".join(part for part in (self.title, self.sentence, self.next_step) if part)


def explain(error: AppError | ErrorInfo, language: str) -> Words:
    """The words of one failure in `language` ("en", "ru"; anything else reads as English)."""
    language = language if language in LANGUAGES else "en"
    texts = catalogue(language)[error.code]
    shown = {name: show_fact(name, value, language) for name, value in error.facts.items()}
    last_words = error.last_words if isinstance(error, ErrorInfo) else ()
    details = "\n".join(part for part in (error.detail, *last_words) if part)
    return Words(
        texts["title"].format_map(shown),
        texts["sentence"].format_map(shown),
        texts["next"].format_map(shown),
        details,
    )


# Facts that count tokens, requests or the like.
_COUNTS: Final = frozenset(("context", "largest", "longest", "limit", "tokens", "value"))


def show_fact(name: str, value: Fact, language: str) -> str:
    """One fact as text: bytes as GiB with one decimal (two below 0.1), counts with separators, None as a word, steps
    and the product's own reasons in the language."""
    if value is None or value == "":
        return UNKNOWN[language]
    if name == "step":
        return term("step", str(value), language)
    if name == "reason" and language != "en":
        return _reason(str(value), language)
    if name.endswith("_bytes") and isinstance(value, int | float):
        return show_bytes(value, language)
    if name in _COUNTS and type(value) is int:
        return f"{value:,}".replace(",", "\u00a0") if language == "ru" else f"{value:,}"
    return str(value)


# Places of reasons that hold amounts; others hold versions, whose point stays.
_AMOUNTS: Final = frozenset(("rate", "share", "before", "seconds"))


def _reason(text: str, language: str) -> str:
    """Reasons are written in English where they arise (the log reads them, too); what comes from elsewhere stays."""
    for name, pattern in _reasons():
        if match := pattern.fullmatch(text):
            found = match.groupdict().items()
            places = {place: value.replace(".", ",") if place in _AMOUNTS else value for place, value in found}
            return terms(language)["reason"][name].format_map(places)
    return text


@functools.cache
def _reasons() -> tuple[tuple[str, re.Pattern[str]], ...]:
    found: list[tuple[str, re.Pattern[str]]] = []
    for name, text in terms("en")["reason"].items():
        parts = re.split(r"\{(\w+)\}", text)
        whole = "".join(f"(?P<{part}>.+?)" if place % 2 else re.escape(part) for place, part in enumerate(parts))
        found.append((name, re.compile(whole, re.DOTALL)))
    return tuple(found)


def show_bytes(count: float, language: str = "en") -> str:
    """Bytes as GiB, or MiB below 0.1 GiB, in the language's own unit and decimal mark."""
    unit, amount = ("GiB", count / GIB) if abs(count) >= 0.1 * GIB else ("MiB", count / 1024**2)
    text = f"{amount:.1f}" if unit == "GiB" else f"{amount:.0f}"
    if language == "ru":
        return f"{text.replace('.', ',')} {'ГиБ' if unit == 'GiB' else 'МиБ'}"
    return f"{text} {unit}"


@functools.cache
def catalogue(language: str) -> Mapping[str, Mapping[str, str]]:
    """All words of one language: code -> title, sentence, next."""
    with (RESOURCES / "words" / f"{language}.toml").open("rb") as file:
        return tomllib.load(file)


def term(group: str, name: str, language: str) -> str:
    """A short word of the product that is no error: a step, a phase, a state, a line of the command line.

    A name without words (a step that a newer recipe brings) is shown as it is.
    """
    language = language if language in LANGUAGES else "en"
    return terms(language).get(group, {}).get(name, name)


@functools.cache
def terms(language: str) -> Mapping[str, Mapping[str, str]]:
    """The terms of one language: group -> name -> text."""
    with (RESOURCES / "words" / f"terms.{language}.toml").open("rb") as file:
        return tomllib.load(file)


def resolve_language(setting: str) -> str:
    """The language to speak: the setting, or the system's for "system"."""
    if setting in LANGUAGES:
        return setting
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name):
            return "ru" if value.lower().startswith("ru") else "en"
    return "en"
