"""Code into coloured pieces, line by line. Pure; heavy for long code, so the window runs it `runtime.in_thread`."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pygments.lexer import Lexer

MOST_CHARACTERS: Final = 200_000
# (start, length, kind); start and length count UTF-16 units, as QTextLayout does.
Span = tuple[int, int, "Ink"]
Line = tuple[Span, ...]


class Ink(enum.StrEnum):
    """What a piece of code is; its colour is the theme's."""

    KEYWORD = "keyword"
    NAME = "name"
    TEXT = "text"
    NUMBER = "number"
    COMMENT = "comment"
    ADDED = "added"
    REMOVED = "removed"


# From the particular to the general: the first ancestor of a token type that stands here decides.
_INKS: Final = {
    "Token.Comment.Preproc": Ink.KEYWORD,
    "Token.Comment.PreprocFile": Ink.TEXT,
    "Token.Comment": Ink.COMMENT,
    "Token.Keyword": Ink.KEYWORD,
    "Token.Operator.Word": Ink.KEYWORD,
    "Token.Name.Function": Ink.NAME,
    "Token.Name.Class": Ink.NAME,
    "Token.Name.Builtin": Ink.NAME,
    "Token.Name.Decorator": Ink.NAME,
    "Token.Name.Tag": Ink.KEYWORD,
    "Token.Name.Attribute": Ink.NAME,
    "Token.Literal.String": Ink.TEXT,
    "Token.Literal.Number": Ink.NUMBER,
    "Token.Generic.Heading": Ink.KEYWORD,
    "Token.Generic.Subheading": Ink.KEYWORD,
    "Token.Generic.Inserted": Ink.ADDED,
    "Token.Generic.Deleted": Ink.REMOVED,
}


def coloured(code: str, language: str) -> tuple[Line, ...]:
    """The coloured pieces of each line of `code` (lines end with "\\n" only). Nothing for an unknown language, and for
    code too long to be worth it."""
    lexer = _lexer(language)
    if lexer is None or len(code) > MOST_CHARACTERS:
        return ()
    lines: list[list[Span]] = [[]]
    column = 0
    for kind, text in lexer.get_tokens(code):
        ink = _ink(kind)
        for number, part in enumerate(text.split("\n")):
            if number:
                lines.append([])
                column = 0
            length = _units(part)
            if ink is not None and length:
                lines[-1].append((column, length, ink))
            column += length
    return tuple(tuple(line) for line in lines)


def _lexer(language: str) -> Lexer | None:
    from pygments.lexers import get_lexer_by_name  # pyright: ignore[reportUnknownVariableType]
    from pygments.util import ClassNotFound

    if not language:
        return None
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def _ink(kind: object) -> Ink | None:
    while kind is not None:
        if (found := _INKS.get(str(kind))) is not None:
            return found
        kind = getattr(kind, "parent", None)
    return None


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text) + sum(character > "\uffff" for character in text)
