"""Launch records in and out of the database. Plain SQL, one function per question; every one runs in a transaction or
only reads."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any, Final

from core.events import ErrorInfo
from core.ledger.record import Figure, Identity, LaunchRecord, Outcome

KEEP: Final = 2000
"""Launches that are kept; older ones go."""

_IDENTITY: Final = (
    "gpu", "driver", "engine", "engine_version", "platform", "architecture", "quantization", "eager",
)  # fmt: skip
# The engine's folder name may differ for the same build, so a key is made of the version and the platform.
_KEY: Final = tuple(name for name in _IDENTITY if name != "engine")


def add(connection: sqlite3.Connection, record: LaunchRecord) -> None:
    row = {
        "id": record.id,
        "began_at": record.began_at,
        "outcome": str(record.outcome),
        "ready_s": record.ready_s,
        "model": record.model,
        "machine": record.machine,
        "stowage": record.stowage,
        "command": record.command,
        "choices": json.dumps(record.choices),
        "error": _error_text(record.error),
        "proof": json.dumps(record.proof),
        **{name: getattr(record.identity, name) for name in _IDENTITY},
    }
    names = ", ".join(row)
    marks = ", ".join(f":{name}" for name in row)
    connection.execute(f"INSERT OR REPLACE INTO launches ({names}) VALUES ({marks})", row)
    put_phases(connection, record.id, record.phases)
    put_figures(connection, record.id, record.figures)
    connection.execute(
        "DELETE FROM launches WHERE id IN (SELECT id FROM launches ORDER BY began_at DESC LIMIT -1 OFFSET ?)", (KEEP,)
    )


def end(
    connection: sqlite3.Connection, launch: str, outcome: Outcome, error: ErrorInfo | None, ready_s: float | None
) -> None:
    """Args: `ready_s` None keeps what is there."""
    connection.execute(
        "UPDATE launches SET outcome = ?, error = ?, ready_s = coalesce(?, ready_s) WHERE id = ?",
        (str(outcome), _error_text(error), ready_s, launch),
    )


def put_phases(connection: sqlite3.Connection, launch: str, phases: Mapping[str, float]) -> None:
    connection.executemany(
        "INSERT OR REPLACE INTO phases VALUES (?, ?, ?)", [(launch, phase, s) for phase, s in phases.items()]
    )


def put_figures(connection: sqlite3.Connection, launch: str, figures: Iterable[Figure]) -> None:
    """New figures, or more of known ones: a value that is None keeps what is there."""
    connection.executemany(
        "INSERT INTO figures VALUES (?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET base = coalesce(excluded.base, base),"
        " predicted = coalesce(excluded.predicted, predicted), low = coalesce(excluded.low, low),"
        " high = coalesce(excluded.high, high), actual = coalesce(excluded.actual, actual)",
        [(launch, f.name, f.base, f.predicted, f.low, f.high, f.actual) for f in figures],
    )


def put_proof(connection: sqlite3.Connection, launch: str, proof: Mapping[str, str]) -> None:
    connection.execute("UPDATE launches SET proof = ? WHERE id = ?", (json.dumps(dict(proof)), launch))


def newest(connection: sqlite3.Connection, limit: int, model: str | None = None) -> list[LaunchRecord]:
    """Newest first."""
    rows = _select(
        connection,
        "SELECT * FROM launches WHERE ? IS NULL OR model = ? ORDER BY began_at DESC, rowid DESC LIMIT ?",
        (model, model, limit),
    )
    return [_record(connection, row) for row in rows]


def find(connection: sqlite3.Connection, launch: str) -> LaunchRecord | None:
    rows = _select(connection, "SELECT * FROM launches WHERE id = ?", (launch,))
    return _record(connection, rows[0]) if rows else None


def last_good(connection: sqlite3.Connection, model: str) -> LaunchRecord | None:
    """The newest launch of `model` that became ready and did not die."""
    rows = _select(
        connection,
        "SELECT * FROM launches WHERE model = ? AND outcome = ? ORDER BY began_at DESC, rowid DESC LIMIT 1",
        (model, str(Outcome.READY)),
    )
    return _record(connection, rows[0]) if rows else None


def durations(
    connection: sqlite3.Connection, model: str, identity: Identity, machine: str, limit: int
) -> dict[str, list[float]]:
    """Seconds of each phase in the newest launches like this one that became ready, newest first."""
    rows = connection.execute(
        "SELECT phase, seconds FROM phases JOIN (SELECT id, began_at FROM launches WHERE model = ? AND engine = ? AND"
        " machine = ? AND eager = ? AND outcome IN ('ready', 'died') ORDER BY began_at DESC LIMIT ?) ON id = launch"
        " ORDER BY began_at DESC",
        (model, identity.engine, machine, int(identity.eager), limit),
    )
    found: dict[str, list[float]] = {}
    for phase, seconds in rows:
        found.setdefault(phase, []).append(seconds)
    return found


def ratios(connection: sqlite3.Connection, identity: Identity, limit: int) -> dict[str, list[float]]:
    """actual / base of each figure in the newest launches of this key, newest first."""
    where = " AND ".join(f"{name} = ?" for name in _KEY)
    rows = connection.execute(
        "SELECT name, actual / base FROM figures JOIN launches ON id = launch"
        f" WHERE {where} AND base > 0 AND actual > 0 ORDER BY began_at DESC, launches.rowid DESC",
        tuple(getattr(identity, name) for name in _KEY),
    )
    found: dict[str, list[float]] = {}
    for name, ratio in rows:
        taken = found.setdefault(name, [])
        if len(taken) < limit:
            taken.append(ratio)
    return found


def _select(connection: sqlite3.Connection, statement: str, values: tuple[Any, ...]) -> list[dict[str, Any]]:
    cursor = connection.execute(statement, values)
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]


def _record(connection: sqlite3.Connection, row: dict[str, Any]) -> LaunchRecord:
    launch = row["id"]
    phases = connection.execute("SELECT phase, seconds FROM phases WHERE launch = ? ORDER BY rowid", (launch,))
    figures = connection.execute(
        "SELECT name, base, predicted, low, high, actual FROM figures WHERE launch = ? ORDER BY rowid", (launch,)
    )
    values: dict[str, Any] = {name: row[name] for name in _IDENTITY}
    values["eager"] = bool(row["eager"])
    return LaunchRecord(
        id=launch,
        began_at=row["began_at"],
        outcome=Outcome(row["outcome"]),
        model=row["model"],
        identity=Identity(**values),
        machine=row["machine"],
        command=row["command"],
        choices=json.loads(row["choices"]),
        stowage=row["stowage"],
        ready_s=row["ready_s"],
        error=_error(row["error"]),
        phases=dict(phases.fetchall()),
        figures=tuple(Figure(*values) for values in figures.fetchall()),
        proof=json.loads(row["proof"]),
    )


def _error_text(error: ErrorInfo | None) -> str | None:
    if error is None:
        return None
    return json.dumps(
        {"code": error.code, "detail": error.detail, "facts": error.facts, "last_words": list(error.last_words)}
    )


def _error(text: str | None) -> ErrorInfo | None:
    if text is None:
        return None
    raw = json.loads(text)
    return ErrorInfo(raw["code"], raw["detail"], raw["facts"], tuple(raw["last_words"]))
