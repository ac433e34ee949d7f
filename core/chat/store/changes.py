"""Changes of a conversation that ask the model nothing. Each runs in one transaction."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterable
from sqlite3 import Connection
from typing import Any, Final

from core.chat.records import Deleted, Draft
from core.chat.store import rows, search
from core.chat.tree import Removal
from core.errors import AppError

DAY_S: Final = 86400.0
REMEMBERED_S: Final = 7 * DAY_S


def create(db: Connection, system: str = "", params: str = "{}", title: str = "") -> str:
    """A conversation without messages; older ones that never got any, nor a draft, go."""
    now = time.time()
    db.execute(
        "DELETE FROM conversations WHERE leaf IS NULL AND draft = '' AND title = '' AND gone IS NULL AND created < ?"
        " AND NOT EXISTS (SELECT 1 FROM messages WHERE conversation = conversations.id)",
        (now - DAY_S,),
    )
    conversation = uuid.uuid4().hex
    db.execute(
        "INSERT INTO conversations (id, title, system, params, created, updated) VALUES (?, ?, ?, ?, ?, ?)",
        (conversation, title, system, params, now, now),
    )
    return conversation


def put(db: Connection, conversation: str, **values: Any) -> None:
    """Columns of one conversation. Raises: AppError `chat.unknown`."""
    names = ", ".join(f"{name} = ?" for name in values)
    done = db.execute(
        f"UPDATE conversations SET {names} WHERE id = ? AND gone IS NULL", (*values.values(), conversation)
    )
    if not done.rowcount:
        raise AppError("chat.unknown")


def put_tags(db: Connection, conversation: str, tags: Iterable[str]) -> None:
    rows.info(db, conversation)
    db.execute("DELETE FROM tags WHERE conversation = ?", (conversation,))
    kept = sorted({" ".join(tag.split()) for tag in tags} - {""})
    db.executemany("INSERT INTO tags VALUES (?, ?)", [(conversation, tag) for tag in kept])


def put_draft(db: Connection, conversation: str, draft: Draft) -> None:
    put(db, conversation, draft=draft.text)
    rows.put_attachments(db, conversation, draft.attachments)


def check(db: Connection, conversation: str, revision: int | None) -> None:
    """Whoever changes the tree must have seen its newest state.

    Raises:
        AppError: `chat.unknown`, `chat.changed_elsewhere`.
    """
    if revision is not None and rows.info(db, conversation).revision != revision:
        raise AppError("chat.changed_elsewhere")


def touch(db: Connection, conversation: str, leaf: str | None) -> int:
    """The tree was changed: a new revision, which is given."""
    db.execute(
        "UPDATE conversations SET revision = revision + 1, updated = ?, leaf = ? WHERE id = ?",
        (time.time(), leaf, conversation),
    )
    return rows.info(db, conversation).revision


def switch(db: Connection, conversation: str, message: str) -> int:
    """The path runs through `message` from now on; the one that was left is found again when its version is chosen."""
    places = rows.tree(db, conversation)
    if message not in places:
        raise AppError("chat.unknown")
    newest = db.execute("SELECT max(chosen) FROM messages WHERE conversation = ?", (conversation,)).fetchone()[0] or 0
    remember(db, places.way(places.leaf), newest + 1)
    remember(db, places.way(message), newest + 2)
    return touch(db, conversation, rows.tree(db, conversation).leaf_below(message))


def remember(db: Connection, way: Iterable[str], chosen: int) -> None:
    db.executemany("UPDATE messages SET chosen = ? WHERE id = ?", [(chosen, one) for one in way])


# ---- deleting --------------------------------------------------------------------------------------------------------


def delete(db: Connection, conversation: str) -> Deleted:
    info = rows.info(db, conversation)
    token = _deletion(db, conversation, None)
    put(db, conversation, gone=token, revision=info.revision + 1)
    return Deleted(token, info.count)


def delete_turn(db: Connection, conversation: str, message: str, revision: int | None) -> Deleted:
    check(db, conversation, revision)
    places = rows.tree(db, conversation)
    if message not in places:
        raise AppError("chat.unknown")
    removal: Removal = places.remove(message)
    token = _deletion(db, conversation, places.leaf)
    db.executemany("UPDATE messages SET hidden = ? WHERE id = ?", [(token, one) for one in removal.hidden])
    touch(db, conversation, removal.leaf)
    return Deleted(token, len(removal.hidden))


def undo(db: Connection, token: str) -> str:
    """The conversation that is whole again. Raises: AppError `chat.undo_gone`."""
    row = db.execute("SELECT conversation, leaf FROM deletions WHERE token = ?", (token,)).fetchone()
    if row is None:
        raise AppError("chat.undo_gone")
    conversation, leaf = row
    if db.execute("UPDATE conversations SET gone = NULL WHERE gone = ?", (token,)).rowcount:
        db.execute("UPDATE conversations SET revision = revision + 1 WHERE id = ?", (conversation,))
    else:
        db.execute("UPDATE messages SET hidden = NULL WHERE hidden = ?", (token,))
        touch(db, conversation, leaf)
    db.execute("DELETE FROM deletions WHERE token = ?", (token,))
    return conversation


def purge(db: Connection, older_than_s: float = REMEMBERED_S) -> None:
    """What was deleted a while ago goes for good."""
    before = time.time() - older_than_s
    old = "SELECT token FROM deletions WHERE at < ?"
    doomed = f"conversation IN (SELECT id FROM conversations WHERE gone IN ({old}))"
    search.forget(db, db.execute(f"SELECT seq, content FROM messages WHERE {doomed}", (before,)).fetchall())
    db.execute(f"DELETE FROM attachments WHERE owner IN (SELECT id FROM messages WHERE {doomed})", (before,))
    db.execute(
        f"DELETE FROM attachments WHERE owner IN (SELECT id FROM conversations WHERE gone IN ({old}))", (before,)
    )
    db.execute(f"DELETE FROM conversations WHERE gone IN ({old})", (before,))
    # Hidden messages stay as places in the tree, without what they said.
    search.forget(db, db.execute(f"SELECT seq, content FROM messages WHERE hidden IN ({old})", (before,)).fetchall())
    db.execute(f"DELETE FROM attachments WHERE owner IN (SELECT id FROM messages WHERE hidden IN ({old}))", (before,))
    db.execute(
        f"UPDATE messages SET content = '', reasoning = '', error = NULL, speed = NULL WHERE hidden IN ({old})",
        (before,),
    )
    db.execute("DELETE FROM deletions WHERE at < ?", (before,))


def _deletion(db: Connection, conversation: str, leaf: str | None) -> str:
    token = uuid.uuid4().hex
    db.execute("INSERT INTO deletions VALUES (?, ?, ?, ?)", (token, time.time(), conversation, leaf))
    return token
