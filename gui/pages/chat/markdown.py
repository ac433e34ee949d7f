"""Markdown that comes whole (a model's card) into the HTML that QTextDocument understands. Raw HTML, images and odd
links never pass. Messages, which grow, are read by `units` and written by `writer`, without any HTML."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

SAFE_SCHEMES = ("http://", "https://", "mailto:")


@dataclass(frozen=True, slots=True)
class Look:
    """Colour names and the font family that code is drawn with."""

    code_ground: str
    code_font: str
    line: str


def base_parser() -> MarkdownIt:
    """Markdown as models write it; raw HTML is text, and no link leads to a file, a script or into the app."""
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(["table", "strikethrough"])
    parser.validateLink = lambda url: url.lower().startswith(SAFE_SCHEMES)
    return parser


class MarkdownRenderer:
    def __init__(self, look: Look) -> None:
        self._look = look
        self._markdown = base_parser()
        renderer = RendererHTML()
        rules: dict[str, Any] = {
            "fence": self._code,
            "code_block": self._code,
            "code_inline": self._inline,
            "image": _image,
            "table_open": self._table,
        }
        renderer.rules |= rules
        self._markdown.renderer = renderer

    def parse(self, text: str) -> list[Token]:
        return self._markdown.parse(text)

    def html(self, text: str) -> str:
        # Without the final newline, which QTextDocument would keep as a space.
        return self._markdown.render(text).rstrip()

    def _code(self, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
        code = html.escape(tokens[index].content.rstrip("\n"))
        return (
            # QTextDocument knows no margin above a table: a low empty line stands in for it.
            '<p style="margin:0; font-size:3pt">&nbsp;</p><table width="100%" cellspacing="0" cellpadding="10"'
            f' bgcolor="{self._look.code_ground}"><tr><td>'
            f"<pre style=\"font-family:'{self._look.code_font}'; white-space:pre-wrap; margin:0\">{code}</pre>"
            "</td></tr></table>"
        )

    def _inline(self, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
        code = html.escape(tokens[index].content)
        style = f"font-family:'{self._look.code_font}'; background-color:{self._look.code_ground}"
        return f'<code style="{style}">{code}</code>'

    def _table(self, *_: Any) -> str:
        style = f"border-collapse:collapse; border-color:{self._look.line}"
        return f'<table cellspacing="0" cellpadding="6" border="1" style="{style}">'


def _image(tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    """Nothing is ever fetched: an image is shown as its words."""
    return html.escape(f"[{tokens[index].content or 'image'}]")
