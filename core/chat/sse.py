"""Server-sent events, decoded as the bytes come. Pure: no I/O, no clock.

Follows the WHATWG event stream grammar (LF, CRLF and CR line ends, comments, multi-line data, a leading byte order
mark) for the fields `data` and `event`. Any cut of a stream into pieces gives the same events. It never raises: bytes
that are no UTF-8 are replaced, unknown fields are ignored, a line beyond `max_line_bytes` is dropped and counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

BOM: Final = b"\xef\xbb\xbf"
MAX_LINE_BYTES: Final = 16 * 1024**2


@dataclass(frozen=True, slots=True)
class SseEvent:
    """One event: `data` with its lines joined by a newline, `event` its type ("" when the stream gave none)."""

    data: str
    event: str = ""


class SseDecoder:
    """Feed bytes, get the events that they complete. `finish` gives what a stream without a last blank line left."""

    def __init__(self, max_line_bytes: int = MAX_LINE_BYTES) -> None:
        self._max_line_bytes = max_line_bytes
        self._parts: list[bytes] = []
        self._size = 0
        self._after_cr = False
        self._first_line = True
        self._data: list[str] = []
        self._event = ""
        self.dropped_lines = 0

    def feed(self, piece: bytes) -> list[SseEvent]:
        if not piece:
            return []
        lines = self._normalised(piece).split(b"\n")
        tail = lines.pop()
        events: list[SseEvent] = []
        for line in lines:
            self._keep(line)
            if (event := self._end_line()) is not None:
                events.append(event)
        if tail:
            self._keep(tail)
        return events

    def finish(self) -> list[SseEvent]:
        """The end of the stream. The grammar drops an event without its blank line; servers do end so, it is kept."""
        last = self._end_line() if self._parts else None
        rest = self._dispatch()
        return [event for event in (last, rest) if event is not None]

    def _normalised(self, piece: bytes) -> bytes:
        """CRLF and CR become LF, also where a CRLF is cut in two."""
        if self._after_cr and piece.startswith(b"\n"):
            piece = piece[1:]
            self._after_cr = False
            if not piece:
                return b""
        self._after_cr = piece.endswith(b"\r")
        if b"\r" in piece:
            piece = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        return piece

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        if self._size <= self._max_line_bytes:
            self._parts.append(part)
        else:
            self._parts = [b""]

    def _end_line(self) -> SseEvent | None:
        line = b"".join(self._parts)
        too_long = self._size > self._max_line_bytes
        self._parts, self._size = [], 0
        if self._first_line:
            self._first_line = False
            line = line.removeprefix(BOM)
        if too_long:
            self.dropped_lines += 1
            return None
        if not line:
            return self._dispatch()
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value.decode("utf-8", errors="replace"))
        elif name == b"event":
            self._event = value.decode("utf-8", errors="replace")
        return None

    def _dispatch(self) -> SseEvent | None:
        data, event = self._data, self._event
        self._data, self._event = [], ""
        return SseEvent("\n".join(data), event) if data else None
