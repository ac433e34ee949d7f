"""Which lines of a log may matter, found fast. Pure.

A start writes thousands of lines of which some thirty matter. Searching a whole batch for a few fixed words costs a
fraction of a microsecond per line; the patterns then see only the lines that hold one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

_PREFIX: Final = re.compile(
    r"^\((?P<worker>(?P<process>[A-Za-z]\w*?)(?:[_-][\w-]+| [A-Z]+\d+)? pid=\d+)\) ?"
    r"(?:(?P<level>[A-Z]+) \d\d-\d\d [\d:]+ \[[^\]]*\] ?)?"
)
# 0.8.5 has no process in front.
_BARE: Final = re.compile(r"^(?P<level>DEBUG|INFO|WARNING|ERROR|CRITICAL) \d\d-\d\d [\d:]+ \[[^\]]*\] ?")


def with_any(lines: Sequence[str], words: Iterable[str]) -> list[tuple[int, list[str]]]:
    """The lines that hold one of `words` (ASCII, without a line break): index and words found, in the lines' order."""
    text = "\n".join(lines)
    if not text.isascii():
        # One odd letter (vLLM's logo) makes Python keep, and search, two bytes for each of all the others.
        text = text.encode("ascii", "replace").decode("ascii")
    hits: list[tuple[int, str]] = []
    for word in words:
        at = text.find(word)
        while at >= 0:
            hits.append((at, word))
            end = text.find("\n", at)
            at = text.find(word, end) if end >= 0 else -1
    if not hits:
        return []
    found: list[tuple[int, list[str]]] = []
    line, counted = 0, 0
    for at, word in sorted(hits):
        line += text.count("\n", counted, at)
        counted = at
        if found and found[-1][0] == line:
            found[-1][1].append(word)
        else:
            found.append((line, [word]))
    return found


def split(line: str) -> tuple[str, str, str]:
    """Process name ("EngineCore", "Worker", "" where the line has none), level ("" likewise), message."""
    match = _PREFIX.match(line)
    if match is not None:
        return match["process"], match["level"] or "", line[match.end() :]
    bare = _BARE.match(line)
    return ("", bare["level"], line[bare.end() :]) if bare is not None else ("", "", line)


def worker_of(line: str) -> str:
    """Who wrote it, as the line says ("Worker_TP1 pid=12"), "" for nobody."""
    match = _PREFIX.match(line)
    return match["worker"] if match is not None else ""
