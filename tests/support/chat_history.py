"""Large files of conversations for measurements and tests, written by the store's own functions."""

from __future__ import annotations

import asyncio
import functools
import random
from collections.abc import Iterable, Sequence
from pathlib import Path

from core.chat.exchange.archive import Archived
from core.chat.store import whole
from core.chat.store.database import Database
from core.chat.store.schema import MIGRATIONS
from core.chat.tree import Message, Role
from core.events import FinishReason

COMMON = (
    *("the", "of", "and", "to", "in", "is", "that", "it", "was", "for"),
    *("on", "are", "as", "with", "they", "at", "be", "this", "have", "from"),
)
SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
VOCABULARY = 60_000


def words(count: int, seed: int) -> str:
    """Text in which a few words are everywhere and most are rare, as in a language."""
    source = random.Random(seed)
    drawn = (rare_word(int(source.paretovariate(0.6)) % VOCABULARY) for _ in range(count))
    return " ".join(source.choice(COMMON) if source.random() < 0.4 else next(drawn) for _ in range(count))


@functools.cache
def rare_word(number: int) -> str:
    """One of `VOCABULARY` words: a few letters, spread over the alphabet."""
    source = random.Random(number)
    return "".join(source.choice(SYLLABLES) for _ in range(2 + number % 3))


def talk(turns: int, seed: int, length: int = 80) -> Archived:
    """A line of questions and answers."""
    messages = list[Message]()
    for number in range(turns):
        parent = messages[-1].id if messages else None
        role = "assistant" if number % 2 else "user"
        content = words(length, seed * 100_000 + number)
        messages.append(Message(role, content, id=str(number), parent=parent, created=float(number)))
    return Archived(tuple(messages), messages[-1].id, f"Talk {seed}")


def fill(path: Path, talks: int, turns: int, length: int = 80) -> tuple[str, ...]:
    """A file with so many conversations of so many messages; gives their ids."""
    return put(path, (talk(turns, number, length) for number in range(talks)))


def line_of(texts: Sequence[tuple[str, str]], title: str) -> Archived:
    """Questions and their answers, one after another."""
    messages = list[Message]()

    def add(role: Role, content: str, finish: FinishReason | None = None) -> None:
        number, parent = len(messages), messages[-1].id if messages else None
        messages.append(
            Message(role, content, id=str(number), parent=parent, created=float(number), model="model", finish=finish)
        )

    for question, answer in texts:
        add("user", question)
        add("assistant", answer, FinishReason.STOP)
    return Archived(tuple(messages), messages[-1].id, title)


def put(path: Path, talks: Iterable[Archived]) -> tuple[str, ...]:
    """A file with these conversations; gives their ids."""

    async def main() -> tuple[str, ...]:
        database = Database(path, MIGRATIONS)
        try:
            made = list[str]()
            for archived in talks:
                made.append((await database.write(lambda db, archived=archived: whole.write(db, archived))).id)
            return tuple(made)
        finally:
            await database.close()

    return asyncio.run(main())
