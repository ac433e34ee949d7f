"""System prompts and parameters under a name."""

from __future__ import annotations

import uuid
from dataclasses import replace
from sqlite3 import Connection

import msgspec

from core.chat.params import Params
from core.chat.records import Preset
from core.chat.store.rows import to_json


def all_presets(db: Connection) -> tuple[Preset, ...]:
    found = db.execute("SELECT name, system, params, id FROM presets ORDER BY name COLLATE NOCASE, id")
    return tuple(Preset(row[0], row[1], msgspec.json.decode(row[2], type=Params), row[3]) for row in found)


def save(db: Connection, preset: Preset) -> Preset:
    ident = preset.id or uuid.uuid4().hex
    db.execute(
        "INSERT INTO presets VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name,"
        " system = excluded.system, params = excluded.params",
        (ident, preset.name, preset.system, to_json(preset.params)),
    )
    return replace(preset, id=ident)


def delete(db: Connection, ident: str) -> None:
    db.execute("DELETE FROM presets WHERE id = ?", (ident,))
