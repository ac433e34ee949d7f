"""What one bar shows, as frozen values in the person's language. Made by `gui.budget.views`, painted by the cells."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from gui.budget.ghost import Verdict


class Look(enum.Enum):
    """How a part of a bar is drawn. The order is that of the legend."""

    OURS = "ours"
    KV_FREE = "kv_free"
    PROCESS = "process"
    PROCESS_ODD = "process_odd"  # every other program, so that neighbours differ
    DRIVER = "driver"
    OTHER = "other"
    FREE = "free"
    GHOST = "ghost"
    OVERFLOW = "overflow"


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a bar: where it lies (0 to 1 of the whole), the texts for it from the longest to the shortest, and
    what it means in a sentence. `key` stays the same from sample to sample."""

    key: str
    look: Look
    start: float
    end: float
    labels: tuple[str, ...]
    meaning: str


@dataclass(frozen=True, slots=True)
class BudgetView:
    """One bar. `title` is a short word ("VRAM"), `name` what it is of ("RTX 3060"), `short_figure` for where `figure`
    has no room. `used_mib` and `total_mib` are for a screen reader's meter; `total_mib` 0: unknown, and `figure` says
    so. `trace` is the use over the last minutes, (0 to 1 of the time, 0 to 1 of the whole), oldest first. `ghosts` lie
    over the free part."""

    id: str
    title: str
    name: str
    figure: str
    short_figure: str = ""
    spans: tuple[Span, ...] = ()
    ghosts: tuple[Span, ...] = ()
    verdict: Verdict | None = None
    verdict_text: str = ""
    used_mib: int = 0
    total_mib: int = 0
    trace: tuple[tuple[float, float], ...] = ()
    meaning: str = ""
    description: str = ""
