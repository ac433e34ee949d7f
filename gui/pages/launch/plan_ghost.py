"""The plan as what lies over the bars: parts by budget, with the planner's verdicts."""

from __future__ import annotations

from core.machine.model import Machine
from core.planner.amounts import Tier
from core.planner.amounts import Verdict as Planned
from core.planner.plan import Plan
from core.planning.hardware import planned_gpu
from gui.budget.ghost import GhostPart, GhostPlan, Verdict
from gui.pages.launch.part_words import PartWords

SMALLEST = 16 << 20
_VERDICTS = {Planned.FITS: Verdict.FITS, Planned.TIGHT: Verdict.TIGHT, Planned.NO: Verdict.NO}


def budgets_of(plan: Plan, machine: Machine) -> dict[str, str]:
    """The bar's id of each tier that has one here."""
    gpu, disk = planned_gpu(machine), machine.disk("models")
    ids = {"ram": "ram"}
    if gpu is not None and plan.vram is not None:
        ids["vram"] = gpu.id
    if disk is not None:
        ids["disk"] = f"disk:{disk.mount}"
    return {tier.id: ids[tier.id] for tier in plan.tiers if tier.id in ids}


def ghost_of(plan: Plan, budgets: dict[str, str], title: str, words: PartWords, *, about: bool) -> GhostPlan:
    """`about`: its sizes are estimates as a whole."""
    tiers = [tier for tier in plan.tiers if tier.id in budgets]
    parts = [part for tier in tiers for part in _parts(tier, budgets[tier.id], words)]
    verdicts = {budgets[tier.id]: _VERDICTS[tier.verdict] for tier in tiers if tier.verdict in _VERDICTS}
    unjudged = frozenset(budgets[tier.id] for tier in tiers if tier.verdict is Planned.UNKNOWN)
    lacking = {budgets[tier.id]: short_of(tier) for tier in tiers if tier.verdict is Planned.NO}
    return GhostPlan(title, tuple(parts), verdicts, about, unjudged, lacking)


def short_of(tier: Tier) -> int:
    """Bytes that are lacking by the likely values; by the lowest where those would do."""
    limit = tier.limit_bytes or 0
    lacking = tier.likely_bytes - limit
    return lacking if lacking > 0 else max(0, tier.low_bytes - limit)


def _parts(tier: Tier, budget_id: str, words: PartWords) -> list[GhostPart]:
    return [
        GhostPart(budget_id, words.name(item.id), item.amount.likely)
        for item in tier.items
        if item.amount.likely >= SMALLEST
    ]
