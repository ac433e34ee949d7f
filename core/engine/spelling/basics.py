"""Options that every version read (0.10.2 to 0.33.0) spells alike: sizes, types, parallelism, logging."""

from __future__ import annotations

from core.engine.arguments import Sheet
from core.engine.build import Build
from core.engine.options import LaunchRequest

GIB = 1 << 30


def spell(request: LaunchRequest, build: Build, sheet: Sheet) -> None:
    tuning, options = request.tuning, request.options
    # vLLM takes several names and answers to each: the chat goes on asking by the model's id.
    names = dict.fromkeys(name for name in (options.served_name, request.model_id) if name)
    sheet.add("--served-model-name", *names)
    if request.max_model_len is not None:
        sheet.add("--max-model-len", request.max_model_len)
    if request.enforce_eager:
        sheet.add("--enforce-eager")
    if tuning.max_num_seqs is not None:
        sheet.add("--max-num-seqs", tuning.max_num_seqs)
    if tuning.max_num_batched_tokens is not None:
        sheet.add("--max-num-batched-tokens", tuning.max_num_batched_tokens)
    _types(request, build, sheet)
    if build.cpu:
        _cpu(request, sheet)
    else:
        _card(request, sheet)
    _switches(request, sheet)


def _types(request: LaunchRequest, build: Build, sheet: Sheet) -> None:
    options = request.options
    if options.dtype != "auto":
        sheet.add("--dtype", options.dtype)
    if options.quantization:
        sheet.add("--quantization", options.quantization)
    if request.tuning.kv_cache_dtype != "auto" and not build.cpu:
        sheet.add("--kv-cache-dtype", request.tuning.kv_cache_dtype)
    if options.load_format != "auto":
        sheet.add("--load-format", options.load_format)
    elif request.traits.mixed_formats:
        # "auto" would take Mistral's own files, and its own config and tokenizer with them (vLLM 7523, gpustack 2257).
        sheet.add("--load-format", "safetensors")


def _card(request: LaunchRequest, sheet: Sheet) -> None:
    """An exact size of the KV cache and a share of the card exclude each other: the exact one is what was asked for."""
    if request.options.kv_cache_bytes is not None:
        sheet.add("--kv-cache-memory-bytes", request.options.kv_cache_bytes)
    elif request.tuning.gpu_memory_utilization is not None:
        sheet.add("--gpu-memory-utilization", f"{request.tuning.gpu_memory_utilization:.3f}")


def _cpu(request: LaunchRequest, sheet: Sheet) -> None:
    """The CPU build takes whole GiB from a variable (0.01 is a ValueError there, 0.32.0)."""
    exact = request.options.kv_cache_bytes
    space = request.cpu_kv_cache_gib if exact is None else max(1, exact // GIB)
    sheet.env["VLLM_CPU_KVCACHE_SPACE"] = str(space)
    if request.options.cpu_threads:
        sheet.env["VLLM_CPU_OMP_THREADS_BIND"] = request.options.cpu_threads
    if request.options.cpu_reserved is not None:
        sheet.env["VLLM_CPU_NUM_OF_RESERVED_CPU"] = str(request.options.cpu_reserved)


def _switches(request: LaunchRequest, sheet: Sheet) -> None:
    options = request.options
    switches = {"enable-prefix-caching": options.prefix_caching, "async-scheduling": options.async_scheduling}
    for name, wanted in switches.items():
        if wanted is not None:
            sheet.add(f"--{name}" if wanted else f"--no-{name}")
    if options.tensor_parallel > 1:
        sheet.add("--tensor-parallel-size", options.tensor_parallel)
    if options.pipeline_parallel > 1:
        sheet.add("--pipeline-parallel-size", options.pipeline_parallel)
    if options.seed is not None:
        sheet.add("--seed", options.seed)
    if options.log_requests:
        sheet.add("--enable-log-requests")
    if request.hub_cache:
        # What the command line names is looked for there too (huggingface_hub 2.4, constants.py).
        sheet.env["HF_HUB_CACHE"] = request.hub_cache
    sheet.env |= dict(options.env)
    if options.log_level:
        sheet.env["VLLM_LOGGING_LEVEL"] = options.log_level.upper()
