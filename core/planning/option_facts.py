"""What a build says of each option that a person may choose: its flag, its words, its values, and why it cannot be had.
Pure. Names are the fields of `LaunchOptions` and `Choices`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from core.engine.build import Build
from core.engine.capabilities.model import Option
from core.engine.options import LaunchOptions, Traits
from core.engine.spelling.tables import FLAG as TABLES_FLAG
from core.engine.spelling.tables import FROM_FILES, plugin_obstacle
from core.errors import AppError, Fact
from core.events import ErrorInfo

FLAGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "context": "--max-model-len",
        "max_num_seqs": "--max-num-seqs",
        "max_num_batched_tokens": "--max-num-batched-tokens",
        "kv_cache_dtype": "--kv-cache-dtype",
        "enforce_eager": "--enforce-eager",
        "leave_free_gib": "--gpu-memory-utilization",
        "offload_gib": "--cpu-offload-gb",
        "kv_cache_bytes": "--kv-cache-memory-bytes",
        "prefix_caching": "--enable-prefix-caching",
        "async_scheduling": "--async-scheduling",
        "offload_params": "--cpu-offload-params",
        "offload_groups": "--offload-group-size",
        "prompt_cache": "--kv-offloading-size",
        "ple": TABLES_FLAG,
        "dtype": "--dtype",
        "quantization": "--quantization",
        "load_format": "--load-format",
        "tensor_parallel": "--tensor-parallel-size",
        "pipeline_parallel": "--pipeline-parallel-size",
        "loras": "--lora-modules",
        "max_lora_rank": "--max-lora-rank",
        "speculative": "--speculative-config",
        "multimodal": "--limit-mm-per-prompt",
        "text_only": "--language-model-only",
        "reasoning_parser": "--reasoning-parser",
        "tool_parser": "--tool-call-parser",
        "chat_template": "--chat-template",
        "served_name": "--served-model-name",
        "seed": "--seed",
        "log_requests": "--enable-log-requests",
    }
)
VARIABLES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "cpu_threads": "VLLM_CPU_OMP_THREADS_BIND",
        "cpu_reserved": "VLLM_CPU_NUM_OF_RESERVED_CPU",
        "log_level": "VLLM_LOGGING_LEVEL",
    }
)
LOG_LEVELS: Final = ("DEBUG", "INFO", "WARNING", "ERROR")
_GPU_ONLY: Final = ("kv_cache_dtype", "kv_cache_bytes", "leave_free_gib")
_OFFLOAD: Final = ("offload_gib", "offload_params", "offload_groups")


@dataclass(frozen=True, slots=True)
class OptionFacts:
    """`flag` a flag or variable, "" for neither; `help` and `place` (below the `vllm` package) from the build's source,
    "" where it was not read; `values` all that are sensible, empty for anything; `obstacle` why it cannot be had."""

    flag: str = ""
    help: str = ""
    place: str = ""
    values: tuple[str, ...] = ()
    obstacle: ErrorInfo | None = None


def option_facts(name: str, build: Build, traits: Traits) -> OptionFacts:
    flag = FLAGS.get(name) or VARIABLES.get(name, "")
    option = build.capabilities.option(flag) if build.capabilities is not None else None
    return OptionFacts(
        flag,
        option.help if option is not None else "",
        str(option.place) if option is not None else "",
        _values(name, build, option),
        _obstacle(name, flag, build, traits),
    )


def table_places(build: Build, traits: Traits) -> tuple[str, ...]:
    """Where the tables of a model may be put with this build, besides where they go without a choice."""
    if traits.tables == "per_layer":
        return ("ram", "disk") if traits.safetensors else ("ram",)
    return ("ram", "device", "disk") if build.has_field(TABLES_FLAG, FROM_FILES) else ("ram", "device")


def _values(name: str, build: Build, option: Option | None) -> tuple[str, ...]:
    known = build.capabilities
    if known is not None and name == "quantization":
        return tuple(method.name for method in known.quantizations if not method.deprecated)
    if known is not None and name == "reasoning_parser":
        return known.reasoning_parsers
    if known is not None and name == "tool_parser":
        return known.tool_parsers
    if name == "log_level":
        return LOG_LEVELS
    return tuple(choice for choice in option.choices if choice != "auto") if option is not None else ()


def _obstacle(name: str, flag: str, build: Build, traits: Traits) -> ErrorInfo | None:
    """None: it can be had, as far as anybody knows."""
    if name == "ple":
        error = _tables(build, traits)
        return ErrorInfo.of(error) if error is not None else None
    if build.cpu and name in _OFFLOAD:
        return _info("option.offload_cpu_build")
    if build.cpu and name == "prompt_cache":
        return _info("option.prompt_cache_cpu_build")
    if build.cpu and name in _GPU_ONLY:
        return _info("option.gpu_only")
    if not build.cpu and name in ("cpu_threads", "cpu_reserved"):
        return _info("option.cpu_only")
    if name in _OFFLOAD and traits.hybrid and build.does("hybrid_refuses_offload"):
        return _info("option.offload_hybrid", version=build.text)
    if name in VARIABLES:
        missing = build.capabilities is not None and not build.reads(flag)
    else:
        missing = bool(flag) and not build.has(flag)
    if not missing:
        return None
    if name in _MISSING:
        return _info(_MISSING[name], version=build.text)
    return _info("option.not_in_build", flag=flag, version=build.text)


# Codes that say more than that the flag is not there.
_MISSING: Final[Mapping[str, str]] = MappingProxyType(
    {
        "prompt_cache": "option.no_prompt_cache",
        "offload_params": "option.no_offload_params",
        "offload_groups": "option.no_prefetch_offload",
        "text_only": "option.no_text_only",
    }
)


def _tables(build: Build, traits: Traits) -> AppError | None:
    if traits.tables == "per_layer":
        return plugin_obstacle(traits, build, LaunchOptions(ple="ram"))
    if traits.tables == "ngram" and build.cpu:
        return AppError("option.gpu_only")
    if traits.tables == "ngram" and not build.has(TABLES_FLAG):
        return AppError("option.no_table_control", version=build.text)
    return None


def refused_tables(build: Build, traits: Traits, options: LaunchOptions) -> AppError | None:
    """Why a placement that somebody asked for by name cannot be had; None: it can."""
    if options.ple == "auto":
        return None
    if not traits.tables:
        return AppError("option.no_tables")
    found = plugin_obstacle(traits, build, options) or _tables(build, traits)
    if found is None and options.ple == "disk" and "disk" not in table_places(build, traits):
        return AppError("option.no_tables_on_disk", version=build.text)
    return found


def _info(code: str, **facts: Fact) -> ErrorInfo:
    return ErrorInfo.of(AppError(code, "", **facts))
