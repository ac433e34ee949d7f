"""Single changes that would make a plan fit or run faster, each with its gain and its cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from core.checkpoint.architecture import Checkpoint
from core.checkpoint.caches import CacheKind
from core.checkpoint.fields import Unreadable
from core.checkpoint.quantization.declared import read_quantization
from core.checkpoint.tensors import Part
from core.planner.amounts import Verdict
from core.planner.options import GIB, Options, Request
from core.planner.plan import Plan, make_plan
from core.planner.ple import other_placements
from core.planner.towers import may_go

FEW_SEQS: Final = 4
FEW_TOKENS: Final = 1024
CONTEXTS: Final = (131072, 65536, 32768, 16384, 8192, 4096)
LEAST_GAIN: Final = 8 << 20
AWQ: Final = {"quant_method": "awq", "bits": 4, "group_size": 128, "version": "gemm", "zero_point": True}


@dataclass(frozen=True, slots=True)
class Lever:
    """`options`: the plan's options with this one change (none for "quantization": that is another checkpoint).
    `vram_gain_bytes` by the likely values; `speed_factor` None when no speed is predicted; `cost` in words, "" when
    there is none."""

    id: str
    value: str
    options: Options
    vram_gain_bytes: int
    ram_cost_bytes: int
    speed_factor: float | None
    verdict: Verdict
    cost: str


def levers(checkpoint: Checkpoint, request: Request, plan: Plan) -> tuple[Lever, ...]:
    """Those that gain something, the largest gain of VRAM first; what makes the plan fit comes before the rest."""
    found: list[Lever] = []
    for name, value, options, cost in _changes(checkpoint, request, plan):
        changed = make_plan(checkpoint, replace(request, options=options))
        lever = _compare(name, value, options, cost, plan, changed)
        if lever.vram_gain_bytes >= LEAST_GAIN or (lever.speed_factor or 1.0) > 1.05:
            found.append(lever)
    found += _quantized(checkpoint, request, plan)
    order = {Verdict.FITS: 0, Verdict.TIGHT: 1, Verdict.UNKNOWN: 2, Verdict.NO: 3}
    return tuple(sorted(found, key=lambda lever: (order[lever.verdict], bool(lever.cost), -lever.vram_gain_bytes)))


def _compare(name: str, value: str, options: Options, cost: str, plan: Plan, changed: Plan) -> Lever:
    before, after = plan.vram, changed.vram
    gain = max(0, before.likely_bytes - after.likely_bytes) if before and after else 0
    factor = changed.speed.likely / plan.speed.likely if plan.speed and changed.speed else None
    ram = changed.host.tier.likely_bytes - plan.host.tier.likely_bytes
    return Lever(name, value, options, gain, max(0, ram), factor, changed.verdict, cost)


def _changes(checkpoint: Checkpoint, request: Request, plan: Plan) -> Iterator[tuple[str, str, Options, str]]:
    options, resolved = request.options, plan.resolved
    yield from _context(options, plan)
    if resolved.max_num_seqs > FEW_SEQS:
        seqs = replace(options, max_num_seqs=FEW_SEQS)
        yield "max_num_seqs", str(FEW_SEQS), seqs, "requests beyond four wait"
    if resolved.max_num_batched_tokens > FEW_TOKENS:
        tokens = replace(options, max_num_batched_tokens=FEW_TOKENS)
        yield "max_num_batched_tokens", str(FEW_TOKENS), tokens, "long prompts are read in more steps"
    if _slides(checkpoint, options) and options.async_scheduling:
        yield "async_scheduling", "off", replace(options, async_scheduling=False), "slightly fewer tokens per second"
    if plan.resolved.layer_dtype in ("auto", "float16", "bfloat16"):
        yield "kv_cache_dtype", "fp8", replace(options, kv_cache_dtype="fp8"), "a little precision in long contexts"
    if may_go(checkpoint) and not options.language_model_only:
        yield "language_model_only", "on", replace(options, language_model_only=True), "no images or sound"
    if not options.enforce_eager and request.engine.platform != "cpu":
        yield "enforce_eager", "on", replace(options, enforce_eager=True), "clearly fewer tokens per second"
    yield from _table(plan, options)
    yield from _offloads(plan, options, request)
    if len(request.hardware.gpus) > options.tensor_parallel:
        ranks = options.tensor_parallel * 2
        yield "tensor_parallel", str(ranks), replace(options, tensor_parallel=ranks), f"{ranks} cards are busy"


def _quantized(checkpoint: Checkpoint, request: Request, plan: Plan) -> Iterator[Lever]:
    """The same model in 4 bits (AWQ, groups of 128: what most published versions are). Another download, so its options
    are the plan's own; its files are not known, so it is planned from the config."""
    if checkpoint.quantization.method or not checkpoint.known or plan.refused:
        return
    four_bits = replace(checkpoint, quantization=read_quantization(AWQ, []), disk=None)
    changed = make_plan(four_bits, request)
    lever = _compare("quantization", "AWQ", request.options, "some precision, and another download", plan, changed)
    if not changed.refused and lever.vram_gain_bytes >= LEAST_GAIN:
        yield lever


def _context(options: Options, plan: Plan) -> Iterator[tuple[str, str, Options, str]]:
    for context in CONTEXTS:
        if context < plan.resolved.context:
            cost = f"at most {context} tokens of conversation"
            yield "context", str(context), replace(options, context=context), cost


def _table(plan: Plan, options: Options) -> Iterator[tuple[str, str, Options, str]]:
    for placement, cost in other_placements(plan.ple, plan.request):
        yield f"ple_{placement}", placement, replace(options, ple_placement=placement), cost


def _slides(checkpoint: Checkpoint, options: Options) -> bool:
    try:
        layers = checkpoint.caches(options.tensor_parallel)
    except Unreadable:
        return False
    return any(layer.kind in (CacheKind.SLIDING, CacheKind.CHUNKED) for layer in layers)


def _offloads(plan: Plan, options: Options, request: Request) -> Iterator[tuple[str, str, Options, str]]:
    """Just enough weight offload to fit; experts first where there are any."""
    gib, inventory = least_offload_gib(plan), plan.weights.inventory
    if gib is None or inventory is None or request.engine.platform == "cpu":
        return
    moved = replace(options, offload_gib=gib)
    yield "cpu_offload_gb", f"{gib:g}", moved, "every step fetches these weights over the link to RAM"
    if inventory.by_part[Part.EXPERTS] and not options.offload_params:
        cost = "every step fetches the chosen experts over the link to RAM"
        yield "cpu_offload_params", f"{gib:g}", replace(moved, offload_params=("experts",)), cost


def least_offload_gib(plan: Plan) -> float | None:
    """`--cpu-offload-gb` with which the plan would fit by the pessimistic end of its bands, in quarters of a GiB; None
    where offload is not what it lacks, or where it prefetches already."""
    vram = plan.vram
    if vram is None or vram.limit_bytes is None or plan.weights.inventory is None or plan.request.options.group_size:
        return None
    short = vram.high_bytes - vram.limit_bytes
    return -(-(short + plan.offload.offloaded_bytes) * 4 // GIB) / 4 if short > 0 else None
