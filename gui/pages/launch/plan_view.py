"""What the plan card shows, as frozen values in the person's language. Made by `plan_words`, shown by `plan_card`."""

from __future__ import annotations

from dataclasses import dataclass

from core.planner.amounts import Verdict


@dataclass(frozen=True, slots=True)
class PartLine:
    """One part of a tier. `mark`: "exact", or the band of an estimate; `meaning` in one sentence."""

    id: str
    name: str
    size: str
    mark: str
    meaning: str


@dataclass(frozen=True, slots=True)
class TierLine:
    """`budget_id` names the bar of the strip that it lies over."""

    budget_id: str
    verdict: Verdict
    parts: tuple[PartLine, ...]


@dataclass(frozen=True, slots=True)
class LeverLine:
    id: str
    text: str
    gain: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Says:
    """What follows from one option; `meaning` explains it."""

    text: str = ""
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Consequences:
    context: Says = Says()
    requests: Says = Says()
    kv: Says = Says()
    free: Says = Says()
    offload: Says = Says()
    step: Says = Says()
    dtype: Says = Says()
    eager: Says = Says()


@dataclass(frozen=True, slots=True)
class PlanView:
    """`notes` are what a person should know; `technical` is what the planner noted, in English."""

    verdict: Verdict
    headline: str
    detail: str
    tiers: tuple[TierLine, ...]
    speed: str
    speed_meaning: str
    can_measure: bool
    consequences: Consequences
    notes: tuple[str, ...] = ()
    technical: tuple[str, ...] = ()
    command: str = ""
