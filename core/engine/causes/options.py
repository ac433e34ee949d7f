"""Causes that are an option: one this build does not know or cannot do, one the model cannot have.

Wordings: facts dossier B, C and E4; public reports A13, B4, B20, B22, B24, B26; recorded logs of 0.32.
"""

from __future__ import annotations

from typing import Final

from core.engine.causes.cause import MAYBE_ECHO, Cause, cause

CAUSES: Final[tuple[Cause, ...]] = (
    cause(
        "context_too_long",
        r"User-specified max_model_len \((?P<context>[\d,]+)\) is greater than the derived max_model_len \([^)]*?"
        r"=(?P<limit>[\d,]+)(?:\.0)?",
    ),
    cause("context_too_long", r"is greater than the derived max_model_len"),
    cause("unknown_flag", r"error: unrecognized arguments: (?P<flag>--[\w.-]+)"),
    cause("unknown_flag", r"error: ambiguous option: (?P<flag>--[\w.-]+)"),
    cause("unknown_flag", r"error: unrecognized arguments: (?P<flag>\S+)"),
    cause(
        "bad_value",
        r"error: argument (?P<option>-\S+?): "
        r"(?P<reason>invalid (?:\w+ )?\w+: '[^']*'|expected [\w ]{1,20}arguments?|\S+(?: \S+){0,5})",
    ),
    cause("bad_value", r"Unexpected keyword argument.{0,200}"),
    cause("whole_gib", r"invalid literal for int\(\) with base 10: '(?P<value>\d*\.\d+)'"),
    cause(
        "kv_offload_unsupported",
        r"CPU Offloading is currently only supported on CUDA-alike|kv_offloading_backend .{0,60}not supported",
    ),
    cause("kv_disk_path", r'kv_offload_backend="disk" requires disk_path to be set'),
    cause("offload_hybrid", r"Cannot re-initialize the input batch when CPU weight offloading is enabled"),
    cause("offload_quantized", r"b_q_weight is not on GPU"),
    cause("ple_not_this_model", r"EngramConfig requires a model with supported Engram embeddings"),
    cause("ple_no_uva", r"Engram CPU offload requires UVA support"),
    cause(
        "batch_too_small",
        r"max_num_batched_tokens \((?P<batch>[\d,]+)\) is smaller than max_model_len \((?P<context>[\d,]+)\)",
    ),
    cause(
        "batch_too_small", r"max_num_batched_tokens \((?P<batch>[\d,]+)\) must be greater than or equal to max_num_seqs"
    ),
    cause(
        "parallel_heads",
        r"Total number of attention heads \((?P<heads>\d+)\) must be divisible by tensor parallel size"
        r" \((?P<parallel>\d+)\)",
    ),
    cause(
        "too_few_gpus",
        r"[Ww]orld size \((?P<wanted>\d+)\) is larger than the number of available GPUs \((?P<found>\d+)\)"
        r"|[Tt]ensor parallel size \((?P<wanted_2>\d+)\) cannot be larger than the number of available GPUs"
        r" \((?P<found_2>\d+)\)",
    ),
    cause(
        "quantization_mismatch",
        r"Quantization method specified in the model config \((?P<config>[\w-]+)\) does not match the quantization"
        r" method specified in the `?quantization`? argument \((?P<argument>[\w-]+)\)",
    ),
    cause("no_attention_backend", r"No valid attention backend found.{0,200}|Selected backend \S+ is not valid for"),
    cause("no_attention_backend", r"kv_cache_dtype not supported|fp8 KV cache .{0,60}not supported", MAYBE_ECHO),
)
