"""A child's output, bytes in, lines out. Pure; standard library only, since the guardian uses it."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Final

LINE_BYTES: Final = 16 * 1024
CUT_MARK: Final = " … [line cut]"

_BREAKS: Final = re.compile(rb"[\r\n]+")
# CSI (colours, cursor), OSC (titles, links) and the two-byte escapes.
_ANSI: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
# A cut could leave the first half of a secret, which `redact` does not know: so much of a cut line's end is dropped.
_LONGEST_SECRET: Final = 512


class LineSplitter:
    """Splits at `\\n` and `\\r`, leaves out empty lines, strips ANSI codes, replaces invalid UTF-8.

    A line longer than `limit` bytes is given out cut, with `CUT_MARK`, as soon as it is; its rest is dropped. So the
    memory held is bounded whatever the child writes. `redact` is applied to cut lines, before the cut; whole lines are
    the caller's to redact.
    """

    def __init__(self, limit: int = LINE_BYTES, redact: Callable[[str], str] = str) -> None:
        self._limit = limit
        self._redact = redact
        self._rest = b""
        self._dropping = False

    def feed(self, data: bytes) -> list[str]:
        """The lines that `data` completes, oldest first."""
        return [line for line in self._split(data) if line]

    def _split(self, data: bytes) -> list[str]:
        first, *others = _BREAKS.split(data)
        lines = self._grow(first)
        if not others:
            return lines
        if not self._dropping and self._rest:
            lines.append(_text(self._rest))
        self._dropping = False
        self._rest = b""
        for raw in others[:-1]:
            lines.append(_text(raw) if len(raw) <= self._limit else self._cut(raw))
        return lines + self._grow(others[-1])

    def finish(self) -> list[str]:
        """What was left without an end."""
        rest, self._rest = self._rest, b""
        return [_text(rest)] if rest else []

    def _grow(self, data: bytes) -> list[str]:
        if self._dropping:
            return []
        self._rest += data
        if len(self._rest) <= self._limit:
            return []
        line = self._cut(self._rest)
        self._rest = b""
        self._dropping = True
        return [line]

    def _cut(self, raw: bytes) -> str:
        text = self._redact(_text(raw[: self._limit]))
        return text[: max(1, len(text) - _LONGEST_SECRET)] + CUT_MARK


class Tail:
    """The newest lines, bounded in number and in characters."""

    def __init__(self, max_lines: int, max_chars: int) -> None:
        self._lines: deque[str] = deque()
        self._max_lines = max_lines
        self._max_chars = max_chars
        self._chars = 0
        self.dropped = 0

    def extend(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._lines.append(line)
            self._chars += len(line)
        while len(self._lines) > self._max_lines or (self._chars > self._max_chars and len(self._lines) > 1):
            self._chars -= len(self._lines.popleft())
            self.dropped += 1

    def take(self) -> tuple[list[str], int]:
        """All lines and the number of those dropped before them; empty afterwards."""
        lines, dropped = list(self._lines), self.dropped
        self._lines.clear()
        self._chars = self.dropped = 0
        return lines, dropped

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._lines))

    def __len__(self) -> int:
        return len(self._lines)


def _text(raw: bytes) -> str:
    text = raw.decode("utf-8", "replace")
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    return _CONTROL.sub("", text) if not text.isprintable() else text
