"""Rows into snapshots. Every function runs on the database's own thread."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from sqlite3 import Connection
from typing import Any, Final

import msgspec

from core.chat.params import Params
from core.chat.records import ConversationInfo, ConversationPage, Draft, OlderMessages
from core.chat.store.writer import me
from core.chat.tree import Attachment, Message, Node, Tree
from core.errors import AppError
from core.events import ErrorInfo, FinishReason
from core.speed_card import SpeedCard

ALL: Final = 1_000_000_000

# SQLite takes at most 999 parameters in its oldest builds.
_AT_ONCE: Final = 500
_INFO: Final = """
SELECT c.id, c.title, c.created, c.updated, c.revision, c.pinned,
    (SELECT group_concat(tag, char(10)) FROM (SELECT tag FROM tags WHERE conversation = c.id ORDER BY tag)),
    (SELECT count(*) FROM messages m WHERE m.conversation = c.id AND m.hidden IS NULL)
FROM conversations c
"""
_COLUMNS: Final = (
    "id, parent, role, content, reasoning, created, model, finish, speed, error, params, trimmed, conversation"
)


def infos(db: Connection, tag: str | None = None) -> tuple[ConversationInfo, ...]:
    """All that hold something, pinned first, then the newest."""
    tagged = "" if tag is None else " AND EXISTS (SELECT 1 FROM tags WHERE conversation = c.id AND tag = ?)"
    rows = db.execute(
        f"{_INFO} WHERE c.gone IS NULL AND (c.leaf IS NOT NULL OR c.draft <> '' OR c.title <> ''){tagged}"
        " ORDER BY c.pinned DESC, c.updated DESC, c.rowid DESC",
        () if tag is None else (tag,),
    )
    return tuple(_info(row) for row in rows)


def info(db: Connection, conversation: str) -> ConversationInfo:
    """Raises: AppError `chat.unknown` also for a deleted one."""
    row = db.execute(f"{_INFO} WHERE c.id = ? AND c.gone IS NULL", (conversation,)).fetchone()
    if row is None:
        raise AppError("chat.unknown")
    return _info(row)


def tags(db: Connection) -> tuple[str, ...]:
    query = (
        "SELECT DISTINCT tag FROM tags JOIN conversations c ON c.id = conversation WHERE c.gone IS NULL ORDER BY tag"
    )
    return tuple(row[0] for row in db.execute(query))


def tree(db: Connection, conversation: str) -> Tree:
    """The places of all messages, without their texts."""
    leaf = db.execute("SELECT leaf FROM conversations WHERE id = ?", (conversation,)).fetchone()
    rows = db.execute(
        "SELECT id, parent, role, hidden IS NOT NULL, chosen FROM messages WHERE conversation = ? ORDER BY seq",
        (conversation,),
    )
    return Tree((Node(row[0], row[1], row[2], bool(row[3]), row[4]) for row in rows), None if leaf is None else leaf[0])


def params(db: Connection, conversation: str) -> Params:
    info(db, conversation)
    row = db.execute("SELECT params FROM conversations WHERE id = ?", (conversation,)).fetchone()
    return msgspec.json.decode(row[0], type=Params)


def writer(db: Connection, conversation: str) -> str:
    """Who writes an answer there, "" for nobody."""
    row = db.execute("SELECT writer FROM conversations WHERE id = ?", (conversation,)).fetchone()
    return (row[0] or "") if row else ""


def page_from(db: Connection, conversation: str, message: str, limit: int) -> ConversationPage:
    """A page that reaches back to `message`, if that is on the path."""
    path = tree(db, conversation).path()
    at = path.index(message) if message in path else len(path)
    return page(db, conversation, max(limit, len(path) - at + limit // 4))


def page(db: Connection, conversation: str, limit: int) -> ConversationPage:
    found = info(db, conversation)
    system, chosen, draft, answering, by = db.execute(
        "SELECT system, params, draft, answering, writer FROM conversations WHERE id = ?", (conversation,)
    ).fetchone()
    places = tree(db, conversation)
    path = places.path()
    kept = attachments(db, [conversation]).get(conversation, ())
    return ConversationPage(
        found,
        system,
        msgspec.json.decode(chosen, type=Params),
        Draft(draft, kept),
        messages(db, path[-limit:], places),
        max(0, len(path) - limit),
        answering or "",
        bool(answering) and by != me(),
    )


def older(db: Connection, conversation: str, before: str, limit: int) -> OlderMessages:
    places = tree(db, conversation)
    path = places.path()
    end = path.index(before) if before in path else 0
    begin = max(0, end - limit)
    return OlderMessages(messages(db, path[begin:end], places), begin)


def messages(db: Connection, ids: Sequence[str], places: Tree | None = None) -> tuple[Message, ...]:
    """Messages in the order of `ids`, with what has come so far of one that is being written."""
    found: dict[str, Message] = {}
    for some in _some(ids):
        marks = ",".join("?" * len(some))
        for row in db.execute(f"SELECT {_COLUMNS} FROM messages WHERE id IN ({marks})", some):
            found[row[0]] = _message(row)
    for owner, kept in attachments(db, ids).items():
        found[owner] = replace(found[owner], attachments=kept)
    for row in db.execute("SELECT answering FROM conversations WHERE answering IS NOT NULL"):
        if row[0] in found:
            found[row[0]] = _so_far(db, found[row[0]])
    if places is not None:
        found = {one: replace(message, versions=places.versions(one)) for one, message in found.items()}
    return tuple(found[one] for one in ids if one in found)


def attachments(db: Connection, owners: Sequence[str]) -> dict[str, tuple[Attachment, ...]]:
    kept: dict[str, tuple[Attachment, ...]] = {}
    for some in _some(owners):
        marks = ",".join("?" * len(some))
        rows = db.execute(
            f"SELECT owner, kind, name, media_type, data FROM attachments WHERE owner IN ({marks})"
            " ORDER BY owner, place",
            some,
        )
        for owner, kind, name, media_type, data in rows:
            kept[owner] = (*kept.get(owner, ()), Attachment(kind, name, media_type, data))
    return kept


def put_attachments(db: Connection, owner: str, kept: Iterable[Attachment]) -> None:
    db.execute("DELETE FROM attachments WHERE owner = ?", (owner,))
    db.executemany(
        "INSERT INTO attachments VALUES (?, ?, ?, ?, ?, ?)",
        [(owner, place, one.kind, one.name, one.media_type, one.data) for place, one in enumerate(kept)],
    )


def so_far(db: Connection, message: str) -> tuple[str, str]:
    """Text and thinking that were written down of an answer that is not finished."""
    content, reasoning = db.execute("SELECT content, reasoning FROM messages WHERE id = ?", (message,)).fetchone()
    rows = db.execute("SELECT content, reasoning FROM pieces WHERE message = ? ORDER BY seq", (message,)).fetchall()
    return content + "".join(row[0] for row in rows), reasoning + "".join(row[1] for row in rows)


def to_json(value: Any) -> str | None:
    return None if value is None else msgspec.json.encode(value).decode()


def _so_far(db: Connection, message: Message) -> Message:
    content, reasoning = so_far(db, message.id)
    return replace(message, content=content, reasoning=reasoning, running=True, finish=None)


def _info(row: Sequence[Any]) -> ConversationInfo:
    kept = tuple(row[6].split("\n")) if row[6] else ()
    return ConversationInfo(row[0], row[1], row[2], row[3], row[4], bool(row[5]), kept, row[7])


def _message(row: Sequence[Any]) -> Message:
    return Message(
        role=row[2],
        content=row[3],
        reasoning=row[4],
        id=row[0],
        parent=row[1],
        created=row[5],
        model=row[6],
        finish=FinishReason(row[7]) if row[7] else None,
        speed=msgspec.json.decode(row[8], type=SpeedCard) if row[8] else None,
        error=msgspec.json.decode(row[9], type=ErrorInfo) if row[9] else None,
        params=msgspec.json.decode(row[10], type=Params) if row[10] else None,
        trimmed=row[11],
    )


def _some(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), _AT_ONCE):
        yield ids[start : start + _AT_ONCE]
