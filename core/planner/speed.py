"""How fast one request decodes, as a range with the reason that bounds it.

A step reads every resident weight once, the KV cache of the context, waits for one launch per layer, and fetches over
the link what was offloaded. Fitted on 23 published single-stream measurements of vLLM: median error 12 %, worst 26 %.
Offload of experts is the weakest part (one measurement), hence its wide range.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Final

from core.checkpoint.architecture import Checkpoint
from core.checkpoint.caches import CacheKind, CacheLayer
from core.checkpoint.config import tied
from core.checkpoint.families.blocks import ACTIVE_EXPERTS, EXPERT_COUNTS
from core.checkpoint.tensors import Part
from core.planner.defaults import Resolved
from core.planner.kv_specs import state_bytes, token_bytes
from core.planner.offload import Offload
from core.planner.options import Request
from core.planner.ple import DISK, GPU, Ple
from core.planner.weights import Weights

WEIGHT_EFFICIENCY: Final = 0.85
KV_EFFICIENCY: Final = 0.7
CPU_EFFICIENCY: Final = 0.6
LAYER_S: Final = 90e-6
EAGER_LAYER_S: Final = 250e-6
RANK_LAYER_S: Final = 10e-6
RESIDENT_BAND: Final = (0.75, 1.3)
DENSE_OFFLOAD_BAND: Final = (0.5, 1.3)
# Share of the link that reads of offloaded bytes reach.
DENSE_LINK: Final = 0.87
EXPERT_LINK: Final = (0.1, 0.6)
PREFETCH_LINK: Final = 0.95
# Multiply-adds per byte of memory bandwidth that consumer cards reach in prefill (3090 to 5090), at half of peak.
PREFILL_RATIO: Final = (30.0, 80.0)
PROMPT_TOKENS: Final = 512


class Bound(enum.StrEnum):
    VRAM = "vram bandwidth"
    LINK = "link to RAM"
    RAM = "RAM bandwidth"
    LAUNCHES = "kernel launches"
    TABLE = "rows of the embedding table"
    KV = "KV cache reads"


@dataclass(frozen=True, slots=True)
class Speed:
    """Tokens per second of one stream; seconds to the first token of a prompt of `prompt_tokens`. `runs`: how many
    launches here have corrected it."""

    low: float
    likely: float
    high: float
    ttft_low_s: float
    ttft_high_s: float
    bound: Bound
    read_bytes: int
    offloaded_read_bytes: int = 0
    prompt_tokens: int = PROMPT_TOKENS
    runs: int = 0


@dataclass(frozen=True, slots=True)
class Reads:
    """Weight bytes that one decode step of one sequence touches."""

    total: int
    experts: int
    active_share: float


def decode_reads(checkpoint: Checkpoint, weights: Weights) -> Reads:
    """All but look-up tables (one row each), towers, buffers and the experts that the router skips."""
    parts, text = weights.by_part, checkpoint.config.text
    experts = parts.get(Part.EXPERTS, 0)
    count, active = text.integer(*EXPERT_COUNTS, minimum=1), text.integer(*ACTIVE_EXPERTS, minimum=1)
    share = min(1.0, active / count) if count and active else 1.0
    read = parts.get(Part.LAYERS, 0) + parts.get(Part.LM_HEAD, 0) + parts.get(Part.OTHER, 0) + int(experts * share)
    if tied(checkpoint.config) or not parts.get(Part.LM_HEAD, 0):
        read += parts.get(Part.EMBEDDING, 0)
    return Reads(read, experts, share)


def cache_reads(layers: tuple[CacheLayer, ...], resolved: Resolved, context: int) -> int:
    """KV bytes that one step reads at a context of `context` tokens; recurrent states are read and written."""
    total = 0
    for layer in layers:
        if layer.kind in (CacheKind.STATE,):
            total += 2 * state_bytes(layer, resolved.dtype, "auto")
        elif layer.kind in (CacheKind.FULL, CacheKind.MLA, CacheKind.SLIDING, CacheKind.CHUNKED):
            seen = min(context, layer.span) if layer.span and layer.kind is not CacheKind.MLA else context
            total += seen * token_bytes(layer, resolved.layer_dtype, resolved.dtype)
    return total


def predict(
    checkpoint: Checkpoint,
    request: Request,
    resolved: Resolved,
    weights: Weights,
    offload: Offload,
    layers: tuple[CacheLayer, ...],
    ple: Ple | None = None,
) -> Speed | None:
    """None when the bandwidth of the memory that holds the weights is not known, or the weights are not."""
    cpu = request.engine.platform == "cpu"
    gpu = request.hardware.gpus[0] if request.hardware.gpus else None
    bandwidth = request.hardware.ram_bandwidth if cpu else gpu.bandwidth if gpu else None
    if not bandwidth or not weights.by_part:
        return None
    reads = decode_reads(checkpoint, weights)
    cached = cache_reads(layers, resolved, min(resolved.context, PROMPT_TOKENS * 4))
    launch = EAGER_LAYER_S if request.options.enforce_eager else LAYER_S
    if request.options.tensor_parallel > 1:
        launch += RANK_LAYER_S
    # Towers may be offloaded too, and no token of an answer reads those.
    away = min(reads.total, _offloaded_reads(offload, reads))
    resident = reads.total - away
    efficiency = CPU_EFFICIENCY if cpu else WEIGHT_EFFICIENCY
    terms = {
        Bound.RAM if cpu else Bound.VRAM: resident / (efficiency * bandwidth),
        Bound.KV: cached / (KV_EFFICIENCY * bandwidth),
        Bound.LAUNCHES: 0.0 if cpu else max(1, len(layers)) * launch,
    }
    step = sum(terms.values())
    low, high = step / RESIDENT_BAND[1], step / RESIDENT_BAND[0]
    if away and gpu is not None:
        link = min(gpu.link or 0.0, request.hardware.ram_bandwidth or gpu.link or 0.0)
        if link <= 0:
            return None
        bound = Bound.LINK if link == gpu.link else Bound.RAM
        quick, likely, slow = _fetch(offload, reads, away, link)
        terms[bound] = likely
        if offload.backend == "prefetch":
            low, step, high = max(low, quick), max(step, likely), max(high, slow)
        else:
            low, step, high = low + quick, step + likely, high + slow
    if ple is not None and ple.placement != GPU:
        # The row is there before the first layer begins: nothing hides the wait.
        quick, terms[Bound.TABLE], slow = ple.token_s
        low, step, high = low + quick, step + terms[Bound.TABLE], high + slow
    return _speed(step, low, high, terms, reads, away, request, bandwidth, _prompt_rows_s(ple))


def _prompt_rows_s(ple: Ple | None) -> float:
    """Seconds that the rows of a whole prompt take from the disk when no cache holds any."""
    if ple is None or ple.placement != DISK:
        return 0.0
    return PROMPT_TOKENS / ple.rows_per_s if ple.rows_per_s else PROMPT_TOKENS * ple.cold_read_s


def _offloaded_reads(offload: Offload, reads: Reads) -> int:
    dense = offload.offloaded_bytes - offload.expert_bytes
    share = 1.0 if offload.backend == "prefetch" else reads.active_share
    return max(0, int(dense + offload.expert_bytes * share))


def _fetch(offload: Offload, reads: Reads, away: int, link: float) -> tuple[float, float, float]:
    """Seconds per step for offloaded bytes: quick, likely, slow."""
    if offload.backend == "prefetch":
        seconds = away / (link * PREFETCH_LINK)
        return seconds * 0.95, seconds, seconds * 1.3
    experts = int(offload.expert_bytes * reads.active_share)
    dense = max(0, away - experts) / (link * DENSE_LINK)
    slow, quick = (experts / (link * share) for share in EXPERT_LINK)
    middle = (slow * quick) ** 0.5
    return (
        dense / DENSE_OFFLOAD_BAND[1] + quick,
        dense + middle,
        dense / DENSE_OFFLOAD_BAND[0] + slow,
    )


def _speed(
    step: float,
    low: float,
    high: float,
    terms: dict[Bound, float],
    reads: Reads,
    away: int,
    request: Request,
    bandwidth: float,
    rows_s: float,
) -> Speed:
    """Args: `step`, `low`, `high` seconds per token; `rows_s` seconds that a prompt may wait for the table."""
    bound = max(terms, key=lambda name: terms[name])
    work = reads.total * PROMPT_TOKENS
    quick = max(low, work / (PREFILL_RATIO[1] * bandwidth))
    slow = max(high, work / (PREFILL_RATIO[0] * bandwidth)) * 1.5 + 0.05 + rows_s
    ranks = max(1, request.options.tensor_parallel)
    taught = request.learned.decode
    slowest, likely, fastest = 1 / high, 1 / step, 1 / low
    if taught is not None:
        slowest, likely, fastest = (
            max(0.0, factor) / step
            for factor in (taught.factor - taught.spread, taught.factor, taught.factor + taught.spread)
        )
    runs = taught.runs if taught is not None else 0
    return Speed(
        slowest, likely, fastest, quick / ranks, slow, bound, max(0, reads.total - away), away, PROMPT_TOKENS, runs
    )
