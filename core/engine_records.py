"""What everyone may hear of an engine beside its `EngineInfo`. Outside `core.engine`, since events name it."""

from __future__ import annotations

from dataclasses import dataclass

from core.events import ErrorInfo


@dataclass(frozen=True, slots=True)
class Canary:
    """The trial of an engine before it may become the default. `at` is Unix time, `against` the engine it was measured
    beside, rates are tokens per second of the starter, None where not measured. `step` and `error` say where
    and why it did not pass."""

    passed: bool
    at: float
    against: str = ""
    rate: float | None = None
    before_rate: float | None = None
    own_model: str = ""
    step: str = ""
    error: ErrorInfo | None = None


@dataclass(frozen=True, slots=True)
class HalfInstall:
    """What an installation left that was cut off (a crash, a power cut). `recipe` is the name that installs it anew,
    `step` the word id of the step it was in, `began_at` Unix time."""

    id: str
    recipe: str
    title: str
    step: str
    began_at: float
    size_bytes: int
