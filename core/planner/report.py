"""A plan as plain data: the `--json` of `stowage plan`."""

from __future__ import annotations

from typing import Any

from core.checkpoint.architecture import Checkpoint
from core.planner.amounts import Amount, Tier
from core.planner.levers import Lever
from core.planner.plan import Plan
from core.planner.ple import DISK, Ple
from core.planner.speed import Speed

Json = dict[str, Any]


def report(checkpoint: Checkpoint, plan: Plan, *, model: str = "MODEL", levers: tuple[Lever, ...] = ()) -> Json:
    """Only numbers, texts, lists and objects; sizes in bytes, never NaN."""
    config, kv, offload = checkpoint.config, plan.kv, plan.offload
    return {
        "architecture": config.architecture,
        "dtype": plan.resolved.dtype,
        "quantization": checkpoint.quantization.method or None,
        "engine": {"version": plan.request.engine.text, "platform": plan.request.engine.platform},
        "weight_bytes": plan.weights.bytes,
        "weights": {
            **_amount(plan.weights.amount),
            "allocated_bytes": plan.weights.allocated_bytes,
            "parts": {str(part): size for part, size in plan.weights.by_part.items() if size},
        },
        "context": {
            "tokens": plan.resolved.context,
            "limit": checkpoint.context.tokens if checkpoint.context.key else None,
            "limit_key": checkpoint.context.key or None,
            "longest": plan.longest_context,
        },
        "max_num_seqs": plan.resolved.max_num_seqs,
        "max_num_batched_tokens": plan.resolved.max_num_batched_tokens,
        "kv": {
            **_amount(plan.kv_amount),
            "dtype": plan.resolved.layer_dtype,
            "bytes_per_block": kv.bytes_per_block,
            "blocks_per_request": kv.blocks_per_request,
            "bytes_one_request": kv.bytes_one_request,
            "groups": len(kv.grouping.groups),
            "padding_layers": kv.grouping.padding_layers,
            "budget_bytes": plan.kv_budget_bytes,
            "num_blocks": kv.num_blocks,
            "capacity_tokens": kv.capacity_tokens,
            "concurrency": kv.concurrency,
            "refused": kv.refused,
        },
        "offload": {
            "backend": offload.backend or None,
            "offloaded_bytes": offload.offloaded_bytes,
            "pinned_bytes": offload.pinned_bytes,
            "ple_bytes": offload.ple_bytes,
            "ceiling_bytes": offload.ceiling_bytes,
            "clipped": offload.clipped,
        },
        "ple": _ple(plan.ple),
        "verdict": str(plan.verdict),
        "refused": plan.refused or None,
        "tiers": {tier.id: _tier(tier, plan) for tier in plan.tiers},
        "command": {
            "arguments": list(plan.command.arguments),
            "env": dict(plan.command.env),
            "line": plan.command.line(model),
        },
        "speed": _speed(plan.speed),
        "levers": [_lever(lever) for lever in levers],
        "assumed": dict(checkpoint.assumed),
        "estimated": list(checkpoint.reasons),
        "warnings": list(plan.warnings),
    }


def _ple(ple: Ple | None) -> Json | None:
    if ple is None:
        return None
    return {
        "placement": ple.placement,
        "tier": ple.tier,
        "table_bytes": ple.table_bytes,
        "row_bytes": ple.row_bytes,
        "ram_bytes": ple.ram_bytes,
        "cold_read_s": ple.cold_read_s if ple.placement == DISK else None,
        "measured": ple.measured if ple.placement == DISK else None,
        "rows_per_s": ple.rows_per_s,
        "token_s": dict(zip(("low", "likely", "high"), ple.token_s, strict=True)),
    }


def _amount(amount: Amount) -> Json:
    return {
        "likely_bytes": amount.likely,
        "low_bytes": amount.low,
        "high_bytes": amount.high,
        "certainty": str(amount.certainty),
        "reason": amount.reason or None,
        "runs": amount.runs,
    }


def _tier(tier: Tier, plan: Plan) -> Json:
    """`reserved_bytes`: what vLLM takes at once, needed or not; it fills its share of the card with KV cache."""
    reserved = tier.limit_bytes if tier.id == "vram" and plan.request.options.kv_cache_bytes is None else None
    return {
        "reserved_bytes": reserved,
        "total_bytes": tier.total_bytes,
        "limit_bytes": tier.limit_bytes,
        "likely_bytes": tier.likely_bytes,
        "low_bytes": tier.low_bytes,
        "high_bytes": tier.high_bytes,
        "verdict": str(tier.verdict),
        "parts": {item.id: {**_amount(item.amount), "note": item.note or None} for item in tier.items},
    }


def _speed(speed: Speed | None) -> Json | None:
    if speed is None:
        return None
    return {
        "tokens_per_s": {"low": speed.low, "likely": speed.likely, "high": speed.high, "runs": speed.runs},
        "ttft_s": {"low": speed.ttft_low_s, "high": speed.ttft_high_s, "prompt_tokens": speed.prompt_tokens},
        "bound": str(speed.bound),
        "read_bytes_per_token": speed.read_bytes,
        "offloaded_read_bytes_per_token": speed.offloaded_read_bytes,
    }


def _lever(lever: Lever) -> Json:
    return {
        "id": lever.id,
        "value": lever.value,
        "vram_gain_bytes": lever.vram_gain_bytes,
        "ram_cost_bytes": lever.ram_cost_bytes,
        "speed_factor": lever.speed_factor,
        "verdict": str(lever.verdict),
        "cost": lever.cost,
    }
