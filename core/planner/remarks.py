"""What speaks against a plan: what vLLM refuses before it loads anything, and what a person should know."""

from __future__ import annotations

from typing import Final

from core.checkpoint.architecture import Checkpoint
from core.checkpoint.tensors import Part
from core.planner.defaults import Resolved
from core.planner.host import Host
from core.planner.kv_specs import KV_DTYPES
from core.planner.offload import Offload
from core.planner.options import Request
from core.planner.ple import GPU, Ple
from core.planner.weights import Weights

# Their attention to chosen tokens only has kernels from Hopper on (`v1/attention/backends/mla/*sparse*.py`).
_SPARSE: Final = ("DeepseekV32ForCausalLM", "GlmMoeDsaForCausalLM")
_SPARSE_FROM: Final = (9, 0)


def refusal(checkpoint: Checkpoint, request: Request, resolved: Resolved) -> str:
    """What vLLM checks before it loads anything (`config/model.py`, 0.32)."""
    if checkpoint.quantization.refused:
        return checkpoint.quantization.refused
    limit, ranks = checkpoint.context, request.options.tensor_parallel
    if resolved.context_too_long:
        return f"a context of {resolved.context} is longer than {limit.key} allows ({limit.tokens})"
    heads = checkpoint.config.text.integer("num_attention_heads", minimum=1)
    if heads is not None and ranks > 1 and heads % ranks:
        return f"Total number of attention heads ({heads}) must be divisible by tensor parallel size ({ranks})."
    gpu = request.hardware.gpus[0] if request.hardware.gpus and request.engine.platform != "cpu" else None
    sparse = checkpoint.config.architecture in _SPARSE
    if sparse and gpu is not None and gpu.capability < _SPARSE_FROM:
        return "No valid attention backend found: sparse latent attention needs compute capability 9.0 or newer."
    return ""


def remarks(
    checkpoint: Checkpoint,
    request: Request,
    resolved: Resolved,
    weights: Weights,
    offload: Offload,
    host: Host,
    kv_reason: str,
    ple: Ple | None = None,
) -> tuple[str, ...]:
    refused = refusal(checkpoint, request, resolved)
    found: list[str] = [refused] if refused else []
    if request.options.kv_cache_dtype not in KV_DTYPES:
        found.append(f"unknown KV cache dtype {request.options.kv_cache_dtype!r}: taken as auto")
    if checkpoint.config.dtype == "float32":
        found.append(f"the files are float32; vLLM loads them as {resolved.dtype}, half the size")
    if not checkpoint.config.dtype:
        found.append(f"config.json names no dtype: {resolved.dtype} is assumed")
    if not request.engine.at_least(0, 32):
        found.append(f"the cache rules were checked against vLLM 0.32 and 0.33, not {request.engine.text}")
    if offload.clipped:
        found.append(f"of {request.options.offload_gib:g} GiB only {offload.ceiling_bytes} bytes can be moved")
    tables = weights.by_part.get(Part.PLE, 0)
    stays = ple is None or ple.placement == GPU
    if tables and stays and not offload.ple_bytes and not _movable(weights):
        found.append(f"the per-layer embedding table ({tables} bytes) stays in VRAM: vLLM cannot move it")
    found += ple.warnings if ple is not None else ()
    if kv_reason:
        found.append(f"KV cache: {kv_reason}")
    found += [*offload.warnings, *host.warnings, *weights.warnings, *checkpoint.reasons]
    return tuple(dict.fromkeys(found))


def _movable(weights: Weights) -> bool:
    return weights.inventory is not None and weights.inventory.table_bytes > 0
