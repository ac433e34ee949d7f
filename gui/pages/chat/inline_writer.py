"""The text inside a block: runs with their marks, links, formulas, and addresses where pictures would be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from markdown_it.token import Token
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QTextCharFormat, QTextCursor

from gui.pages.chat.formulas import Formulas
from gui.pages.chat.maths_rules import INLINE
from gui.pages.chat.text_style import FIXED, FORMULA, TextStyle

PICTURE_SCHEME: Final = "stowage-picture:"
_MARKS: Final = {"strong_open": "strong", "em_open": "em", "s_open": "s"}


def write_inline(
    cursor: QTextCursor,
    tokens: Sequence[Token],
    style: TextStyle,
    formulas: Formulas,
    outer: tuple[str, ...] = (),
) -> None:
    """Args: `outer`: the marks of the whole block."""
    marks = list(outer)
    for token in tokens:
        match token.type:
            case "text":
                cursor.insertText(token.content, style.characters(tuple(marks)))
            case "softbreak" | "hardbreak":
                cursor.insertText("\u2028", style.characters(tuple(marks)))
            case "code_inline":
                cursor.insertText(token.content, style.characters((*marks, "code")))
            case "link_open":
                marks.append(f"link:{token.attrGet('href')}")
            case "image":
                _picture(cursor, token, style, formulas, marks)
            case _ if token.type == INLINE:
                write_formula(cursor, token, style, formulas)
            case _ if token.type in _MARKS:
                marks.append(_MARKS[token.type])
            case _ if token.nesting < 0:
                marks.pop()


def write_formula(cursor: QTextCursor, token: Token, style: TextStyle, formulas: Formulas) -> None:
    """The drawing if it is there; else its source, which the drawing replaces when it comes (or never)."""
    form = QTextCharFormat(style.characters(FIXED))
    form.setProperty(FORMULA, token.markup)
    if formulas.insert(cursor, token.content, bool(token.meta["display"]), token.markup):
        return
    start = cursor.position()
    cursor.insertText(token.markup.replace("\n", "\u2028"), form)
    formulas.await_drawing(cursor, start, token.content, bool(token.meta["display"]), token.markup)


def _picture(cursor: QTextCursor, token: Token, style: TextStyle, formulas: Formulas, marks: Sequence[str]) -> None:
    """Nothing is fetched: the address stands there, and a click on it is the wish to see the picture."""
    address = str(token.attrGet("src") or "")
    words = token.content or QCoreApplication.translate("Pictures", "picture")
    if not address.lower().startswith(("http://", "https://")):
        cursor.insertText(f"[{words}]", style.characters((*marks, "quiet")))
        return
    if formulas.insert_picture(cursor, address, words):
        return
    text = QCoreApplication.translate("Pictures", "[Load the picture “{words}” from {address}]")
    form = style.characters((*marks, f"link:{PICTURE_SCHEME}{address}"))
    cursor.insertText(text.format(words=words, address=address), form)
