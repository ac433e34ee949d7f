"""How the trial of an engine went: part of its record."""

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
