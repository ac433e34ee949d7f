"""VRAM besides weights and KV cache: the CUDA context, activations, CUDA graphs. Bands, until launches have taught them
better (`Learned`).

Sources: vLLM 0.33 `gpu_worker.determine_available_memory` and the measurements collected for it (L4, 3090, 4090, 5090,
L40S, H100): context 0.20-0.39 GiB, activations 0.37-1.77 GiB, 8-35 MiB per captured graph.
"""

from __future__ import annotations

from core.checkpoint.architecture import Checkpoint
from core.checkpoint.families.blocks import ACTIVE_EXPERTS
from core.checkpoint.fields import Fields, Unreadable
from core.planner.amounts import Amount, corrected, estimated, exact
from core.planner.defaults import Resolved
from core.planner.options import GIB, MIB, Engine, Gpu, Learned, Options

CONTEXT_BYTES = (int(0.35 * GIB), int(0.20 * GIB), int(0.45 * GIB))
NCCL_BYTES = int(0.3 * GIB)
LEAST_ACTIVATIONS = int(0.35 * GIB)
VISION_BYTES = (int(0.25 * GIB), 0, int(0.8 * GIB))
# Logits in 16 bits and two fp32 copies for the sampler.
LOGIT_BYTES = 10
_INNER = ("moe_intermediate_size", "expert_intermediate_size", "intermediate_size", "n_inner", "ffn_dim")


def context_bytes(options: Options, taught: Learned) -> Amount:
    likely, low, high = CONTEXT_BYTES
    more = NCCL_BYTES * (options.tensor_parallel - 1 > 0)
    formula = estimated(likely + more, low, high + 4 * more, "CUDA context and libraries: differs by driver and card")
    return corrected(formula, taught.overhead)


def activation_bytes(checkpoint: Checkpoint, options: Options, resolved: Resolved, taught: Learned) -> Amount:
    """The peak of the profiling pass: one forward of max_num_batched_tokens, then a sampler pass of max_num_seqs."""
    try:
        formula = _peak(checkpoint.config.text, resolved, options.tensor_parallel)
    except Unreadable:
        formula = LEAST_ACTIVATIONS
    likely, low, high = max(LEAST_ACTIVATIONS, formula * 1.3), max(LEAST_ACTIVATIONS * 0.6, formula * 0.8), formula * 2
    high = max(high, LEAST_ACTIVATIONS * 2.2)
    if checkpoint.config.multimodal and not options.language_model_only:
        likely, low, high = likely + VISION_BYTES[0], low + VISION_BYTES[1], high + VISION_BYTES[2]
    formula_band = estimated(likely, low, high, "activations: the peak depends on kernels that are chosen at launch")
    return corrected(formula_band, taught.overhead)


def _peak(text: Fields, resolved: Resolved, ranks: int) -> float:
    tokens, hidden = resolved.max_num_batched_tokens, text.need("hidden_size")
    heads = text.integer("num_attention_heads", minimum=1) or 1
    keys = text.integer("num_key_value_heads", minimum=1) or heads
    head = text.integer("head_dim", minimum=1) or max(1, hidden // heads)
    widths = text.integers("intermediate_size") if text.items("intermediate_size") else ()
    inner = max(widths) if widths else text.integer(*_INNER, minimum=1) or 4 * hidden
    active = text.integer(*ACTIVE_EXPERTS, minimum=1)
    if active:
        forward = tokens * 2 * (active * (3 * inner + hidden) / ranks + 4 * hidden)
    else:
        forward = tokens * 2 * (3 * inner / ranks + 4 * hidden + (heads + 2 * keys) * head / ranks)
    ple = (text.integer("hidden_size_per_layer_input") or 0) * (text.integer("num_hidden_layers") or 0)
    sampler = resolved.max_num_seqs * (text.integer("vocab_size") or 0) * LOGIT_BYTES
    return max(forward + tokens * ple * 4, sampler)


def capture_sizes(checkpoint: Checkpoint, resolved: Resolved, gpu: Gpu | None) -> int:
    """How many batch sizes vLLM captures (`compilation_config.cudagraph_capture_sizes`, 0.32)."""
    most = 1024 if gpu is not None and gpu.capability[0] == 10 else 512
    largest = min(2 * resolved.max_num_seqs, most)
    if checkpoint.config.architecture == "GptOssForCausalLM":
        largest = 1024
    largest = min(largest, resolved.max_num_batched_tokens)
    small = sum(size <= largest for size in (1, 2, 4))
    return small + min(largest, 256) // 8 + max(0, largest - 256) // 16


def graph_bytes(
    checkpoint: Checkpoint, options: Options, resolved: Resolved, engine: Engine, gpu: Gpu | None, taught: Learned
) -> Amount:
    if options.enforce_eager or engine.platform == "cpu":
        return exact(0)
    count = capture_sizes(checkpoint, resolved, gpu)
    formula = estimated(
        int(0.13 * GIB) + 21 * MIB * count,
        int(0.05 * GIB) + 9 * MIB * count,
        int(0.30 * GIB) + 40 * MIB * count,
        f"{count} CUDA graph sizes, captured in two modes",
    )
    return corrected(formula, taught.graphs)
