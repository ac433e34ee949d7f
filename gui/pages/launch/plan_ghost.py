"""The plan as what lies over the bars: parts by budget, with the planner's verdicts."""

from __future__ import annotations

from core.machine.model import Machine
from core.planner.amounts import Item, Tier, estimated
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
    parts = [part for tier in tiers for part in _parts(tier, plan, budgets[tier.id], words)]
    verdicts = {budgets[tier.id]: _VERDICTS[tier.verdict] for tier in tiers if tier.verdict in _VERDICTS}
    unjudged = frozenset(budgets[tier.id] for tier in tiers if tier.verdict is Planned.UNKNOWN)
    lacking = {budgets[tier.id]: short_of(tier) for tier in tiers if tier.verdict is Planned.NO}
    return GhostPlan(title, tuple(parts), verdicts, about, unjudged, lacking)


def short_of(tier: Tier) -> int:
    """Bytes that are lacking by the likely values; by the lowest where those would do."""
    limit = tier.limit_bytes or 0
    lacking = tier.likely_bytes - limit
    return lacking if lacking > 0 else max(0, tier.low_bytes - limit)


def items_of(tier: Tier, plan: Plan) -> tuple[Item, ...]:
    """The parts of a tier; in VRAM also what vLLM fills with more KV cache, for it takes its whole share at once."""
    rest = (tier.limit_bytes or 0) - tier.likely_bytes
    if tier.id != "vram" or plan.request.options.kv_cache_bytes is not None or rest <= 0:
        return tier.items
    spread = tier.high_bytes - tier.likely_bytes
    return (*tier.items, Item("kv_more", estimated(rest, rest - spread, rest + tier.likely_bytes - tier.low_bytes)))


def _parts(tier: Tier, plan: Plan, budget_id: str, words: PartWords) -> list[GhostPart]:
    return [
        GhostPart(budget_id, words.name(item.id), item.amount.likely)
        for item in items_of(tier, plan)
        if item.amount.likely >= SMALLEST
    ]
