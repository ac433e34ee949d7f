"""A conversation with all its branches, on its way out of the file or into it."""

from __future__ import annotations

import uuid
from dataclasses import replace
from sqlite3 import Connection

from core.chat.exchange.archive import Archived
from core.chat.records import ConversationInfo
from core.chat.store import answers, changes, rows, search
from core.chat.tree import Message, Tree


def read(db: Connection, conversation: str) -> Archived:
    """Everything that is not deleted. What follows a deleted message hangs on the one before it."""
    page = rows.page(db, conversation, 1)
    places = rows.tree(db, conversation)
    shown = "SELECT id FROM messages WHERE conversation = ? AND hidden IS NULL ORDER BY seq"
    ids = [row[0] for row in db.execute(shown, (conversation,))]
    messages = tuple(replace(one, parent=_shown_parent(places, one)) for one in rows.messages(db, ids))
    path = places.path()
    return Archived(
        title=page.info.title,
        system=page.system,
        params=page.params,
        created=page.info.created,
        updated=page.info.updated,
        pinned=page.info.pinned,
        tags=page.info.tags,
        messages=messages,
        leaf=path[-1] if path else None,
    )


def write(db: Connection, archived: Archived) -> ConversationInfo:
    """As a new conversation, with new ids: the same file may be imported twice."""
    conversation = changes.create(db, archived.system, rows.to_json(archived.params) or "{}", archived.title)
    if not archived.title:
        first = next((one.content for one in archived.messages if one.role == "user"), "")
        changes.put(db, conversation, title=answers.title_of(first))
    names = {one.id: uuid.uuid4().hex for one in archived.messages}
    for message in archived.messages:
        _insert(db, conversation, message, names)
    changes.put_tags(db, conversation, archived.tags)
    changes.touch(db, conversation, names.get(archived.leaf or ""))
    changes.put(
        db,
        conversation,
        leaf=rows.tree(db, conversation).leaf,
        pinned=int(archived.pinned),
        created=archived.created,
        updated=archived.updated,
    )
    return rows.info(db, conversation)


def _insert(db: Connection, conversation: str, message: Message, names: dict[str, str]) -> None:
    done = db.execute(
        "INSERT INTO messages (id, conversation, parent, role, created, model, finish, trimmed, params, speed, error,"
        " reasoning, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            names[message.id],
            conversation,
            names.get(message.parent or ""),
            message.role,
            message.created,
            message.model,
            message.finish,
            message.trimmed,
            rows.to_json(message.params),
            rows.to_json(message.speed),
            rows.to_json(message.error),
            message.reasoning,
            message.content,
        ),
    )
    assert done.lastrowid is not None
    search.add(db, done.lastrowid, message.content)
    rows.put_attachments(db, names[message.id], message.attachments)


def _shown_parent(places: Tree, message: Message) -> str | None:
    before = places.path(message.id)[:-1]
    return before[-1] if before else None
