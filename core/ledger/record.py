"""One launch as the ledger keeps it, and the key under which launches teach each other."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any, Final

from core.events import ErrorInfo

# Names of figures: "<tier>.<part>" in bytes, and these.
KV_TOKENS: Final = "kv_tokens"
SPEED: Final = "decode_tokens_per_s"
PROCESSES: Final = "ram.processes"
OVERHEAD: Final = "vram.overhead"
GRAPHS: Final = "vram.graphs"


class Outcome(enum.StrEnum):
    STARTING = "starting"  # of a launch under way, or of one that nobody lived to see the end of
    READY = "ready"
    FAILED = "failed"  # before it was ready
    DIED = "died"  # after
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Identity:
    """What must agree for one launch to teach another: the same card and driver ("" for a CPU engine, whose `gpu` is
    the CPU's name), engine, kind of model, and whether it was compiled."""

    gpu: str
    driver: str
    engine: str
    engine_version: str
    platform: str
    architecture: str
    quantization: str
    eager: bool


@dataclass(frozen=True, slots=True)
class Figure:
    """One amount: bytes, tokens, or tokens per second. `base`: the planner's formula before anything was learned;
    `predicted` with its band: what the plan said; None where there is none."""

    name: str
    base: float | None = None
    predicted: float | None = None
    low: float | None = None
    high: float | None = None
    actual: float | None = None

    @property
    def error(self) -> float | None:
        """How far the prediction was off, as a share of what came; None while one of the two is missing."""
        if self.predicted is None or not self.actual:
            return None
        return self.predicted / self.actual - 1


@dataclass(frozen=True, slots=True)
class LaunchRecord:
    """`began_at` Unix seconds; `ready_s` seconds from the click; `command` redacted; `choices` the options as plain
    data; `phases` seconds by phase; `proof` the verdict on each option that was asked for (`core.engine.finding`)."""

    id: str
    began_at: float
    outcome: Outcome
    model: str
    identity: Identity
    machine: str
    command: str
    choices: dict[str, Any]
    stowage: str
    ready_s: float | None = None
    error: ErrorInfo | None = None
    phases: dict[str, float] = field(default_factory=dict[str, float])
    figures: tuple[Figure, ...] = ()
    proof: dict[str, str] = field(default_factory=dict[str, str])

    def figure(self, name: str) -> Figure | None:
        return next((figure for figure in self.figures if figure.name == name), None)
