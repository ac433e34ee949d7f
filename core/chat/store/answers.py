"""Questions and the answers to them: begun, written down piece by piece, finished, found unfinished.

While an answer runs its text is in `pieces`, which only grow: a kill loses at most what came since the last one. The
message itself is written, and indexed, once.
"""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass
from sqlite3 import Connection
from typing import Final

from core.chat.params import Params
from core.chat.records import Asked, Draft
from core.chat.store import changes, rows, search
from core.chat.store.writer import lives, me
from core.chat.tree import Attachment, Message
from core.errors import AppError
from core.events import ChatDone, FinishReason

TITLE_LENGTH: Final = 60
_EMPTY: Final = "empty"


@dataclass(frozen=True, slots=True)
class Begun:
    """What is stored of a question, and the messages that the model is to see (the answer's own beginning last, when
    it is continued)."""

    asked: Asked
    system: str
    history: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    attachments: tuple[Attachment, ...] = ()


def send(
    db: Connection, conversation: str, question: Question, model: str, params: Params, revision: int | None
) -> Begun:
    """The next question, with an answer that begins."""
    _may_begin(db, conversation, revision)
    places = rows.tree(db, conversation)
    asked = _put_question(db, conversation, places.leaf, question)
    changes.put_draft(db, conversation, Draft())
    return _answer(db, conversation, asked, model, params, asked)


def edit(
    db: Connection,
    conversation: str,
    message: str,
    question: tuple[str, tuple[Attachment, ...] | None],
    model: str,
    params: Params,
    revision: int | None,
) -> Begun:
    """A question in other words, beside the old one. Attachments None: those of the old one."""
    _may_begin(db, conversation, revision)
    old = _one(db, conversation, message, "user")
    text, attachments = question
    asked = _put_question(
        db, conversation, old.parent, Question(text, old.attachments if attachments is None else attachments)
    )
    return _answer(db, conversation, asked, model, params, asked)


def regenerate(
    db: Connection, conversation: str, message: str, model: str, params: Params, revision: int | None
) -> Begun:
    """Another answer beside this one; one that brought nothing makes room for it. A question without an answer gets
    its first."""
    _may_begin(db, conversation, revision)
    old = _one(db, conversation, message)
    if old.role == "user":
        return _answer(db, conversation, old.id, model, params, None)
    if not old.content.strip() and not old.reasoning.strip():
        db.execute("UPDATE messages SET hidden = ? WHERE id = ?", (_EMPTY, old.id))
    return _answer(db, conversation, old.parent, model, params, None)


def go_on(db: Connection, conversation: str, message: str, params: Params, revision: int | None) -> Begun:
    """A cut answer, continued in its own place."""
    _may_begin(db, conversation, revision)
    old = _one(db, conversation, message, "assistant")
    if not old.content.strip():
        raise AppError("chat.empty")
    db.execute("UPDATE messages SET params = ? WHERE id = ?", (rows.to_json(params), old.id))
    return _begun(db, conversation, None, old.id)


def write_piece(db: Connection, message: str, content: str, reasoning: str, whole: bool) -> None:
    """Args: `whole`: these are the text and the thinking from the beginning, not what came since the last piece."""
    if whole:
        db.execute("DELETE FROM pieces WHERE message = ?", (message,))
    db.execute("INSERT INTO pieces (message, content, reasoning) VALUES (?, ?, ?)", (message, content, reasoning))


def finish(db: Connection, conversation: str, done: ChatDone) -> None:
    """The answer as it ended."""
    _put_text(db, done.answer_id, done.text, done.reasoning)
    db.execute(
        "UPDATE messages SET finish = ?, speed = ?, error = ?, trimmed = ? WHERE id = ?",
        (done.finish, rows.to_json(done.speed), rows.to_json(done.error), done.trimmed, done.answer_id),
    )
    _answered(db, conversation)


def recover(db: Connection) -> tuple[str, ...]:
    """Answers whose writer died in the middle: what was written down is kept, and marked. Gives the conversations."""
    running = db.execute("SELECT id, answering, writer FROM conversations WHERE answering IS NOT NULL").fetchall()
    dead = [(conversation, message) for conversation, message, writer in running if not lives(writer or "")]
    for conversation, message in dead:
        if db.execute("SELECT 1 FROM messages WHERE id = ?", (message,)).fetchone():
            _put_text(db, message, *rows.so_far(db, message))
            db.execute("UPDATE messages SET finish = ? WHERE id = ?", (FinishReason.INTERRUPTED, message))
        _answered(db, conversation)
    return tuple(conversation for conversation, _ in dead)


def title_of(text: str) -> str:
    """The first line of a question, cut at a word."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    if len(line) <= TITLE_LENGTH:
        return line
    cut = line[:TITLE_LENGTH].rsplit(" ", 1)[0]
    return f"{cut or line[:TITLE_LENGTH]}…"


def _may_begin(db: Connection, conversation: str, revision: int | None) -> None:
    changes.check(db, conversation, revision)
    row = db.execute("SELECT answering, writer FROM conversations WHERE id = ?", (conversation,)).fetchone()
    if row is None:
        raise AppError("chat.unknown")
    if row[0] is not None:
        raise AppError("chat.busy" if row[1] == me() else "chat.busy_elsewhere")


def _one(db: Connection, conversation: str, message: str, role: str = "") -> Message:
    found = rows.messages(db, [message])
    if not found or message not in rows.tree(db, conversation) or (role and found[0].role != role):
        raise AppError("chat.unknown")
    return found[0]


def _put_question(db: Connection, conversation: str, parent: str | None, question: Question) -> str:
    message = _insert(db, conversation, parent, "user", question.text)
    rows.put_attachments(db, message, question.attachments)
    title = title_of(question.text) or (question.attachments[0].name if question.attachments else "")
    db.execute("UPDATE conversations SET title = ? WHERE id = ? AND title = ''", (title, conversation))
    return message


def _answer(
    db: Connection, conversation: str, parent: str | None, model: str, params: Params, question: str | None
) -> Begun:
    answer = _insert(db, conversation, parent, "assistant", "", model, rows.to_json(params))
    return _begun(db, conversation, question, answer)


def _begun(db: Connection, conversation: str, question: str | None, answer: str) -> Begun:
    system = db.execute("SELECT system FROM conversations WHERE id = ?", (conversation,)).fetchone()[0]
    places = rows.tree(db, conversation)
    path = places.path(answer)
    history = rows.messages(db, path)
    before = history if history and history[-1].content else history[:-1]
    db.execute("UPDATE conversations SET answering = ?, writer = ? WHERE id = ?", (answer, me(), conversation))
    newest = db.execute("SELECT max(chosen) FROM messages WHERE conversation = ?", (conversation,)).fetchone()[0] or 0
    changes.remember(db, places.way(answer)[-2:], newest + 1)
    # What was said after an answer that now goes on stays after it.
    leaf = places.leaf if answer in places.way(places.leaf) else answer
    revision = changes.touch(db, conversation, leaf)
    places = rows.tree(db, conversation)
    shown = rows.messages(db, [answer], places)[0]
    asked = rows.messages(db, [question], places)[0] if question else None
    return Begun(Asked(asked, shown, revision), system, before)


def _insert(
    db: Connection,
    conversation: str,
    parent: str | None,
    role: str,
    content: str,
    model: str = "",
    params: str | None = None,
) -> str:
    message = uuid.uuid4().hex
    done = db.execute(
        "INSERT INTO messages (id, conversation, parent, role, created, model, params, content)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (message, conversation, parent, role, time.time(), model, params, content),
    )
    assert done.lastrowid is not None
    search.add(db, done.lastrowid, content)
    return message


def _put_text(db: Connection, message: str, content: str, reasoning: str) -> None:
    seq, before = db.execute("SELECT seq, content FROM messages WHERE id = ?", (message,)).fetchone()
    search.forget(db, [(seq, before)])
    db.execute("UPDATE messages SET content = ?, reasoning = ? WHERE id = ?", (content, reasoning, message))
    db.execute("DELETE FROM pieces WHERE message = ?", (message,))
    search.add(db, seq, content)


def _answered(db: Connection, conversation: str) -> None:
    db.execute(
        "UPDATE conversations SET answering = NULL, writer = NULL, updated = ? WHERE id = ?",
        (time.time(), conversation),
    )
