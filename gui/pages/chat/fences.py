"""Fenced code that is still being written: more lines are added without reading the block again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from markdown_it.common.utils import unescapeAll
from markdown_it.token import Token

_OPENING: Final = re.compile(r"(`{3,}|~{3,})([^\n]*)\n")
_PERHAPS_END: Final = re.compile(r" {0,3}(?:`*|~*)[ \t]*")


class OpenFence:
    """`take` the text that comes; `shown` is what stands in the code's frame (never the newline at its end)."""

    def __init__(self, mark: str, info: str, body: str) -> None:
        self._end = re.compile(rf" {{0,3}}{re.escape(mark[0])}{{{len(mark)},}}[ \t]*")
        self._mark = mark
        self._info = info
        self._lines = ""
        self._unfinished = ""
        self.shown = ""
        self.take(body)

    def take(self, text: str) -> tuple[str, bool, str]:
        """What is new to show, whether the end came, and what followed it."""
        waiting = self._unfinished + text
        at = 0
        while (end := waiting.find("\n", at)) >= 0:
            if self._end.fullmatch(waiting, at, end):
                self._lines += waiting[:at]
                self._unfinished = ""
                return self._grown(self._lines.removesuffix("\n")), True, waiting[end + 1 :]
            at = end + 1
        self._lines += waiting[:at]
        self._unfinished = waiting[at:]
        # A line that may turn into the end is not shown before it is known to be code.
        begun = "" if _PERHAPS_END.fullmatch(self._unfinished) else self._unfinished
        return self._grown(self._lines + begun if begun else self._lines.removesuffix("\n")), False, ""

    def token(self, *, shown: bool = False) -> Token:
        """As the parser would give it, or with what is shown so far."""
        content = self.shown if shown else self._lines
        return Token("fence", "code", 0, info=self._info, content=content, markup=self._mark, block=True)

    def _grown(self, shown: str) -> str:
        grown = shown[len(self.shown) :]
        self.shown = shown if len(shown) >= len(self.shown) else self.shown
        return grown


def opened_fence(source: str, tokens: Sequence[Token]) -> OpenFence | None:
    """The fence that `source` consists of, if it has begun and not ended."""
    if tokens[0].type != "fence":
        return None
    opening = _OPENING.match(source.lstrip("\n"))
    if opening is None:
        return None
    body = source.lstrip("\n")[opening.end() :]
    fence = OpenFence(opening.group(1), unescapeAll(opening.group(2).strip()), "")
    return None if fence.take(body)[1] else fence
