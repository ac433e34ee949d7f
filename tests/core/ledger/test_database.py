"""The file of the ledger among two processes, killed writers, damage, and other versions of itself. Real SQLite."""

from __future__ import annotations

import asyncio
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from core.ledger.database import Database

STEPS = ("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)",)
MORE_STEPS = (*STEPS, "ALTER TABLE notes ADD COLUMN stars INTEGER NOT NULL DEFAULT 3; CREATE TABLE more (id INTEGER)")
ROOT = Path(__file__).parents[3]

WRITER = """
import asyncio, sys
from pathlib import Path
from core.ledger.database import Database
from tests.core.ledger.test_database import STEPS, insert_next

async def main():
    database = Database(Path(sys.argv[1]), STEPS)
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(int(sys.argv[2])):
        await database.write(lambda db: insert_next(db, sys.argv[3]), None)
    await database.close()

asyncio.run(main())
"""

# Writes half of a transaction, says so, and waits to be killed.
HALF = """
import sys, sqlite3, time
from pathlib import Path
from core.ledger.database import Database
from tests.core.ledger.test_database import STEPS, insert
import asyncio

def half(db):
    insert(db, "half")
    print("half", flush=True)
    time.sleep(600)

async def main():
    await Database(Path(sys.argv[1]), STEPS).write(half, None)

asyncio.run(main())
"""


def insert(db: sqlite3.Connection, text: str) -> None:
    db.execute("INSERT INTO notes (text) VALUES (?)", (text,))


def insert_next(db: sqlite3.Connection, name: str) -> None:
    """Reads first and writes then, as only a transaction that was meant to write from its start can."""
    (count,) = db.execute("SELECT count(*) FROM notes").fetchone()
    insert(db, f"{count} {name}")


def texts(db: sqlite3.Connection) -> list[str]:
    return [row[0] for row in db.execute("SELECT text FROM notes ORDER BY id")]


def child(code: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def written(path: Path, text: str, steps: tuple[str, ...] = STEPS) -> list[str]:
    """Add a note as a whole run of the app would; gives all notes."""

    async def run() -> list[str]:
        database = Database(path, steps)
        await database.write(lambda db: insert(db, text), None)
        found = await database.read(texts, [])
        await database.close()
        return found

    return asyncio.run(run())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "ledger.db"


def test_it_is_private_and_keeps_what_was_written(path: Path) -> None:
    assert written(path, "one") == ["one"]
    assert written(path, "two") == ["one", "two"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_two_processes_write_at_once_and_nothing_is_lost(path: Path) -> None:
    children = [child(WRITER, str(path), "60", name) for name in ("a", "b")]
    for each in children:
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    for each in children:
        assert each.stdin is not None
        each.stdin.write("\n")
        each.stdin.flush()
    for each in children:
        each.communicate(timeout=60)
        assert each.returncode == 0
    found = written(path, "last")
    assert [text.split()[0] for text in found[:-1]] == [str(number) for number in range(120)]
    assert sum(text.endswith(" a") for text in found) == 60


def test_a_writer_killed_in_the_middle_leaves_the_state_before_it(path: Path) -> None:
    written(path, "before")
    killed = child(HALF, str(path))
    assert killed.stdout is not None
    assert killed.stdout.readline() == "half\n"
    killed.kill()
    killed.communicate(timeout=20)
    assert written(path, "after") == ["before", "after"]


def test_once_closed_it_answers_and_writes_nothing(path: Path) -> None:
    async def run() -> tuple[str, list[str]]:
        database = Database(path, STEPS)
        await database.write(lambda db: insert(db, "one"), None)
        await database.close()
        await database.close()
        written = await database.write(lambda db: (insert(db, "late"), "written")[1], "not written")
        return written, await database.read(texts, ["nothing"])

    assert asyncio.run(run()) == ("not written", ["nothing"])
    assert written(path, "two") == ["one", "two"]


def test_a_busy_file_gives_the_other_answer_instead_of_an_error(path: Path) -> None:
    written(path, "one")
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")

    async def run() -> tuple[str, list[str]]:
        database = Database(path, STEPS, busy_s=0.1)
        answer = await database.write(lambda db: (insert(db, "two"), "written")[1], "not written")
        read = await database.read(texts, [])
        await database.close()
        return answer, read

    assert asyncio.run(run()) == ("not written", ["one"])
    holder.execute("ROLLBACK")
    holder.close()


def test_opening_waits_for_somebody_who_holds_all_of_it(path: Path) -> None:
    """As another Stowage does for a moment when it makes the file."""
    path.parent.mkdir()
    holder = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    holder.execute("CREATE TABLE other (id)")
    holder.execute("BEGIN EXCLUSIVE")

    async def run() -> list[str]:
        database = Database(path, STEPS)
        write = asyncio.create_task(database.write(lambda db: insert(db, "one"), None))
        await asyncio.sleep(0.2)
        holder.execute("COMMIT")
        await write
        found = await database.read(texts, [])
        await database.close()
        return found

    assert asyncio.run(run()) == ["one"]
    holder.close()


@pytest.mark.parametrize("damage", [b"this is no database", b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_file_is_set_aside_and_told_once(path: Path, damage: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(damage)

    async def run() -> tuple[list[str], list[str]]:
        database = Database(path, STEPS)
        await database.write(lambda db: insert(db, "new"), None)
        found = await database.read(texts, [])
        await database.close()
        return found, [problem.code for problem in database.problems]

    assert asyncio.run(run()) == (["new"], ["ledger.corrupt"])
    (kept,) = path.parent.glob("ledger.db.broken-*")
    assert kept.read_bytes() == damage


def test_damage_that_shows_while_it_is_open_is_set_aside_too(path: Path) -> None:
    async def run() -> list[str]:
        database = Database(path, STEPS)
        for number in range(300):
            await database.write(lambda db, n=number: insert(db, f"{n} " + "x" * 400), None)
        await database.read(lambda db: db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall(), [])
        with path.open("r+b") as file:
            file.seek(4096)
            file.write(b"\xee" * 60_000)
        await database.read(lambda db: db.execute("PRAGMA cache_size = 0").fetchall(), [])
        await database.read(texts, ["nothing"])
        await database.write(lambda db: insert(db, "new"), None)
        found = await database.read(texts, [])
        await database.close()
        return found

    assert asyncio.run(run()) == ["new"]
    assert len(list(path.parent.glob("ledger.db.broken-*"))) == 1


def test_a_migration_keeps_the_data_and_a_copy_from_before(path: Path) -> None:
    written(path, "old")
    assert written(path, "new", MORE_STEPS) == ["old", "new"]
    db = sqlite3.connect(path)
    assert db.execute("SELECT text, stars FROM notes").fetchall() == [("old", 3), ("new", 3)]
    assert db.execute("PRAGMA user_version").fetchone() == (2,)
    db.close()
    copy = sqlite3.connect(path.with_name("ledger.db.backup-1"))
    assert copy.execute("SELECT * FROM notes").fetchall() == [(1, "old")]
    copy.close()


def test_a_migration_that_fails_changes_nothing(path: Path) -> None:
    written(path, "old")
    assert written(path, "new", (*STEPS, "CREATE TABLE more (id INTEGER); ALTER TABLE missing ADD COLUMN x")) == []
    assert written(path, "later") == ["old", "later"]


def test_a_file_of_a_later_version_is_left_alone(path: Path) -> None:
    written(path, "from the future", MORE_STEPS)
    before = path.read_bytes()

    async def run() -> tuple[list[str], list[str]]:
        database = Database(path, STEPS)
        await database.write(lambda db: insert(db, "no"), None)
        found = await database.read(texts, [])
        await database.close()
        return found, [problem.code for problem in database.problems]

    assert asyncio.run(run()) == ([], ["ledger.newer"])
    assert path.read_bytes() == before


def test_a_folder_that_cannot_be_written_costs_only_the_memory(path: Path) -> None:
    path.parent.write_text("a file where the folder should be", "utf-8")
    assert written(path, "one") == []
