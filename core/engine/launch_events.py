"""What is heard of a launch beside its `ServerStatus`: what is true of it, whether it did as asked, how it fares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from core.events import Delivery, ErrorInfo, Event

if TYPE_CHECKING:
    from core.engine.facts import LaunchFacts
    from core.engine.finding import Finding
    from core.engine.fixes import Fix
    from core.engine.vitals import Vitals


@dataclass(frozen=True, slots=True)
class LaunchFixed(Event):
    """A launch failed with `error` and is tried again at once, with `fix`, which takes away nothing that was asked."""

    lasting: ClassVar[bool] = True

    launch_id: str
    error: ErrorInfo
    fix: Fix


@dataclass(frozen=True, slots=True)
class FixesFound(Event):
    """What helps against the failure of launch `launch_id`, the most promising first; empty after a good start."""

    delivery: ClassVar[Delivery] = Delivery.LATEST
    lasting: ClassVar[bool] = True

    launch_id: str
    fixes: tuple[Fix, ...]


@dataclass(frozen=True, slots=True)
class FactsChanged(Event):
    """What is known of the running launch by now."""

    delivery: ClassVar[Delivery] = Delivery.LATEST
    lasting: ClassVar[bool] = True

    launch_id: str
    facts: LaunchFacts


@dataclass(frozen=True, slots=True)
class ProofChanged(Event):
    """Whether each requested option took effect. `complete`: the server was asked too, not only its log read."""

    delivery: ClassVar[Delivery] = Delivery.LATEST
    lasting: ClassVar[bool] = True

    launch_id: str
    findings: tuple[Finding, ...]
    complete: bool = False


@dataclass(frozen=True, slots=True)
class LaunchRecorded(Event):
    """The ledger has a ready launch with what came of its plan."""

    lasting: ClassVar[bool] = True

    launch_id: str


@dataclass(frozen=True, slots=True)
class SleepChanged(Event):
    """The running server was put to sleep or woken, by a button or by a question."""

    delivery: ClassVar[Delivery] = Delivery.LATEST
    lasting: ClassVar[bool] = True

    launch_id: str
    asleep: bool


@dataclass(frozen=True, slots=True)
class VitalsChanged(Event):
    """How the running server fares, and what limits its speed where that is visible."""

    delivery: ClassVar[Delivery] = Delivery.LATEST
    lasting: ClassVar[bool] = True

    launch_id: str
    vitals: Vitals
