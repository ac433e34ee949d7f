"""The tables, as the steps that lead to them. A step is never changed once it was released; a new one is added."""

from __future__ import annotations

from typing import Final

# Times are Unix seconds, durations seconds. `figures`: one amount of one launch; `base` is the planner's own formula
# before it was corrected by what it had learned, `predicted` what was shown; bytes, tokens or tokens per second as the
# name says.
_FIRST: Final = """
CREATE TABLE launches (
    id TEXT PRIMARY KEY,
    began_at REAL NOT NULL,
    outcome TEXT NOT NULL,
    ready_s REAL,
    model TEXT NOT NULL,
    engine TEXT NOT NULL,
    engine_version TEXT NOT NULL,
    platform TEXT NOT NULL,
    architecture TEXT NOT NULL,
    quantization TEXT NOT NULL,
    gpu TEXT NOT NULL,
    driver TEXT NOT NULL,
    machine TEXT NOT NULL,
    eager INTEGER NOT NULL,
    stowage TEXT NOT NULL,
    command TEXT NOT NULL,
    choices TEXT NOT NULL,
    error TEXT
) STRICT;
CREATE INDEX launches_by_time ON launches (began_at);
CREATE TABLE phases (
    launch TEXT NOT NULL REFERENCES launches (id) ON DELETE CASCADE,
    phase TEXT NOT NULL,
    seconds REAL NOT NULL,
    PRIMARY KEY (launch, phase)
) STRICT;
CREATE TABLE figures (
    launch TEXT NOT NULL REFERENCES launches (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    base REAL,
    predicted REAL,
    low REAL,
    high REAL,
    actual REAL,
    PRIMARY KEY (launch, name)
) STRICT;
"""

# What each option came to: its word id -> the verdict, as JSON.
_PROOF: Final = "ALTER TABLE launches ADD COLUMN proof TEXT NOT NULL DEFAULT '{}';"

MIGRATIONS: Final[tuple[str, ...]] = (_FIRST, _PROOF)
