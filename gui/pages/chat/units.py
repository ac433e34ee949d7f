"""A text that grows, cut into units: what can no longer change is given out once, only the open rest is read again.

A unit is a top-level block, or one item of a top-level list (answers may be one long list). The cost of a new token
therefore does not grow with the answer. What closes too early (a link whose address comes in a later block) is found by
comparing with `whole_text` at the end.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from gui.pages.chat.fences import OpenFence, opened_fence
from gui.pages.chat.markdown import base_parser
from gui.pages.chat.maths_rules import BLOCK, OPEN, add_maths

# Line ends of other systems, and characters that mean something to QTextDocument itself.
_ODD: Final = re.compile("\r\n?|[\x00\ufdd0\ufdd1\ufffc\ud800-\udfff\u2029\x0b\x0c\x1c-\x1e\x85]")
_LISTS: Final = ("bullet_list_open", "ordered_list_open")


@dataclass(frozen=True, slots=True)
class Unit:
    """The tokens of one block. `number`: what an item of an ordered list is counted as; `in_list`: it is a list's item
    (tokens are those of the item)."""

    tokens: Sequence[Token]
    line: int = field(default=0, compare=False)
    in_list: str = ""
    number: int = 0

    @property
    def signature(self) -> object:
        """Equal for units that look the same."""
        return self.in_list, self.number, tuple(_signature(token) for token in self.tokens)


@dataclass(frozen=True, slots=True)
class Step:
    """What a piece of text changed, in this order: `grown` goes to the end of the open code, which `sealed` closes;
    then `closed` units, then `open` ones, which the next step replaces."""

    grown: str = ""
    sealed: bool = False
    closed: Sequence[Unit] = ()
    open: Sequence[Unit] = ()
    code_open: bool = False


@functools.cache
def make_parser() -> MarkdownIt:
    """One for all: it keeps nothing of what it reads, and making one takes a millisecond."""
    parser = base_parser()
    add_maths(parser)
    return parser


def tidy(text: str) -> str:
    """Lines end with "\\n" only; nothing that QTextDocument takes for structure."""
    return _ODD.sub(lambda found: "\n" if found.group()[0] in "\r\u2029\x0b\x0c\x85" else "\ufffd", text)


def whole_text(text: str) -> list[Unit]:
    """The units of a finished text."""
    return _units(make_parser().parse(tidy(text)))


def correction(text: str, shown: Sequence[Unit]) -> list[Unit] | None:
    """The units of the whole text, or None when `shown` is the same already."""
    units = whole_text(text)
    return None if len(units) == len(shown) == same(units, shown) else units


def same(one: Sequence[Unit], other: Sequence[Unit]) -> int:
    """How many units are the same from the beginning on."""
    for number, (left, right) in enumerate(zip(one, other, strict=False)):
        if left.signature != right.signature:
            return number
    return min(len(one), len(other))


class Splitter:
    """`feed` with each piece of the text. `closed` is all that was given out for good."""

    def __init__(self) -> None:
        self._parser = make_parser()
        self._rest = ""
        self._held = ""
        self._fence: OpenFence | None = None
        self._list = ("", 0)
        self._open: Sequence[Unit] = ()
        self.closed: list[Unit] = []

    @classmethod
    def of(cls, units: Sequence[Unit]) -> Splitter:
        """A splitter that has given out a whole text."""
        made = cls()
        made.closed = list(units)
        return made

    @property
    def fence_open(self) -> bool:
        return self._fence is not None

    def open_units(self) -> Sequence[Unit]:
        """What is shown of the rest."""
        if self._fence is not None:
            return [Unit([self._fence.token(shown=True)])]
        return self._open

    def end(self) -> None:
        """Nothing more comes: what is open is closed as it is."""
        self.closed += self.open_units()
        self._open, self._rest, self._fence = (), "", None

    def feed(self, text: str) -> Step:
        text, self._held = self._held + text, ""
        if text.endswith("\r"):
            # Half of a line end, perhaps.
            text, self._held = text[:-1], "\r"
        text = tidy(text)
        if self._fence is None:
            return self._read(text)
        grown, ended, rest = self._fence.take(text)
        if not ended:
            return Step(grown=grown, code_open=True)
        self.closed.append(Unit([self._fence.token()]))
        self._fence = None
        self._rest, self._open = "", ()
        step = self._read(rest)
        return Step(grown, True, step.closed, step.open, step.code_open)

    def _read(self, text: str) -> Step:
        self._rest += text
        units = _units(self._parser.parse(self._rest, {OPEN: True}), self._list)
        closed = self._close(units)
        if len(units) == 1 and not units[0].in_list and (fence := opened_fence(self._rest, units[0].tokens)):
            self._fence = fence
        self._open = units
        return Step(closed=closed, open=units, code_open=self._fence is not None)

    def _close(self, units: list[Unit]) -> list[Unit]:
        """Take away what is final: all before the last unit that has a complete line."""
        lines = self._rest.split("\n")
        if any(token.type == BLOCK and token.hidden for unit in units[-1:] for token in unit.tokens):
            # A formula without its end may yet turn out to be a part of the paragraph before it.
            return []
        complete = [number for number, unit in enumerate(units) if unit.line < len(lines) - 1]
        if not complete or not complete[-1]:
            return []
        last = units[complete[-1]]
        closed = units[: complete[-1]]
        del units[: complete[-1]]
        self._rest = "\n".join(lines[last.line :])
        self._list = (last.in_list, last.number) if last.in_list else ("", 0)
        self.closed += closed
        return closed


def _units(tokens: Iterable[Token], going_on: tuple[str, int] = ("", 0)) -> list[Unit]:
    """Args: `going_on`: the list that the first item belongs to, and its number."""
    units: list[Unit] = []
    group: list[Token] = []
    for token in tokens:
        group.append(token)
        if token.level == 0 and token.nesting <= 0:
            if group[0].type in _LISTS:
                units += _items(group, going_on if not units else ("", 0))
            else:
                units.append(Unit(group, _line(group)))
            group = []
    return units


def _items(tokens: Sequence[Token], going_on: tuple[str, int]) -> list[Unit]:
    kind = tokens[0].type + tokens[0].markup
    number = going_on[1] if going_on[0] == kind else int(tokens[0].attrGet("start") or (0 if _zero(tokens[0]) else 1))
    units: list[Unit] = []
    group: list[Token] = []
    for token in tokens[1:-1]:
        group.append(token)
        if token.level == 1 and token.nesting < 0:
            units.append(Unit(group, _line(group), kind, number if kind.startswith("ordered") else 0))
            number += 1
            group = []
    return units


def _zero(token: Token) -> bool:
    return token.attrGet("start") == 0


def _line(tokens: Sequence[Token]) -> int:
    return tokens[0].map[0] if tokens[0].map else 0


def _signature(token: Token) -> Any:
    children = tuple(_signature(child) for child in token.children or ()) if token.type == "inline" else ()
    content = "" if token.type == "inline" else token.content.removesuffix("\n")
    return token.type, token.tag, content, token.info, tuple(sorted(token.attrs.items())), children
