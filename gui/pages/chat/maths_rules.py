"""Maths in Markdown: `$…$`, `$$…$$`, `\\(…\\)`, `\\[…\\]`, as rules for markdown-it.

A dollar is money unless Pandoc's rule makes it maths: the opening one has a character right after it that is no space,
the closing one a character before it that is no space and no digit after it. No formula runs over an empty line
(Pandoc's rule too), so a formula that was never closed ends with its paragraph.
"""

from __future__ import annotations

from typing import Final

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

INLINE: Final = "maths"
BLOCK: Final = "maths_block"
OPEN: Final = "open"
"""Key of the parser's environment: the text still grows, so a formula without its end is one that goes on."""

_PAIRS: Final = {"$$": "$$", "\\[": "\\]"}
_BRACKETS: Final = {"\\(": "\\)", "\\[": "\\]", "$$": "$$"}


def add_maths(markdown: MarkdownIt) -> None:
    # Before "escape", which would eat the backslash of \( and \[.
    markdown.inline.ruler.before("escape", INLINE, _inline)
    markdown.block.ruler.before(
        "fence", BLOCK, _block, {"alt": ["paragraph", "reference", "blockquote", "list", "heading"]}
    )


def _inline(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "$\\":
        return False
    mark = state.src[state.pos : state.pos + 2]
    if mark in _BRACKETS:
        return _bracketed(state, mark, silent)
    return mark[0] == "$" and _dollars(state, silent)


def _bracketed(state: StateInline, mark: str, silent: bool) -> bool:
    end = state.src.find(_BRACKETS[mark], state.pos + 2, state.posMax)
    tex = state.src[state.pos + 2 : end]
    if end < 0 or not tex.strip():
        return False
    return _take(state, tex, end + 2, mark != "\\(", silent)


def _dollars(state: StateInline, silent: bool) -> bool:
    source, start = state.src, state.pos + 1
    if start >= state.posMax or source[start].isspace():
        return False
    end = source.find("$", start + 1, state.posMax)
    while end > 0 and source[end - 1] == "\\":
        end = source.find("$", end + 1, state.posMax)
    # The first dollar decides, as in Pandoc: a later one would join two prices to a formula.
    if end < 0 or source[end - 1].isspace() or source[end + 1 : end + 2].isdigit():
        return False
    return _take(state, source[start:end], end + 1, False, silent)


def _take(state: StateInline, tex: str, end: int, display: bool, silent: bool) -> bool:
    if not silent:
        token = state.push(INLINE, "", 0)
        token.content = tex.strip()
        token.markup = state.src[state.pos : end]
        token.meta = {"display": display}
    state.pos = end
    return True


def _block(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """A formula that begins a line with `$$` or `\\[` and whose end ends a line."""
    if state.is_code_block(first):
        return False
    start = state.bMarks[first] + state.tShift[first]
    mark = state.src[start : start + 2]
    if mark not in _PAIRS:
        return False
    found = _last_line(state, first, last, mark)
    if found is None:
        return False
    if silent:
        return True
    line, closed = found
    source = state.getLines(first, line + 1, state.sCount[first], False).strip()
    token = state.push(BLOCK, "", 0)
    token.content = source[2:-2].strip() if closed else source[2:].strip()
    token.markup = source
    token.map = [first, line + 1]
    token.meta = {"display": True}
    token.hidden = not closed
    state.line = line + 1
    return True


def _last_line(state: StateBlock, first: int, last: int, mark: str) -> tuple[int, bool] | None:
    """The formula's last line and whether its end stands there; None when this is no formula."""
    for line in range(first, last):
        if line > first and (state.isEmpty(line) or state.sCount[line] < state.blkIndent):
            return None
        text = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].rstrip()
        body = text[2:] if line == first else text
        if (end := body.find(_PAIRS[mark])) >= 0:
            whole = end == len(body) - 2 and (line > first or body[:end].strip())
            return (line, True) if whole else None
    # Only the end of the text leaves it open, not the end of a quotation or an item.
    return (last - 1, False) if state.env.get(OPEN) and last >= len(state.bMarks) - 1 else None
