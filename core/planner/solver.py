"""From wishes to options: the best few plans, each with what it gives up. Deterministic.

First without offload, then with the smallest loss; the context is never shrunk below what was wished for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from core.checkpoint.architecture import Checkpoint
from core.checkpoint.tensors import Part
from core.planner.amounts import Verdict
from core.planner.options import GIB, Options, Request
from core.planner.plan import Plan, make_plan
from core.planner.ple import other_placements
from core.planner.towers import may_go

BEST: Final = 3
# Contexts offered when a person has no wish: vLLM's own default length is often more than a desktop needs.
USUAL_CONTEXT: Final = 16384
LEAST_CONTEXT: Final = 4096
DESKTOP_SEQS: Final = 8
# A table off the card: less than no CUDA graphs, more than an 8-bit KV cache.
TABLE_LOSS: Final = 2.0


@dataclass(frozen=True, slots=True)
class Wishes:
    """`context`: at least so many tokens, None when there is no wish. `reserve_bytes` of VRAM to leave alone.
    `vision`: images must work. `full_kv_precision`: no 8-bit KV cache. `concurrent`: requests at once."""

    context: int | None = None
    reserve_bytes: int | None = None
    vision: bool = True
    full_kv_precision: bool = False
    concurrent: int = 1


@dataclass(frozen=True, slots=True)
class Solution:
    """`gives_up`: in words, "" entries never; empty when nothing is lost."""

    plan: Plan
    gives_up: tuple[str, ...]
    loss: float


@dataclass(frozen=True, slots=True)
class _Step:
    """One set of concessions and how much a person loses by it."""

    options: Options
    gives_up: tuple[str, ...]
    loss: float


def solve(checkpoint: Checkpoint, request: Request, wishes: Wishes) -> tuple[Solution, ...]:
    """The best few, best first. When nothing fits, the one that comes nearest."""
    found: list[Solution] = []
    nearest: tuple[int, Solution] | None = None
    for step in _steps(checkpoint, request, wishes):
        plan = make_plan(checkpoint, replace(request, options=step.options))
        loss = step.loss + (0.5 if plan.verdict is Verdict.TIGHT else 0.0)
        solution = Solution(plan, step.gives_up, loss)
        if plan.verdict in (Verdict.FITS, Verdict.TIGHT):
            found.append(solution)
            continue
        lacking = _lacking(plan)
        if nearest is None or lacking < nearest[0]:
            nearest = lacking, solution
        if lacking > 0:
            found += _with_table_away(checkpoint, request, step, plan)
            found += _with_offload(checkpoint, request, step, plan)
    ranked = sorted(found, key=lambda solution: (solution.loss, -_pace(solution.plan)))
    if ranked:
        return tuple(islice(_different(ranked), BEST))
    return (nearest[1],) if nearest else ()


def _pace(plan: Plan) -> float:
    return plan.speed.likely if plan.speed else 0.0


def _different(ranked: list[Solution]) -> Iterator[Solution]:
    """Without those that give up all that a better one does, and more, for no more speed."""
    kept: list[Solution] = []
    for solution in ranked:
        lost = _sacrifices(solution)
        if not any(_sacrifices(other) <= lost and _pace(solution.plan) < 1.1 * _pace(other.plan) for other in kept):
            kept.append(solution)
            yield solution


def _sacrifices(solution: Solution) -> frozenset[str]:
    """Kinds of sacrifices: sizes of an offload do not make it another one."""
    return frozenset(text.partition(" GiB of ")[2] or text for text in solution.gives_up)


def _lacking(plan: Plan) -> int:
    """Bytes of VRAM by which the likely values miss the limit."""
    vram = plan.vram
    if vram is None or vram.limit_bytes is None:
        return 0
    return max(0, vram.likely_bytes - vram.limit_bytes)


def _steps(checkpoint: Checkpoint, request: Request, wishes: Wishes) -> Iterator[_Step]:
    base = replace(
        request.options,
        context=_context(checkpoint, wishes),
        max_num_seqs=max(DESKTOP_SEQS, wishes.concurrent),
        reserve_bytes=wishes.reserve_bytes if wishes.reserve_bytes is not None else request.options.reserve_bytes,
        offload_gib=0.0,
        offload_params=(),
        group_size=0,
    )
    text_only = may_go(checkpoint) and not wishes.vision
    quantized_cache = checkpoint.quantization.cache_dtype != ""
    for kv_dtype in ("auto",) if wishes.full_kv_precision or quantized_cache else ("auto", "fp8"):
        for tokens in (None, 1024, 512):
            for eager in (False, True):
                options = replace(
                    base,
                    kv_cache_dtype=kv_dtype,
                    max_num_batched_tokens=tokens,
                    enforce_eager=eager,
                    language_model_only=text_only or base.language_model_only,
                )
                yield _step(options)


def _step(options: Options) -> _Step:
    gives_up: list[str] = []
    loss = 0.0
    if options.max_num_batched_tokens is not None:
        gives_up.append(f"long prompts are read {options.max_num_batched_tokens} tokens at a time")
        loss += 0.2 if options.max_num_batched_tokens > 512 else 0.4
    if options.kv_cache_dtype == "fp8":
        gives_up.append("the KV cache is kept in 8 bits")
        loss += 1.0
    if options.enforce_eager:
        gives_up.append("no CUDA graphs: clearly fewer tokens per second")
        loss += 3.0
    return _Step(options, tuple(gives_up), loss)


def _context(checkpoint: Checkpoint, wishes: Wishes) -> int:
    limit = checkpoint.context.tokens if checkpoint.context.key else USUAL_CONTEXT
    return wishes.context if wishes.context is not None else max(1, min(limit, USUAL_CONTEXT))


def _with_table_away(checkpoint: Checkpoint, request: Request, step: _Step, plan: Plan) -> Iterator[Solution]:
    """The per-layer embedding table off the card, when that is enough: it costs far less speed than other weights."""
    for placement, text in other_placements(plan.ple, plan.request):
        moved = make_plan(checkpoint, replace(request, options=replace(step.options, ple_placement=placement)))
        if moved.verdict in (Verdict.FITS, Verdict.TIGHT):
            tight = 0.5 if moved.verdict is Verdict.TIGHT else 0.0
            yield Solution(moved, (*step.gives_up, text), step.loss + TABLE_LOSS + tight)
            return


def _with_offload(checkpoint: Checkpoint, request: Request, step: _Step, plan: Plan) -> Iterator[Solution]:
    """The smallest offload that makes this step fit by the pessimistic end, else by the likely one."""
    vram, inventory = plan.vram, plan.weights.inventory
    if vram is None or vram.limit_bytes is None or inventory is None or request.engine.platform == "cpu":
        return
    selections = ((), ("experts",)) if inventory.by_part[Part.EXPERTS] else ((),)
    for names in selections:
        ceiling = inventory.walk_of(names).ceiling
        for size, safety in ((vram.high_bytes, 0.0), (vram.likely_bytes, 0.3)):
            wanted = size - vram.limit_bytes
            if not 0 < wanted <= ceiling:
                continue
            gib = -(-wanted * 4 // GIB) / 4
            options = replace(step.options, offload_gib=gib, offload_params=names)
            moved = make_plan(checkpoint, replace(request, options=options))
            if moved.verdict in (Verdict.FITS, Verdict.TIGHT):
                what = "experts" if names else "weights"
                text = f"{gib:g} GiB of {what} in RAM: each token waits for the link"
                share = moved.offload.offloaded_bytes / max(1, plan.weights.bytes)
                tight = 0.5 if moved.verdict is Verdict.TIGHT else 0.0
                loss = step.loss + 10.0 + 10.0 * share + safety + tight - (2.0 if names else 0.0)
                yield Solution(moved, (*step.gives_up, text), loss)
                break
