"""What the file of conversations costs: opening a long one, finding words among 100,000 messages.

`LIKE` over the same rows, which is what a chat without an index does, stands beside the search.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import statistics
import time
from pathlib import Path

import pytest

from tests.support.chat_history import fill, rare_word
from tests.support.chats import Chats

ROOT = Path(__file__).parents[2]
TALKS, TURNS, LONG = 98, 1000, 2000
OPEN_MS, SEARCH_MS = 100.0, 50.0
QUERIES = (
    "the",
    "t",
    "the of and",
    "was it for this from",
    rare_word(1),
    rare_word(2)[:3],
    f"{rare_word(1)} the",
    f"{rare_word(4321)} {rare_word(7)}",
    rare_word(59_000),
    "nowhere",
    "talk 5",
)


@pytest.mark.bench
@pytest.mark.timeout(300)
def test_opening_and_searching(tmp_path: Path) -> None:
    fill(tmp_path / "conversations.db", TALKS, TURNS, length=60)
    (long,) = fill(tmp_path / "conversations.db", 1, LONG, length=60)
    figures = asyncio.run(measured(tmp_path, long))
    figures["like_ms"] = like(tmp_path / "conversations.db", rare_word(4321))
    figures["file_mib"] = (tmp_path / "conversations.db").stat().st_size / 1024**2
    target = ROOT / "artefacts" / "bench"
    target.mkdir(parents=True, exist_ok=True)
    (target / "chat_store.json").write_text(json.dumps(figures, indent=2), encoding="utf-8")
    print(json.dumps(figures, indent=2))
    assert figures["open_ms"] <= OPEN_MS
    assert figures["open_first_ms"] <= OPEN_MS
    assert figures["search_worst_ms"] <= SEARCH_MS


async def measured(folder: Path, long: str) -> dict[str, float]:
    """Medians of five; `open_first_ms` is the very first look at the file, a new process's."""
    chats = Chats(folder)
    try:
        began = time.perf_counter()
        page = await chats.verbs.open(long)
        first_ms = (time.perf_counter() - began) * 1000
        assert (len(page.messages), page.older, page.info.count) == (40, LONG - 40, LONG)
        opened = [await timed(chats, "open", long) for _ in range(5)]
        listed = [await timed(chats, "list") for _ in range(5)]
        searched = {
            query: statistics.median([await timed(chats, "search", query) for _ in range(5)]) for query in QUERIES
        }
        print({query: round(ms, 1) for query, ms in searched.items()})
        return {
            "messages": TALKS * TURNS + LONG,
            "open_first_ms": first_ms,
            "open_ms": statistics.median(opened),
            "list_ms": statistics.median(listed),
            "search_median_ms": statistics.median(searched.values()),
            "search_worst_ms": max(searched.values()),
        }
    finally:
        await chats.close()


async def timed(chats: Chats, verb: str, *arguments: str) -> float:
    began = time.perf_counter()
    await getattr(chats.verbs, verb)(*arguments)
    return (time.perf_counter() - began) * 1000


def like(path: Path, word: str) -> float:
    with sqlite3.connect(path) as db:
        began = time.perf_counter()
        db.execute("SELECT id FROM messages WHERE content LIKE ? ORDER BY seq DESC LIMIT 50", (f"%{word}%",)).fetchall()
        took = (time.perf_counter() - began) * 1000
    db.close()
    return took
