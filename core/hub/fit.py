"""How a model sits on this computer: its facts and the planner, nothing measured, nothing loaded. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from core.checkpoint.architecture import Checkpoint
from core.checkpoint.listing import Kind
from core.errors import AppError
from core.hub.facts import RepoFacts
from core.hub.ground import Ground
from core.hub.model import Fit, FitBadge, RepoRow
from core.planner.amounts import Verdict
from core.planner.options import GIB
from core.planner.plan import Plan
from core.planning.best_choices import best_choices
from core.planning.choices import Choices
from core.planning.launch_plan import NoPlan
from core.settings import Settings

# What a runtime and a KV cache of the usual context add to the weights at the least and at the most.
_COARSE: Final = (1.05, 1.35)
_COARSE_ROOM: Final = (GIB, 3 * GIB)
_KINDS: Final = {Kind.GGUF: "gguf", Kind.ADAPTER: "adapter", Kind.NOTHING: "no_weights"}
_OBSTACLES: Final = {NoPlan.PLATFORM: "platform", NoPlan.NO_CARD: "no_card"}


def filled_row(
    row: RepoRow, facts: RepoFacts, ground: Ground, settings: Settings, *, with_plan: bool = False
) -> RepoRow:
    """`row` with what its files tell, and with its badge. Never raises for what a repository holds."""
    listing = facts.listing
    row = replace(
        row,
        commit=facts.commit,
        parameters=facts.parameters or row.parameters,
        weight_bytes=listing.weight_bytes,
        download_bytes=listing.download_bytes,
        loadable=row.loadable and listing.kind is Kind.CHECKPOINT,
    )
    try:
        checkpoint = facts.checkpoint()
    except AppError:
        return replace(row, badge=FitBadge(Fit.UNKNOWN, exact=False, reason="broken"))
    if checkpoint is not None:
        row = replace(
            row,
            dtype=checkpoint.dtype(),
            quantization=checkpoint.quantization.method or "",
            architecture=checkpoint.config.architecture,
            context_tokens=checkpoint.context.tokens if checkpoint.context.key else 0,
        )
    badge = badge_of(facts, checkpoint, ground, settings, here=row.cached == "whole")
    return replace(row, badge=badge if with_plan else replace(badge, plan=None))


def badge_of(
    facts: RepoFacts, checkpoint: Checkpoint | None, ground: Ground, settings: Settings, *, here: bool = False
) -> FitBadge:
    listing = facts.listing
    if listing.kind is not Kind.CHECKPOINT:
        return FitBadge(Fit.UNKNOWN, exact=False, reason=_KINDS[listing.kind])
    if listing.missing:
        return FitBadge(Fit.UNKNOWN, exact=False, reason="missing_files")
    if checkpoint is None:
        return _coarse(facts, ground)
    obstacle = ground.basis(checkpoint).obstacle()
    if obstacle is not None:
        return FitBadge(Fit.UNKNOWN, reason=_OBSTACLES[obstacle])
    choices, plan = best_choices(ground.basis(checkpoint, here=here), settings)
    badge = _of_plan(plan, choices)
    # Without headers the sizes of the tensors are those that the config asks for.
    return badge if facts.disk is not None else replace(badge, exact=False, reason=badge.reason or facts.reason)


def _of_plan(plan: Plan, choices: Choices) -> FitBadge:
    speed = (plan.speed.low, plan.speed.high) if plan.speed is not None else None
    badge = FitBadge(Fit.UNKNOWN, plan.resolved.context, tokens_per_s=speed, plan=plan)
    if plan.verdict is Verdict.NO:
        tier, short = _shortest(plan)
        return replace(
            badge,
            fit=Fit.NO,
            short_tier=tier,
            short_bytes=short,
            tokens_per_s=None,
            reason="refused" if plan.refused else "",
        )
    if plan.verdict is Verdict.UNKNOWN:
        known = plan.vram is None or plan.vram.limit_bytes is not None
        return replace(badge, reason="unmodelled" if known else "no_figures")
    if choices.offload_gib:
        return replace(badge, fit=Fit.OFFLOAD, offload_bytes=plan.offload.offloaded_bytes)
    return replace(badge, fit=Fit.FITS if plan.verdict is Verdict.FITS else Fit.TIGHT)


def _shortest(plan: Plan) -> tuple[str, int]:
    """The tier that lacks most by the likely figures, and how much; ("", 0) where no tier is the cause."""
    short = {
        tier.id: tier.likely_bytes - tier.limit_bytes
        for tier in plan.tiers
        if tier.limit_bytes is not None and tier.verdict is Verdict.NO
    }
    if not short and plan.kv.refused and plan.kv_budget_bytes is not None:
        where = "vram" if plan.vram is not None else "ram"
        short[where] = plan.kv.bytes_one_request + plan.kv.bytes_per_block - plan.kv_budget_bytes
    worst = max(short, key=lambda tier: short[tier], default="")
    return worst, max(0, short.get(worst, 0))


def _coarse(facts: RepoFacts, ground: Ground) -> FitBadge:
    """By the size of the files alone: an answer only where it is clear."""
    size, hardware = facts.listing.weight_bytes, ground.hardware
    badge = FitBadge(Fit.UNKNOWN, exact=False, reason=facts.reason or "no_config")
    if not size or facts.reason == "broken":
        return badge
    ram = hardware.ram_available_bytes
    if ground.engine.platform == "cpu":
        place, limit = "ram", ram
    else:
        place, limit = "vram", hardware.gpus[0].free_bytes if hardware.gpus else None
    if limit is None:
        return badge
    if size * _COARSE[1] + _COARSE_ROOM[1] <= limit:
        return replace(badge, fit=Fit.FITS)
    least = int(size * _COARSE[0]) + _COARSE_ROOM[0]
    beyond = limit if place == "ram" else limit + (ram or 0)
    if least > beyond:
        return replace(badge, fit=Fit.NO, short_tier=place, short_bytes=least - limit)
    return badge
