"""What is kept when a Stowage is killed, when two share the file, when the file is broken, older or newer."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from core.chat.events import ConversationChanged
from core.chat.store import changes
from core.chat.store.database import Database
from core.chat.store.schema import MIGRATIONS
from core.errors import AppError
from core.events import FinishReason, Notice
from tests.fakes.fake_chat import WORDS
from tests.support.chats import Chats, chat_child, line, run, said
from tests.support.fake_chat_server import fake_chat, until


def written(child: subprocess.Popen[str]) -> int:
    """Characters of the answer that the child has shown."""
    word, _, number = line(child).partition(" ")
    assert word == "WROTE", word
    return int(number)


def text_of(tokens: int) -> str:
    return "".join(WORDS[number % len(WORDS)] for number in range(tokens))


async def one_conversation(folder: Path) -> str:
    chats = Chats(folder)
    try:
        page = await chats.verbs.new()
        await chats.verbs.rename(page.info.id, "kept")
        return page.info.id
    finally:
        await chats.close()


def test_a_kill_in_the_middle_loses_at_most_the_last_second(tmp_path: Path) -> None:
    conversation = asyncio.run(one_conversation(tmp_path))
    rate = 50
    with (
        fake_chat("--tokens", "1000", "--rate", str(rate)) as endpoint,
        chat_child(tmp_path, endpoint, conversation, "count") as child,
    ):
        shown = written(child)
        began = time.monotonic()
        while time.monotonic() - began < 1.6:
            shown = written(child)
        child.kill()
        child.wait()

    async def look(chats: Chats) -> None:
        page = await chats.verbs.open(conversation)
        question, answer = page.messages
        assert (question.content, page.answering, page.elsewhere) == ("count", "", False)
        assert (answer.finish, answer.running, answer.can_continue) == (FinishReason.INTERRUPTED, False, True)
        assert text_of(1000).startswith(answer.content)
        lost = len(text_of(1000)[len(answer.content) : shown].split())
        assert lost <= rate, f"{lost} words of the last second and before"
        hits = await chats.verbs.search("schön")
        assert [hit.message for hit in hits] == [answer.id]

    run(tmp_path, None, look)


def test_another_stowage_is_seen_while_it_answers_and_cannot_be_crossed(tmp_path: Path) -> None:
    conversation = asyncio.run(one_conversation(tmp_path))
    with fake_chat("--tokens", "60", "--rate", "30") as endpoint:

        async def look(chats: Chats) -> None:
            before = await chats.verbs.open(conversation)
            with chat_child(tmp_path, endpoint, conversation, "count") as child:
                await asyncio.to_thread(written, child)

                async def heard() -> bool:
                    return any(isinstance(e, ConversationChanged) and e.elsewhere for e in chats.heard)

                await until(heard)
                page = await chats.verbs.open(conversation)
                assert (page.elsewhere, page.messages[-1].running) == (True, True)
                assert page.answering == page.messages[-1].id
                with pytest.raises(AppError, match=r"chat\.changed_elsewhere"):
                    await chats.verbs.send(conversation, "me too", (), before.info.revision)
                with pytest.raises(AppError, match=r"chat\.busy_elsewhere"):
                    await chats.verbs.send(conversation, "me too", (), page.info.revision)
                chats.heard.clear()
                while await asyncio.to_thread(line, child) != "DONE":
                    pass
                await until(heard)
                page = await chats.verbs.open(conversation)
                assert (page.elsewhere, said(page)) == (False, ["count", text_of(60)])
                await chats.ask(conversation, "me too")
                assert len((await chats.verbs.open(conversation)).messages) == 4

        run(tmp_path, endpoint, look)


def test_one_that_was_killed_is_noticed_by_one_that_runs(tmp_path: Path) -> None:
    conversation = asyncio.run(one_conversation(tmp_path))
    with fake_chat("--tokens", "1000", "--rate", "50") as endpoint:

        async def look(chats: Chats) -> None:
            await chats.verbs.open(conversation)
            with chat_child(tmp_path, endpoint, conversation, "count") as child:
                await asyncio.to_thread(written, child)
                assert (await chats.verbs.open(conversation)).elsewhere
                child.kill()
                child.wait()
            page = await chats.verbs.open(conversation)
            assert (page.elsewhere, page.messages[-1].finish) == (False, FinishReason.INTERRUPTED)

        run(tmp_path, endpoint, look)


def test_both_write_at_once_and_nothing_is_lost(tmp_path: Path) -> None:
    first, second = asyncio.run(one_conversation(tmp_path)), asyncio.run(one_conversation(tmp_path))
    with (
        fake_chat("--tokens", "400", "--rate", "400") as endpoint,
        chat_child(tmp_path, endpoint, first, "one") as a,
        chat_child(tmp_path, endpoint, second, "two") as b,
    ):
        for child in (a, b):
            while (told := line(child)) != "DONE":
                assert told.startswith("WROTE")

    async def look(chats: Chats) -> None:
        for conversation, question in ((first, "one"), (second, "two")):
            assert said(await chats.verbs.open(conversation)) == [question, text_of(400)]

    run(tmp_path, None, look)


@pytest.mark.parametrize("broken", [b"this was never a database, it only has its name" * 100, b""])
def test_a_broken_file_is_set_aside_with_a_notice(tmp_path: Path, broken: bytes) -> None:
    (tmp_path / "conversations.db").write_bytes(broken)

    async def look(chats: Chats) -> None:
        assert await chats.verbs.list() == ()
        await chats.verbs.rename((await chats.verbs.new()).info.id, "after")
        assert [info.title for info in await chats.verbs.list()] == ["after"]

    chats = run(tmp_path, None, look)
    notices = [event.error for event in chats.heard if isinstance(event, Notice)]
    kept = list(tmp_path.glob("conversations.db.broken-*"))
    assert [notice.code for notice in notices] == (["chat.store_corrupt"] if broken else [])
    assert [path.read_bytes() for path in kept] == ([broken] if broken else [])


def test_a_page_that_breaks_later_is_set_aside_too(tmp_path: Path) -> None:
    asyncio.run(one_conversation(tmp_path))
    path = tmp_path / "conversations.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        size = db.execute("PRAGMA page_size").fetchone()[0]
        root = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'conversations'").fetchone()[0]
    with path.open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xff" * size)

    async def look(chats: Chats) -> None:
        assert await chats.verbs.list() == ()

    chats = run(tmp_path, None, look)
    assert [event.error.code for event in chats.heard if isinstance(event, Notice)] == ["chat.store_corrupt"]


def test_a_file_of_a_later_stowage_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "conversations.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE later (x)")
        db.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
        db.commit()
    before = path.read_bytes()

    async def look(chats: Chats) -> None:
        with pytest.raises(AppError, match=r"chat\.store_newer"):
            await chats.verbs.list()

    run(tmp_path, None, look)
    assert path.read_bytes() == before


def test_a_migration_keeps_a_copy_of_what_was_before(tmp_path: Path) -> None:
    path = tmp_path / "conversations.db"

    async def two_steps() -> tuple[str, ...]:
        old = Database(path, MIGRATIONS)
        await old.write(lambda db: changes.create(db, title="old"))
        await old.close()
        new = Database(path, (*MIGRATIONS, "ALTER TABLE conversations ADD COLUMN colour TEXT"))
        try:
            return tuple(row[0] for row in await new.read(lambda db: db.execute("SELECT title FROM conversations")))
        finally:
            await new.close()

    assert asyncio.run(two_steps()) == ("old",)
    with closing(sqlite3.connect(tmp_path / f"conversations.db.backup-{len(MIGRATIONS)}")) as copy:
        assert copy.execute("SELECT title FROM conversations").fetchall() == [("old",)]
        assert copy.execute("PRAGMA user_version").fetchone()[0] == len(MIGRATIONS)


def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "conversations.db"

    async def failing() -> None:
        old = Database(path, MIGRATIONS)
        await old.write(lambda db: changes.create(db, title="old"))
        await old.close()
        new = Database(path, (*MIGRATIONS, "CREATE TABLE half (x); CREATE TABLE conversations (x)"))
        with pytest.raises(AppError, match=r"chat\.store_failed"):
            await new.read(lambda db: None)
        await new.close()

    asyncio.run(failing())
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA user_version").fetchone()[0] == len(MIGRATIONS)
        assert db.execute("SELECT name FROM sqlite_master WHERE name = 'half'").fetchone() is None


def test_what_was_deleted_long_ago_is_gone_for_good(tmp_path: Path) -> None:
    with fake_chat("--text", "secret answer") as endpoint:

        async def delete(chats: Chats) -> None:
            one, two = await chats.new(), await chats.new()
            await chats.ask(one, "secret question")
            page = await chats.ask(two, "secret turn")
            await chats.ask(two, "what stays")
            gone = await chats.verbs.delete(one)
            turn = await chats.verbs.delete_turn(two, page.messages[0].id)
            database = Database(chats.path, MIGRATIONS)
            await database.write(lambda db: changes.purge(db, older_than_s=-1))
            await database.close()
            for token in (gone.token, turn.token):
                with pytest.raises(AppError, match=r"chat\.undo_gone"):
                    await chats.verbs.undo(token)
            left = await chats.verbs.open(two)
            assert [message.role for message in left.messages] == ["user", "assistant"]
            assert [hit.message for hit in await chats.verbs.search("secret")] == ["", left.messages[1].id]

        run(tmp_path, endpoint, delete)
    with closing(sqlite3.connect(tmp_path / "conversations.db")) as db:
        assert db.execute("SELECT count(*) FROM messages WHERE content LIKE '%secret%'").fetchone()[0] == 1
        assert db.execute("SELECT count(*) FROM words WHERE words MATCH 'turn OR question'").fetchone()[0] == 0


def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    asyncio.run(one_conversation(tmp_path))
    assert (tmp_path / "conversations.db").stat().st_mode & 0o077 == 0


def test_an_answer_that_cannot_be_written_at_once_is_written_later(tmp_path: Path) -> None:
    with fake_chat("--tokens", "30", "--rate", "40") as endpoint:

        async def blocked() -> None:
            chats = Chats(tmp_path, endpoint, busy_s=0.05)
            one = await chats.new()
            asked = await chats.verbs.send(one, "hi")
            with closing(sqlite3.connect(chats.path, isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                await chats.done(asked)

                async def told() -> bool:
                    return any(isinstance(event, Notice) for event in chats.heard)

                await until(told)

            async def whole() -> bool:
                return (await chats.verbs.open(one)).messages[1].content == text_of(30)

            await until(whole)
            await chats.ask(one, "again")
            assert [e.error.code for e in chats.heard if isinstance(e, Notice)] == ["chat.store_failed"]
            await chats.close()

        asyncio.run(blocked())


def test_a_full_disk_is_said_in_words(tmp_path: Path) -> None:
    """A folder in the file's place: SQLite cannot open it, as with a disk that takes nothing more."""
    (tmp_path / "conversations.db").mkdir()

    async def look(chats: Chats) -> None:
        with pytest.raises(AppError, match=r"chat\.store_failed"):
            await chats.verbs.list()

    run(tmp_path, None, look)
