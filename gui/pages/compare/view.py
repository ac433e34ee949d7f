"""What the Compare page shows of a result: words, rows, pictures. Frozen."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Picture:
    svg: str
    meaning: str


@dataclass(frozen=True, slots=True)
class ResultView:
    """`rows` of name, A, B, B : A; `notes` below them, one sentence each; `folder` of the report, "" while it runs."""

    headline: str
    rows: tuple[tuple[str, str, str, str], ...]
    notes: tuple[str, ...]
    pictures: tuple[Picture, ...]
    folder: str
