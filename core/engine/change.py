"""One change of a launch's options, and how it is made. Pure.

The only place that knows both a fix and the fields of a launch: an option may be chosen by its own field or stand among
the free words, and a change finds it in either place. Whoever gives `LaunchOptions` new fields names their flags here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from core.engine.options import LaunchOptions, LaunchRequest, Place

_NOTHING: Final = LaunchOptions()
# Flag -> the fields of `LaunchOptions` that choose the same.
_OPTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "--dtype": ("dtype",),
    "--quantization": ("quantization",),
    "--kv-cache-memory-bytes": ("kv_cache_bytes",),
    "--enable-prefix-caching": ("prefix_caching",),
    "--no-enable-prefix-caching": ("prefix_caching",),
    "--async-scheduling": ("async_scheduling",),
    "--no-async-scheduling": ("async_scheduling",),
    "--tensor-parallel-size": ("tensor_parallel",),
    "-tp": ("tensor_parallel",),
    "--pipeline-parallel-size": ("pipeline_parallel",),
    "--cpu-offload-gb": ("offload",),
    "--cpu-offload-params": ("offload",),
    "--offload-group-size": ("offload",),
    "--kv-offloading-size": ("prompt_cache",),
    "--kv-offloading-backend": ("prompt_cache",),
    "--kv-transfer-config": ("prompt_cache",),
    "--swap-space": ("prompt_cache",),
    "--engram-config": ("ple",),
    "--lora-modules": ("loras", "max_lora_rank"),
    "--enable-lora": ("loras", "max_lora_rank"),
    "--max-lora-rank": ("max_lora_rank",),
    "--speculative-config": ("speculative",),
    "--limit-mm-per-prompt": ("multimodal",),
    "--language-model-only": ("text_only",),
    "--chat-template": ("chat_template",),
    "--served-model-name": ("served_name",),
    "--seed": ("seed",),
    "--load-format": ("load_format",),
    "--enable-log-requests": ("log_requests",),
}
# These are filled by the model's family where nothing is chosen; "" chooses none.
_PARSERS: Final = {
    "--reasoning-parser": "reasoning_parser",
    "--tool-call-parser": "tool_parser",
    "--enable-auto-tool-choice": "tool_parser",
}
# Flag -> one of the main choices, which a request and the form both have, and what it is without a wish.
_MAIN: Final[Mapping[str, tuple[str, Any]]] = {
    "--max-model-len": ("context", None),
    "--enforce-eager": ("enforce_eager", False),
    "--max-num-seqs": ("max_num_seqs", None),
    "--max-num-batched-tokens": ("max_num_batched_tokens", None),
    "--kv-cache-dtype": ("kv_cache_dtype", "auto"),
    "--cpu-offload-gb": ("offload_gib", 0.0),
    "--gpu-memory-utilization": ("utilization", None),
}
_FIELDS: Final = ("dtype", "tensor_parallel", "chat_template", "kv_cache_bytes", "ple")
_MAIN_FIELDS: Final = (
    "context", "enforce_eager", "cpu_kv_cache_gib", "max_num_seqs", "kv_cache_dtype", "offload_gib", "utilization",
)  # fmt: skip
_TABLES: Final = "--engram-config"


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be different; None and () leave things as they are. `drop` are flags ("--swap-space"), taken back
    wherever they were chosen; `add` complete arguments that have no field; `env` variables that change what the server
    does. `own_batch`: vLLM chooses the tokens per batch."""

    context: int | None = None
    enforce_eager: bool | None = None
    cpu_kv_cache_gib: int | None = None
    max_num_seqs: int | None = None
    kv_cache_dtype: str | None = None
    offload_gib: float | None = None
    utilization: float | None = None
    dtype: str | None = None
    tensor_parallel: int | None = None
    chat_template: str | None = None
    kv_cache_bytes: int | None = None
    ple: Place | None = None
    any_port: bool = False
    own_batch: bool = False
    drop: tuple[str, ...] = ()
    add: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()


NO_CHANGE: Final = Change()


def apply(change: Change, request: LaunchRequest) -> LaunchRequest:
    """`request` with the change made; equal to `request` where it has no effect."""
    main, tuning = main_values(change), request.tuning
    tuning = replace(
        tuning,
        max_num_seqs=main.get("max_num_seqs", tuning.max_num_seqs),
        max_num_batched_tokens=main.get("max_num_batched_tokens", tuning.max_num_batched_tokens),
        kv_cache_dtype=main.get("kv_cache_dtype", tuning.kv_cache_dtype),
        cpu_offload_gib=main.get("offload_gib", tuning.cpu_offload_gib),
        gpu_memory_utilization=main.get("utilization", tuning.gpu_memory_utilization),
        # What the plan set would have the last word.
        env=tuple(pair for pair in tuning.env if pair[0] not in dict(change.env)),
    )
    traits = replace(request.traits, tables="") if _TABLES in change.drop else request.traits
    return replace(
        request,
        max_model_len=main.get("context", request.max_model_len),
        enforce_eager=main.get("enforce_eager", request.enforce_eager),
        cpu_kv_cache_gib=main.get("cpu_kv_cache_gib", request.cpu_kv_cache_gib),
        port=None if change.any_port else request.port,
        extra_args=without(request.extra_args, _words_gone(change)),
        tuning=tuning,
        options=changed_options(request.options, change, already=request.extra_args),
        traits=traits,
    )


def main_values(change: Change) -> dict[str, Any]:
    """The main choices that become different, by their names on the form; `utilization` is none of them."""
    values = {name: value for flag, (name, value) in _MAIN.items() if flag in change.drop}
    if change.own_batch:
        values["max_num_batched_tokens"] = None
    return values | {name: value for name in _MAIN_FIELDS if (value := getattr(change, name)) is not None}


def changed_options(options: LaunchOptions, change: Change, already: tuple[str, ...] = ()) -> LaunchOptions:
    """Args: `already`: words that stand on the command line anyway."""
    gone = _words_gone(change)
    taken_back = [flag for flag in gone if flag in change.drop or flag not in _MAIN]
    fields = {name: getattr(_NOTHING, name) for flag in taken_back for name in _OPTIONS.get(flag, ())}
    fields |= {name: "" for flag, name in _PARSERS.items() if flag in change.drop}
    fields |= {name: value for name in _FIELDS if (value := getattr(change, name)) is not None}
    extra = without(options.extra, gone)
    held = _holds(extra, change.add) or _holds(already, change.add)
    fields["extra"] = extra if held else (*extra, *change.add)
    fields["env"] = tuple(sorted((dict(options.env) | dict(change.env)).items()))
    return replace(options, **fields)


def _words_gone(change: Change) -> tuple[str, ...]:
    """The flags that a change takes back: those it drops, and those that choose what it chooses now."""
    main = main_values(change)
    flags = [*change.drop, *(flag for flag, (name, _value) in _MAIN.items() if name in main)]
    flags += [flag for flag, names in _OPTIONS.items() if any(getattr(change, n, None) is not None for n in names)]
    if change.cpu_kv_cache_gib is not None or change.utilization is not None:
        flags.append("--kv-cache-memory-bytes")  # an exact size would have the last word
    return tuple(dict.fromkeys(flags))


def without(args: Iterable[str], flags: Iterable[str]) -> tuple[str, ...]:
    """`args` without these flags, their values and their parts ("--engram-config.cpu_offload")."""
    dropped = tuple(flags)
    kept: list[str] = []
    dropping = False
    for arg in args:
        if arg.startswith("-") and not arg[1:2].isdigit():
            name = arg.partition("=")[0]
            dropping = any(name == flag or name.startswith(flag + ".") for flag in dropped)
        if not dropping:
            kept.append(arg)
    return tuple(kept)


def _holds(args: tuple[str, ...], part: tuple[str, ...]) -> bool:
    return any(args[at : at + len(part)] == part for at in range(len(args) - len(part) + 1))
