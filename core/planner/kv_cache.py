"""How much KV cache a request needs, how much fits, and when vLLM refuses.

Source: vLLM 0.32 `v1/core/kv_cache_utils.py`: `get_kv_cache_configs` (one block is the null block),
`get_kv_cache_capacity`, `_check_enough_kv_cache_memory`, `_estimate_max_model_len_from_groups`.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.checkpoint.caches import CacheKind
from core.checkpoint.quantization.scheme import up
from core.planner.kv_groups import Group, Grouping
from core.planner.kv_specs import Spec
from core.planner.options import GIB


@dataclass(frozen=True, slots=True)
class KvCache:
    """`blocks_per_request` and `bytes_one_request` at the full context; the rest for the budget, None without one.

    `refused`: the reason vLLM gives, None when it starts. `longest_context`: the longest that the budget allows.
    """

    grouping: Grouping
    bytes_per_block: int
    blocks_per_request: int
    bytes_one_request: int
    budget_bytes: int | None = None
    num_blocks: int | None = None
    capacity_tokens: int | None = None
    concurrency: float | None = None
    refused: str | None = None
    longest_context: int | None = None


def blocks_of(spec: Spec, context: int, in_flight: int) -> int:
    """Blocks that one layer of a request at full length occupies.

    `in_flight`: tokens scheduled and not yet settled; vLLM frees what left the window only after that.
    """
    if spec.kind in (CacheKind.FULL, CacheKind.MLA):
        return up(context, spec.block)
    if spec.kind is CacheKind.CROSS:
        return up(spec.span, spec.block)
    if spec.kind is CacheKind.SLIDING:
        return up(min(spec.span - 1 + in_flight, context), spec.block) + 1
    if spec.kind is CacheKind.CHUNKED:
        return up(min(spec.span + in_flight, context), spec.block)
    return spec.states


def group_blocks(group: Group, context: int, in_flight: int) -> int:
    return max(blocks_of(spec, context, in_flight) for spec in group.specs)


def request_blocks(grouping: Grouping, context: int, in_flight: int) -> int:
    seen: dict[tuple[Spec, ...], int] = {}
    total = 0
    for group in grouping.groups:
        key = group.specs
        if key not in seen:
            seen[key] = group_blocks(group, context, in_flight)
        total += seen[key]
    return total


def size_cache(grouping: Grouping, context: int, in_flight: int, budget_bytes: int | None) -> KvCache:
    """Args: `budget_bytes` the VRAM left for the cache, None when it is not known."""
    if grouping.refused:
        return KvCache(grouping, 0, 0, 0, budget_bytes, refused=grouping.refused)
    blocks = request_blocks(grouping, context, in_flight)
    per_block = grouping.bytes_per_block
    need = blocks * per_block
    if budget_bytes is None or per_block == 0:
        return KvCache(grouping, per_block, blocks, need, budget_bytes)
    usable = budget_bytes - per_block
    longest = longest_context(grouping, context, in_flight, usable)
    refused = _refusal(need, usable, context, longest)
    if refused is not None:
        return KvCache(grouping, per_block, blocks, need, budget_bytes, 0, 0, 0.0, refused, longest)
    number = budget_bytes // per_block
    concurrency = number / blocks
    return KvCache(
        grouping, per_block, blocks, need, budget_bytes, number, int(concurrency * context), concurrency, None, longest
    )


def longest_context(grouping: Grouping, limit: int, in_flight: int, usable_bytes: int) -> int:
    """The longest context up to `limit` whose one request fits into `usable_bytes`; 0 when none does."""
    per_block = grouping.bytes_per_block
    if per_block <= 0:
        return limit
    affordable = usable_bytes // per_block
    low, high, found = 1, limit, 0
    while low <= high:
        middle = (low + high) // 2
        if request_blocks(grouping, middle, in_flight) <= affordable:
            found, low = middle, middle + 1
        else:
            high = middle - 1
    return found


def _refusal(need: int, usable: int, context: int, longest: int) -> str | None:
    if usable <= 0:
        return (
            "No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the "
            "engine."
        )
    if need <= usable:
        return None
    hint = f"Based on the available memory, the estimated maximum model length is {longest}. " if longest else ""
    return (
        f"To serve at least one request with the model's max seq len ({context}), ({_gib(need)} GiB KV cache is "
        f"needed, which is larger than the available KV cache memory ({_gib(usable)} GiB). {hint}Try increasing "
        "`gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine."
    )


def _gib(size: int) -> str:
    return f"{round(size / GIB, 2)}"
