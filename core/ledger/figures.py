"""A launch in figures: what its plan said, and what came. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from core.engine.facts import LaunchFacts
from core.ledger.record import GRAPHS, KV_TOKENS, OVERHEAD, PROCESSES, SPEED, Figure
from core.planner.amounts import Amount
from core.planner.options import GIB
from core.planner.plan import Plan

# The CPU worker does not say what loading took, but how large its files are: "Checkpoint size: 0.25 GiB." (0.32).
_FILES: Final = re.compile(r"Checkpoint size: ([\d.]+) GiB")
_PARTS_OF_OVERHEAD: Final = ("context", "activations")
# vLLM subtracts its estimate of the graphs before it sizes the KV cache since 0.21.
GRAPHS_SUBTRACTED_FROM: Final = (0, 21)


@dataclass(frozen=True, slots=True)
class Said:
    """What a launch told of its memory; None where it did not. Bytes as printed: whole hundredths of a GiB."""

    weights_bytes: int | None = None
    kv_bytes: int | None = None
    kv_tokens: int | None = None
    graph_bytes: int | None = None


def said(facts: LaunchFacts, lines: Iterable[str]) -> Said:
    """Args: `lines` of the start, for the size of the files that a CPU worker loads."""
    weights = facts.model_bytes
    if weights is None:
        sizes = [float(match[1]) for line in lines if (match := _FILES.search(line))]
        weights = round(sizes[-1] * GIB) if sizes else None
    return Said(weights, facts.kv_bytes, facts.kv_tokens, facts.graph_bytes)


def predicted(plan: Plan, formula: Plan) -> tuple[Figure, ...]:
    """Args: `formula`: the same plan before anything was learned."""
    figures: list[Figure] = []
    for tier in plan.tiers:
        plain = next(other for other in formula.tiers if other.id == tier.id)
        if tier.id in ("ram", "vram"):
            bases = {item.id: item.amount for item in plain.items}
            figures += [_figure(f"{tier.id}.{item.id}", bases[item.id], item.amount) for item in tier.items]
    if plan.vram is not None and formula.vram is not None:
        figures.append(_overhead(plan, formula))
    tokens = plan.kv.capacity_tokens
    if tokens:
        figures.append(Figure(KV_TOKENS, tokens, tokens, tokens, tokens))
    if plan.speed is not None and formula.speed is not None:
        speed = plan.speed
        figures.append(Figure(SPEED, formula.speed.likely, speed.likely, speed.low, speed.high))
    return tuple(figures)


def runs_behind(plan: Plan) -> dict[str, int]:
    """From how many launches each figure of the plan was learned, 0 for the formula alone."""
    found = {f"{tier.id}.{item.id}": item.amount.runs for tier in plan.tiers for item in tier.items}
    if plan.vram is not None:
        found[OVERHEAD] = max((i.amount.runs for i in plan.vram.items if i.id in _PARTS_OF_OVERHEAD), default=0)
    if plan.speed is not None:
        found[SPEED] = plan.speed.runs
    return found


def _figure(name: str, base: Amount, amount: Amount) -> Figure:
    return Figure(name, base.likely, amount.likely, amount.low, amount.high)


def _overhead(plan: Plan, formula: Plan) -> Figure:
    assert plan.vram is not None
    assert formula.vram is not None
    amounts = [item.amount for item in plan.vram.items if item.id in _PARTS_OF_OVERHEAD]
    bases = [item.amount.likely for item in formula.vram.items if item.id in _PARTS_OF_OVERHEAD]
    ends = [sum(amount.likely for amount in amounts), sum(amount.low for amount in amounts)]
    return Figure(OVERHEAD, sum(bases), ends[0], ends[1], sum(amount.top for amount in amounts))


def actual(plan: Plan, told: Said, ours_ram_bytes: int | None) -> tuple[Figure, ...]:
    """What came. `ours_ram_bytes`: what the server's processes hold of the RAM, None unknown."""
    cpu = plan.request.engine.platform == "cpu"
    tier = "ram" if cpu else "vram"
    values = {
        f"{tier}.weights": told.weights_bytes,
        f"{tier}.kv_cache": told.kv_bytes,
        KV_TOKENS: told.kv_tokens,
        PROCESSES: _processes(plan, told, ours_ram_bytes),
    }
    if not cpu:
        values |= {GRAPHS: told.graph_bytes, OVERHEAD: _card_overhead(plan, told)}
    return tuple(Figure(name, actual=value) for name, value in values.items() if value is not None)


def _processes(plan: Plan, told: Said, ours: int | None) -> int | None:
    """The tree's memory without weights and KV cache. The CPU build touches all of its KV cache at the start (0.32:
    a second GiB of it made the tree 1,023 MiB larger)."""
    if ours is None:
        return None
    if plan.request.engine.platform == "cpu":
        if told.kv_bytes is None:
            return None
        others = plan.weights.bytes + told.kv_bytes
    else:
        others = sum(item.amount.likely for item in plan.host.tier.items if item.id != "processes")
    return ours - others if ours > others else None


def _card_overhead(plan: Plan, told: Said) -> int | None:
    """vLLM takes its share of the card, and what weights and overhead leave of it becomes the KV cache
    (`gpu_worker.determine_available_memory`)."""
    gpus, share = plan.request.hardware.gpus, plan.utilization
    fixed = plan.request.options.kv_cache_bytes is not None
    if not gpus or share is None or fixed or told.weights_bytes is None or told.kv_bytes is None:
        return None
    graphs = (told.graph_bytes or 0) if plan.request.engine.at_least(*GRAPHS_SUBTRACTED_FROM) else 0
    rest = math.ceil(gpus[0].total_bytes * share) - told.weights_bytes - told.kv_bytes - graphs
    return rest if rest > 0 else None
