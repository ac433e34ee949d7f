"""The plan: every gigabyte of one launch by tier, whether it fits, the command line, the speed."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

from core.checkpoint.architecture import Checkpoint
from core.checkpoint.caches import CacheLayer
from core.checkpoint.families import generic
from core.checkpoint.families.registry import UNCHECKED
from core.checkpoint.fields import Unreadable
from core.planner.amounts import Amount, Certainty, Item, Tier, Verdict, estimated, exact, judge, unknown, worst
from core.planner.command import Command, build
from core.planner.defaults import Resolved, cache_rules, resolve
from core.planner.disk import plan_disk
from core.planner.host import Host, plan_host
from core.planner.kv_cache import KvCache, longest_context, size_cache
from core.planner.kv_groups import Grouping, group_specs
from core.planner.kv_specs import cache_specs
from core.planner.offload import Offload, plan_offload
from core.planner.options import GIB, Gpu, Request
from core.planner.overhead import activation_bytes, context_bytes, graph_bytes
from core.planner.ple import Ple, plan_ple
from core.planner.remarks import refusal, remarks
from core.planner.speed import Speed, predict
from core.planner.weights import Weights, weigh

# A card reports less than its nominal size, and an idle one keeps a little for itself.
FREE_SHARE: Final = 0.985
DISPLAY_MARGIN: Final = GIB
PLAIN_MARGIN: Final = int(0.3 * GIB)


@dataclass(frozen=True, slots=True)
class Plan:
    """`kv_budget_bytes`: what is left for the KV cache, by the likely overheads. `kv_reason`: why the KV figures are
    estimates ("" when they follow vLLM's own). `longest_context`: what the budget allows, up to the model's limit.
    `refused`: why vLLM would not even begin to load it, "" when it would."""

    request: Request
    resolved: Resolved
    weights: Weights
    kv: KvCache
    kv_amount: Amount
    kv_reason: str
    offload: Offload
    host: Host
    tiers: tuple[Tier, ...]
    verdict: Verdict
    command: Command
    speed: Speed | None
    longest_context: int
    kv_budget_bytes: int | None
    utilization: float | None
    refused: str = ""
    warnings: tuple[str, ...] = ()
    ple: Ple | None = None

    @property
    def vram(self) -> Tier | None:
        return next((tier for tier in self.tiers if tier.id == "vram"), None)


@dataclass(frozen=True, slots=True)
class _Cache:
    grouping: Grouping
    layers: tuple[CacheLayer, ...]
    reason: str
    ceiling: Grouping | None = None


def make_plan(
    checkpoint: Checkpoint,
    request: Request,
    *,
    download_bytes: int | None = None,
    present_bytes: int = 0,
    engine_needed: bool = False,
    draft: Checkpoint | None = None,
) -> Plan:
    """Never raises for what a config says. `draft`: a speculative model that is loaded beside the checkpoint."""
    resolved = resolve(checkpoint, request)
    weights = weigh(checkpoint, request.options, resolved)
    ple = plan_ple(checkpoint, weights, request)
    offload = plan_offload(weights, request)
    cache = _cache(checkpoint, request, resolved)
    cpu = request.engine.platform == "cpu"
    gpu = request.hardware.gpus[0] if request.hardware.gpus and not cpu else None
    away = ple.vram_bytes if ple is not None else 0
    fixed = _fixed(checkpoint, request, resolved, weights, offload, gpu, draft, away)
    usable, utilization = _usable(request, gpu)
    budget = _cpu_space(request, cache, resolved) if cpu else _budget(request, fixed, usable)
    kv = size_cache(cache.grouping, resolved.context, resolved.in_flight, budget)
    host = plan_host(checkpoint, request, offload, weights.bytes, ple)
    vram = None if cpu else _vram(request, gpu, fixed, kv, cache, resolved, usable)
    disk = plan_disk(
        weights.amount,
        download_bytes=download_bytes,
        present_bytes=present_bytes,
        engine_needed=engine_needed,
        cpu=cpu,
        free_bytes=request.hardware.disk_free_bytes,
    )
    if cpu:
        host = _on_cpu(host, weights, budget or 0, away)
    tiers = tuple(tier for tier in (vram, host.tier, disk) if tier is not None)
    kv_amount = _kv_amount(cache, kv, resolved)
    # On a CPU the space grows with the context that is asked for.
    bound = request.options.kv_cache_bytes if cpu else budget
    longest = _longest(cache.grouping, checkpoint, resolved, bound)
    refused = refusal(checkpoint, request, resolved) or weights.refused
    return Plan(
        request,
        resolved,
        weights,
        kv,
        kv_amount,
        cache.reason,
        offload,
        host,
        tiers,
        Verdict.NO if refused else _verdict(tiers, kv),
        build(request, resolved, offload, utilization, tables=_has_tables(weights), cpu_space_bytes=budget, ple=ple),
        predict(checkpoint, request, resolved, weights, offload, cache.layers, ple),
        longest,
        budget,
        utilization,
        refused,
        remarks(checkpoint, request, resolved, weights, offload, host, cache.reason, ple),
        ple,
    )


def _has_tables(weights: Weights) -> bool:
    return weights.inventory is not None and weights.inventory.table_bytes > 0


def _cache(checkpoint: Checkpoint, request: Request, resolved: Resolved) -> _Cache:
    options = request.options
    try:
        layers = checkpoint.caches(options.tensor_parallel)
    except Unreadable as error:
        return _Cache(Grouping(), (), str(error), _ceiling(checkpoint, request, resolved))
    rules = cache_rules(checkpoint, request, resolved, layers)
    grouping = group_specs(cache_specs(layers, rules), hybrid_manager=options.hybrid_kv_cache)
    doubt = not checkpoint.known or checkpoint.config.architecture in UNCHECKED
    reason = "; ".join(checkpoint.reasons) if doubt else ""
    ceiling = _ceiling(checkpoint, request, resolved) if not checkpoint.known else None
    return _Cache(grouping, layers, reason, ceiling)


def _ceiling(checkpoint: Checkpoint, request: Request, resolved: Resolved) -> Grouping | None:
    """Ordinary attention in every layer: the upper end for layouts that are not understood."""
    try:
        layers = generic.ceiling(checkpoint.config, request.options.tensor_parallel)
    except Unreadable:
        return None
    return group_specs(cache_specs(layers, cache_rules(checkpoint, request, resolved, layers)))


def _kv_amount(cache: _Cache, kv: KvCache, resolved: Resolved) -> Amount:
    need = kv.bytes_one_request
    if not cache.reason:
        return exact(need)
    if cache.ceiling is None:
        return unknown(need, cache.reason)
    most = size_cache(cache.ceiling, resolved.context, resolved.in_flight, None).bytes_one_request
    return estimated(need or most, 0 if not need else min(need, most), max(need, most), cache.reason)


def _fixed(
    checkpoint: Checkpoint,
    request: Request,
    resolved: Resolved,
    weights: Weights,
    offload: Offload,
    gpu: Gpu | None,
    draft: Checkpoint | None,
    away: int,
) -> tuple[Item, ...]:
    """Everything in VRAM but the KV cache. Args: `away` bytes of a table that Stowage's plugin keeps elsewhere."""
    options, taught = request.options, request.learned
    moved = min(weights.bytes, offload.offloaded_bytes + offload.ple_bytes + away)
    items = [Item("weights", _resident(weights, moved), f"{moved} bytes of them elsewhere" if moved else "")]
    if offload.buffer_bytes:
        items.append(Item("offload_buffers", estimated(offload.buffer_bytes, 0, offload.buffer_bytes * 1.5)))
    if draft is not None:
        items.append(Item("draft_weights", weigh(draft, options, resolve(draft, request)).amount))
    if request.engine.platform != "cpu":
        items += [
            Item("context", context_bytes(options, taught)),
            Item("activations", activation_bytes(checkpoint, options, resolved, taught)),
            Item("graphs", graph_bytes(checkpoint, options, resolved, request.engine, gpu, taught)),
        ]
    return tuple(items)


def _resident(weights: Weights, moved: int) -> Amount:
    amount, rounding = weights.amount, weights.allocated_bytes - weights.bytes
    if moved == 0 and amount.certainty is Certainty.EXACT:
        return exact(weights.allocated_bytes)
    high = None if amount.high is None else max(0, amount.high + max(0, rounding) - moved)
    return replace(
        amount,
        likely=max(0, amount.likely + rounding - moved),
        low=max(0, amount.low + min(0, rounding) - moved),
        high=high,
    )


def _usable(request: Request, gpu: Gpu | None) -> tuple[int | None, float | None]:
    """VRAM that vLLM may take, and the utilization that says so: a share of the total, never above what is free."""
    if gpu is None or gpu.total_bytes <= 0:
        return None, None
    options = request.options
    free = gpu.free_bytes if gpu.free_bytes is not None else int(gpu.total_bytes * FREE_SHARE)
    margin = options.reserve_bytes
    if margin is None:
        margin = DISPLAY_MARGIN if gpu.display else PLAIN_MARGIN
    share = options.gpu_memory_utilization
    if share is None:
        share = min(0.92, math.floor(max(0, free - margin) / gpu.total_bytes * 1000) / 1000)
    if options.kv_cache_bytes is not None:
        return max(0, free - margin), share
    return min(math.ceil(gpu.total_bytes * share), free), share


def _budget(request: Request, fixed: tuple[Item, ...], usable: int | None) -> int | None:
    if request.options.kv_cache_bytes is not None:
        return request.options.kv_cache_bytes
    if usable is None:
        return None
    return max(0, usable - sum(item.amount.likely for item in fixed))


def _vram(
    request: Request,
    gpu: Gpu | None,
    fixed: tuple[Item, ...],
    kv: KvCache,
    cache: _Cache,
    resolved: Resolved,
    usable: int | None,
) -> Tier:
    need = _kv_amount(cache, kv, resolved)
    if request.options.kv_cache_bytes is not None:
        need = exact(request.options.kv_cache_bytes)
    elif kv.bytes_per_block:
        need = replace(need, likely=need.likely + kv.bytes_per_block, low=need.low + kv.bytes_per_block)
        need = replace(need, high=None if need.high is None else need.high + kv.bytes_per_block)
    items = (*fixed, Item("kv_cache", need, "one request at the full context and the null block"))
    return Tier("vram", items, usable, gpu.total_bytes if gpu else None, judge(items, usable))


def _cpu_space(request: Request, cache: _Cache, resolved: Resolved) -> int:
    """KV space of the CPU build (`VLLM_CPU_KVCACHE_SPACE`, whole GiB): what one request at the full context needs."""
    if request.options.kv_cache_bytes is not None:
        return request.options.kv_cache_bytes
    need = size_cache(cache.grouping, resolved.context, resolved.in_flight, None)
    return max(1, math.ceil((need.bytes_one_request + need.bytes_per_block) / GIB)) * GIB


def _on_cpu(host: Host, weights: Weights, space: int, away: int) -> Host:
    """The CPU build keeps weights and KV cache in RAM."""
    held = _resident(weights, away) if away else weights.amount
    items = (*host.tier.items, Item("weights", held), Item("kv_cache", exact(space)))
    limit = host.tier.limit_bytes
    return replace(host, tier=replace(host.tier, items=items, verdict=judge(items, limit)))


def _longest(grouping: Grouping, checkpoint: Checkpoint, resolved: Resolved, budget: int | None) -> int:
    limit = max(checkpoint.context.tokens if checkpoint.context.key else resolved.context, 1)
    if budget is None or grouping.refused or not grouping.groups:
        return limit
    return longest_context(grouping, limit, resolved.in_flight, budget - grouping.bytes_per_block)


def _verdict(tiers: tuple[Tier, ...], kv: KvCache) -> Verdict:
    if kv.grouping.refused:
        return Verdict.NO
    if kv.refused and kv.budget_bytes is not None:
        vram = next((tier for tier in tiers if tier.id == "vram"), None)
        if vram is None or vram.verdict is not Verdict.TIGHT:
            return Verdict.NO
    # A tier of unknown size does not make a plan unknown as long as the card is judged.
    judged = tuple(tier.verdict for tier in tiers if tier.limit_bytes is not None)
    return worst(judged) if judged else Verdict.UNKNOWN
