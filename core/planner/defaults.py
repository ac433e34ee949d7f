"""What vLLM chooses when an option is left open.

Sources: vLLM 0.32/0.33 `engine/arg_utils.py` (`get_batch_defaults`,
`_set_default_max_num_seqs_and_batched_tokens_args`), `config/vllm.py` (`max_in_flight_tokens`; PR 47728, first in
0.26), `models/config.py`, `utils/torch_utils.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from core.checkpoint.architecture import Checkpoint
from core.checkpoint.caches import CacheKind, CacheLayer
from core.planner.kv_specs import CPU_BLOCK, CUDA_BLOCK, KV_DTYPES, CacheRules
from core.planner.options import GIB, Engine, Gpu, Options, Request

LARGE_CARD_BYTES: Final = 70 * GIB
LARGEST_CARD_BYTES: Final = 160 * GIB
# Gemma 4: 32 video frames of 70 soft tokens with 8 tokens around each (models/gemma4_mm.py).
GEMMA4_VIDEO_TOKENS: Final = 32 * (70 + 2 + 6)
# Model types that attend both ways within an image; the batch must hold a whole item.
_ATTENTION_FREE: Final = ("MambaForCausalLM", "Mamba2ForCausalLM", "FalconMambaForCausalLM")
# vLLM's own choice for them on data centre Blackwell (`models/config.py`).
_FP8_CACHE_ON_SM100: Final = ("GlmMoeDsaForCausalLM",)
_SM100: Final = 10
_SSM_FP32_MODELS: Final = ("nemotron_h", "nemotron_h_puzzle")


@dataclass(frozen=True, slots=True)
class Resolved:
    """The options as the engine will run them. `in_flight`: tokens scheduled and not settled; `cache_dtype` as
    vLLM resolves it globally, `layer_dtype` as attention layers see it; `utilization` of the card's total."""

    context: int
    max_num_seqs: int
    max_num_batched_tokens: int
    in_flight: int
    dtype: str
    cache_dtype: str
    layer_dtype: str
    utilization: float
    prefix_caching: bool
    context_too_long: bool = False


def resolve(checkpoint: Checkpoint, request: Request) -> Resolved:
    options, engine = request.options, request.engine
    gpu = request.hardware.gpus[0] if request.hardware.gpus else None
    capability = gpu.capability if gpu is not None and engine.platform != "cpu" else None
    limit = checkpoint.context
    context = options.context if options.context and options.context > 0 else limit.default
    tokens, seqs = _batch(checkpoint, options, engine, gpu, min(context, limit.tokens))
    # The CPU build schedules one batch at a time.
    overlaps = options.async_scheduling and engine.platform != "cpu" and engine.at_least(0, 26)
    batches = 2 if overlaps else 1
    declared = checkpoint.quantization
    wanted = options.kv_cache_dtype if options.kv_cache_dtype in KV_DTYPES else "auto"
    sparse = checkpoint.config.architecture in _FP8_CACHE_ON_SM100 and engine.platform == "cuda"
    if sparse and wanted == "auto" and capability is not None and capability[0] == _SM100:
        wanted = "fp8_e4m3"
    cache_dtype = declared.cache_dtype if wanted == "auto" and declared.cache_dtype_global else wanted
    layer_dtype = declared.cache_dtype if wanted == "auto" and declared.cache_dtype else wanted
    utilization = options.gpu_memory_utilization
    return Resolved(
        context=context,
        max_num_seqs=seqs,
        max_num_batched_tokens=tokens,
        in_flight=tokens * batches,
        dtype=checkpoint.dtype(options.dtype, capability),
        cache_dtype=cache_dtype or "auto",
        layer_dtype=layer_dtype or "auto",
        utilization=utilization if utilization is not None else (0.92 if engine.at_least(0, 21) else 0.9),
        prefix_caching=options.prefix_caching is not False,
        context_too_long=context > limit.tokens,
    )


def _batch(checkpoint: Checkpoint, options: Options, engine: Engine, gpu: Gpu | None, context: int) -> tuple[int, int]:
    """max_num_batched_tokens and max_num_seqs for `vllm serve`."""
    tokens, seqs = _batch_defaults(engine, gpu, options.tensor_parallel)
    wanted_seqs, wanted_tokens = options.max_num_seqs, options.max_num_batched_tokens
    seqs = wanted_seqs if wanted_seqs is not None and wanted_seqs > 0 else seqs
    if wanted_tokens is not None and wanted_tokens > 0:
        tokens = wanted_tokens
    else:
        if engine.platform == "cpu" and checkpoint.config.text.stated("kv_lora_rank"):
            # Latent attention cannot split a prompt on a CPU: a batch must hold the longest one.
            tokens = max(tokens, context)
        if _whole_items(checkpoint, options):
            tokens = max(tokens, GEMMA4_VIDEO_TOKENS)
        tokens = min(tokens, seqs * context)
    return tokens, seqs if wanted_seqs is not None and wanted_seqs > 0 else min(seqs, tokens)


def _batch_defaults(engine: Engine, gpu: Gpu | None, ranks: int) -> tuple[int, int]:
    if engine.platform == "cpu":
        return 2048 * max(1, ranks), 128 * max(1, ranks)
    total = gpu.total_bytes if gpu is not None else 0
    if total >= LARGEST_CARD_BYTES:
        return 16384, 1024
    if total >= LARGE_CARD_BYTES and gpu is not None and not gpu.a100:
        return 8192, 1024
    return 2048, 256


def _whole_items(checkpoint: Checkpoint, options: Options) -> bool:
    config = checkpoint.config
    if options.language_model_only or config.model_type not in ("gemma4", "gemma4_unified"):
        return False
    return config.vision is not None and config.text.text("use_bidirectional_attention") == "vision"


def cache_rules(
    checkpoint: Checkpoint, request: Request, resolved: Resolved, layers: tuple[CacheLayer, ...]
) -> CacheRules:
    options, engine = request.options, request.engine
    gpu = request.hardware.gpus[0] if request.hardware.gpus else None
    # Attention-free models get prefix caching only when asked for it.
    free = checkpoint.config.architecture in _ATTENTION_FREE
    aligned = options.prefix_caching is True if free else resolved.prefix_caching
    return CacheRules(
        model_dtype=resolved.dtype,
        cache_dtype=resolved.cache_dtype,
        layer_dtype=resolved.layer_dtype,
        ssm_dtype=_ssm_dtype(checkpoint, options, engine),
        block=_block(checkpoint, options, engine, layers),
        aligned_states=aligned,
        flashinfer_gdn=_flashinfer_gdn(engine, gpu, layers),
        hybrid_manager=options.hybrid_kv_cache,
        encoder_tokens=resolved.max_num_batched_tokens,
    )


def _block(checkpoint: Checkpoint, options: Options, engine: Engine, layers: tuple[CacheLayer, ...]) -> int:
    if options.block_size is not None and options.block_size > 0:
        return options.block_size
    if engine.platform == "cpu":
        # CPU_MLA takes blocks of 16 only.
        mla = any(layer.kind is CacheKind.MLA for layer in layers)
        return CUDA_BLOCK if mla else CPU_BLOCK
    return 64 if any(layer.flavour == "bytes" for layer in layers) else CUDA_BLOCK


def _ssm_dtype(checkpoint: Checkpoint, options: Options, engine: Engine) -> str:
    """The dtype of recurrent states: the option, else what the checkpoint asks for, else the model's; the kernels of
    the CPU build want float32."""
    if options.mamba_ssm_cache_dtype in ("float32", "float16", "bfloat16"):
        return options.mamba_ssm_cache_dtype
    text = checkpoint.config.text
    if checkpoint.config.text_type == "kimi_linear":
        return "float32"
    if checkpoint.config.text_type in _SSM_FP32_MODELS:
        return text.text("mamba_ssm_cache_dtype") or "float32"
    if checkpoint.config.model_type.startswith(("qwen3_5", "qwen4_exp")):
        stated = text.text("mamba_ssm_dtype")
        if stated in ("float32", "float16", "bfloat16"):
            return stated
    return "float32" if engine.platform == "cpu" else "auto"


def _flashinfer_gdn(engine: Engine, gpu: Gpu | None, layers: tuple[CacheLayer, ...]) -> bool:
    """Whether Gated DeltaNet's prefill runs on FlashInfer: from 0.33 on Hopper, and on SM 10.x and 12.x with CUDA 13
    (which the wheels bring) and key heads of 128."""
    if gpu is None or engine.platform == "cpu" or not engine.at_least(0, 33):
        return False
    if not any(layer.flavour == "gdn" and layer.head_k == 128 for layer in layers):
        return False
    return gpu.capability[0] in (9, 10, 12)
