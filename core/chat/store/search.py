"""Finding words. The index holds no text of its own; it is told what to forget with the text that it was given.

Scripts that are written without spaces are indexed sign by sign, so that a part of a sentence is found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from sqlite3 import Connection
from typing import Final

from core.chat.records import Hit

BEFORE, AROUND = 40, 160
_TERM: Final = re.compile(r"\w+")
# Japanese, Chinese, Thai, Lao, Burmese, Khmer.
_UNSPACED: Final = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


def indexed(text: str) -> str:
    """The text as it goes into the index."""
    return _UNSPACED.sub(r" \g<0> ", text)


def add(db: Connection, seq: int, text: str) -> None:
    if text:
        db.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (seq, indexed(text)))


def forget(db: Connection, rows: Iterable[tuple[int, str]]) -> None:
    db.executemany(
        "INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)",
        [(seq, indexed(text)) for seq, text in rows if text],
    )


def query_of(text: str) -> str:
    """All words must be there; the last may be unfinished. "" when there is no word in `text`."""
    terms = _TERM.findall(text)
    quoted = [f'"{indexed(term).strip()}"' for term in terms]
    return " ".join([*quoted[:-1], quoted[-1] + "*"]) if quoted else ""


def find(db: Connection, text: str, limit: int) -> tuple[Hit, ...]:
    """Titles first, then messages, newest first. Ranking would read every message that has the words; the newest are
    what people look for."""
    query = query_of(text)
    if not query:
        return ()
    titles = _titles(db, text, limit)
    rows = db.execute(
        """
        SELECT m.conversation, c.title, m.id, m.role, m.content, m.created
        FROM words JOIN messages m ON m.seq = words.rowid JOIN conversations c ON c.id = m.conversation
        WHERE words MATCH ? AND m.hidden IS NULL AND c.gone IS NULL
        ORDER BY words.rowid DESC LIMIT ?
        """,
        (query, limit - len(titles)),
    )
    return (*titles, *(_hit(row, text) for row in rows))


def _titles(db: Connection, text: str, limit: int) -> list[Hit]:
    """Compared here, not by LIKE: SQLite folds the case of ASCII only."""
    terms = [term.casefold() for term in _TERM.findall(text)]
    rows = db.execute(
        "SELECT id, title, updated FROM conversations WHERE gone IS NULL AND title <> '' ORDER BY updated DESC"
    )
    found = [row for row in rows if all(term in row[1].casefold() for term in terms)]
    return [Hit(row[0], row[1], "", "user", row[1], marks(row[1], terms), row[2]) for row in found[:limit]]


def _hit(row: tuple[str, str, str, str, str, float], text: str) -> Hit:
    conversation, title, message, role, content, created = row
    terms = [term.casefold() for term in _TERM.findall(text)]
    first = min((begin for begin, _ in marks(content, terms)), default=0)
    begin = max(0, first - BEFORE)
    begin = content.rfind(" ", 0, begin) + 1 if begin else 0
    snippet = " ".join(content[begin : begin + AROUND].split())
    snippet = ("…" if begin else "") + snippet + ("…" if begin + AROUND < len(content) else "")
    return Hit(conversation, title, message, "assistant" if role == "assistant" else "user", snippet,
               marks(snippet, terms), created)  # fmt: skip


def marks(text: str, terms: Iterable[str]) -> tuple[tuple[int, int], ...]:
    """Where words begin with one of the (casefolded) terms, in order, without overlaps."""
    folded = text.lower()
    if len(folded) != len(text):  # a letter whose small form is longer: places would not fit
        return ()
    found = set[tuple[int, int]]()
    for term in terms:
        pattern = re.escape(term) if _UNSPACED.search(term) else rf"(?<!\w){re.escape(term)}"
        found |= {(match.start(), match.end()) for match in re.finditer(pattern, folded)}
    kept = list[tuple[int, int]]()
    for begin, end in sorted(found):
        if not kept or begin >= kept[-1][1]:
            kept.append((begin, end))
    return tuple(kept)
