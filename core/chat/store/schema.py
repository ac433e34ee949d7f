"""The tables, as the steps that lead to them. A step is never changed once it was released; a new one is added."""

from __future__ import annotations

from typing import Final

# Times are Unix seconds; `params`, `speed`, `error` JSON. `leaf` ends the active path. `answering`: the message that
# is being written, by the process `writer`. `gone`, `hidden`: the deletion that did it. `chosen`: larger for the
# version that was looked at later. An attachment's `owner` is a message, or a conversation for those of its draft.
_FIRST: Final = """
CREATE TABLE conversations (
    id TEXT PRIMARY KEY,
    title TEXT NOT NULL DEFAULT '',
    system TEXT NOT NULL DEFAULT '',
    params TEXT NOT NULL DEFAULT '{}',
    draft TEXT NOT NULL DEFAULT '',
    created REAL NOT NULL,
    updated REAL NOT NULL,
    revision INTEGER NOT NULL DEFAULT 0,
    pinned INTEGER NOT NULL DEFAULT 0,
    leaf TEXT,
    answering TEXT,
    writer TEXT,
    gone TEXT
);
CREATE INDEX conversations_by_time ON conversations (gone, pinned, updated);
CREATE TABLE tags (
    conversation TEXT NOT NULL REFERENCES conversations ON DELETE CASCADE,
    tag TEXT NOT NULL,
    PRIMARY KEY (conversation, tag)
) WITHOUT ROWID;
CREATE TABLE messages (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    conversation TEXT NOT NULL REFERENCES conversations ON DELETE CASCADE,
    parent TEXT,
    role TEXT NOT NULL,
    created REAL NOT NULL,
    model TEXT NOT NULL DEFAULT '',
    finish TEXT,
    trimmed INTEGER NOT NULL DEFAULT 0,
    chosen INTEGER NOT NULL DEFAULT 0,
    hidden TEXT,
    params TEXT,
    speed TEXT,
    error TEXT,
    reasoning TEXT NOT NULL DEFAULT '',
    content TEXT NOT NULL DEFAULT ''
);
CREATE INDEX messages_in_order ON messages (conversation, seq, id, parent, role, hidden, chosen);
CREATE TABLE pieces (
    seq INTEGER PRIMARY KEY,
    message TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    content TEXT NOT NULL,
    reasoning TEXT NOT NULL
);
CREATE INDEX pieces_of_message ON pieces (message, seq);
CREATE TABLE attachments (
    owner TEXT NOT NULL,
    place INTEGER NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    media_type TEXT NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (owner, place)
);
CREATE TABLE deletions (
    token TEXT PRIMARY KEY,
    at REAL NOT NULL,
    conversation TEXT NOT NULL REFERENCES conversations ON DELETE CASCADE,
    leaf TEXT
);
CREATE TABLE presets (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    system TEXT NOT NULL DEFAULT '',
    params TEXT NOT NULL DEFAULT '{}'
);
CREATE VIRTUAL TABLE words USING fts5 (
    text, content = '', prefix = '2 3', tokenize = 'unicode61 remove_diacritics 2'
)
"""

MIGRATIONS: Final = (_FIRST,)
