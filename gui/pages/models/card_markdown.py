"""A model card into safe HTML: its text and links, never its HTML, its pictures only as links that a click opens."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urljoin

from markdown_it.token import Token

from gui.pages.chat.markdown import SAFE_SCHEMES, Look, MarkdownRenderer

LONGEST_CARD = 60_000
_BLANKS = re.compile(r"\n{3,}")


class CardRenderer(MarkdownRenderer):
    """Args: `base` the address that relative links of the card mean; `picture` what stands for one ("picture")."""

    def __init__(self, look: Look, base: str, picture: str) -> None:
        super().__init__(look)
        self._base = base
        self._picture = picture
        # Read as HTML so that it can be left out; nothing of it is passed on.
        self._markdown.options["html"] = True
        rules: dict[str, Any] = {
            "html_block": self._html,
            "html_inline": self._html,
            "image": self._image,
            "link_open": self._link,
        }
        self._markdown.renderer.rules |= rules  # pyright: ignore[reportAttributeAccessIssue]
        self._markdown.validateLink = lambda url: bool(self._absolute(url))

    def card(self, text: str) -> str:
        return self.html(_BLANKS.sub("\n\n", text[:LONGEST_CARD]))

    def _absolute(self, url: str) -> str:
        """The address behind a link of the card; "" for one that is not opened ("javascript:", "file:")."""
        absolute = urljoin(self._base, url.strip())
        return absolute if absolute.lower().startswith(SAFE_SCHEMES) else ""

    def _link(self, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
        return f'<a href="{html.escape(self._absolute(str(tokens[index].attrs.get("href", ""))))}">'

    def _image(self, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
        return self._shown(str(tokens[index].attrs.get("src", "")), tokens[index].content)

    def _html(self, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
        reader = _Reader()
        reader.feed(tokens[index].content)
        reader.close()
        pictures = " ".join(self._shown(source, words) for source, words in reader.pictures)
        text = html.escape(" ".join("".join(reader.texts).split()))
        return " ".join(part for part in (text, pictures) if part) + (" " if reader.breaks else "")

    def _shown(self, source: str, words: str) -> str:
        label = html.escape(f"[{self._picture}: {words}]" if words.strip() else f"[{self._picture}]")
        address = self._absolute(source)
        return f'<a href="{html.escape(address)}">{label}</a>' if address else label


class _Reader(HTMLParser):
    """The words and pictures of a piece of HTML."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[str] = []
        self.pictures: list[tuple[str, str]] = []
        self.breaks = False
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "img":
            self.pictures.append((values.get("src", ""), values.get("alt", "")))
        self.breaks = self.breaks or tag in ("br", "p", "div")
        self._silent += tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in ("script", "style") and self._silent > 0

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.texts.append(data)
