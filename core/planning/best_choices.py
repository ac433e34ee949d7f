"""What to launch a model with on a computer, when nobody has chosen anything for it yet. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from core.planner.amounts import Verdict
from core.planner.levers import least_offload_gib
from core.planner.options import GIB
from core.planner.plan import Plan
from core.planning.choices import Choices
from core.planning.launch_plan import Basis, plan_launch
from core.settings import Settings

USUAL_CONTEXT: Final = 8192
"""Tokens that a model is planned for when the user has set none: its own limit may be a million."""


def best_choices(basis: Basis, settings: Settings) -> tuple[Choices, Plan]:
    """The user's settings, a context that is of use, and where it would not fit otherwise, the room that the KV cache
    of a CPU engine needs or the least offload into RAM; and the plan of it.

    Only for a basis without obstacle.
    """
    limit = basis.checkpoint.context
    wanted = settings.context_tokens or USUAL_CONTEXT
    choices = Choices(
        context=min(wanted, limit.tokens) if limit.key else wanted,
        enforce_eager=settings.enforce_eager,
        cpu_kv_cache_gib=settings.cpu_kv_cache_gib,
        max_num_seqs=settings.max_num_seqs,
        max_num_batched_tokens=settings.max_num_batched_tokens,
        leave_free_gib=settings.leave_free_gib,
    )
    plan = plan_launch(basis, choices)
    if plan.verdict is not Verdict.NO or plan.refused:
        return choices, plan
    changed = _more_cpu_space(choices, plan) if basis.engine.platform == "cpu" else _offloaded(choices, plan)
    if changed is not None:
        better = plan_launch(basis, changed)
        if better.verdict in (Verdict.FITS, Verdict.TIGHT):
            return changed, better
    return choices, plan


def _more_cpu_space(choices: Choices, plan: Plan) -> Choices | None:
    """A CPU engine has a space of its own for the KV cache, in whole GiB."""
    needed = -(-(plan.kv.bytes_one_request + plan.kv.bytes_per_block) // GIB)
    return replace(choices, cpu_kv_cache_gib=needed) if needed > choices.cpu_kv_cache_gib else None


def _offloaded(choices: Choices, plan: Plan) -> Choices | None:
    gib = least_offload_gib(plan)
    return replace(choices, offload_gib=gib) if gib else None
