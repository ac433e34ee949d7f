"""What helps against a failed launch: changes of options that a button makes, most promising first. Pure.

Each fix is a word id (terms, group "fix") with the facts that its words use. `automatic` are those that take nothing
away from what the person asked for; they are tried without asking (see `relaunch`).
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from core.engine.change import NO_CHANGE, Change, apply
from core.engine.chat_templates import family
from core.engine.command import LaunchRequest, shown_command
from core.engine.diagnosis import PREFIX
from core.engine.named_models import named_models
from core.errors import Fact

GIB: Final = 1 << 30
VLLM_SEQS: Final = 256
"""vLLM's usual `--max-num-seqs` where none is asked for."""

KV_OFFLOAD_FLAGS: Final = ("--kv-offloading-size", "--kv-offloading-backend", "--kv-transfer-config")


@dataclass(frozen=True, slots=True)
class Fix:
    """`change` is made before the next launch. `action` "" where that is all; else what has to be done first, by
    somebody else: "refetch" or "download" the model, "sign_in", "repair_engine", "other_engine", "other_model".
    `fetch`: the model that is got first, by us ("starter", or the Hub's id), "" for none."""

    kind: str
    change: Change = NO_CHANGE
    facts: Mapping[str, Fact] = field(default_factory=dict[str, Fact])
    automatic: bool = False
    action: str = ""
    fetch: str = ""


_Facts = Mapping[str, Fact]
_Maker = Callable[[_Facts, LaunchRequest], "list[Fix]"]


def fixes_for(code: str, facts: _Facts, request: LaunchRequest) -> tuple[Fix, ...]:
    """What helps against failure `code` of `request`; empty when nothing is known to."""
    name = code.removeprefix(PREFIX)
    made = _MAKERS[name](facts, request) if name in _MAKERS else list(_FIXED.get(name, ()))
    return tuple(fix for fix in made if fix.action or fix.fetch or fix.kind == "retry" or _differs(fix, request))


def _differs(fix: Fix, request: LaunchRequest) -> bool:
    """Whether the server would be started otherwise: a choice that this build does not spell is none."""
    after = apply(fix.change, request)
    return after.port != request.port or shown_command(after) != shown_command(request)


def _int(facts: _Facts, name: str) -> int | None:
    value = facts.get(name)
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _context(tokens: int | None) -> list[Fix]:
    return [Fix("context", Change(context=tokens), {"value": tokens})] if tokens else []


def _kv_too_small(facts: _Facts, request: LaunchRequest) -> list[Fix]:
    fixes = _context(_int(facts, "largest"))
    needed = _int(facts, "needed_bytes")
    if request.engine.platform == "cpu":
        if needed is not None:
            room = max(request.cpu_kv_cache_gib + 1, math.ceil(needed / GIB))
            fixes.append(Fix("kv_room", Change(cpu_kv_cache_gib=room), {"value": room}))
    elif request.options.kv_cache_bytes is not None and needed is not None:
        fixes.append(
            Fix("kv_bytes", Change(kv_cache_bytes=needed), {"value": f"{math.ceil(needed / GIB * 10) / 10:g}"})
        )
    elif request.tuning.kv_cache_dtype == "auto":
        fixes.append(Fix("kv_dtype", Change(kv_cache_dtype="fp8"), {"value": "fp8"}))
    return [*fixes, *_dropped_block_limit(request)]


def _dropped_block_limit(request: LaunchRequest) -> list[Fix]:
    """A number of blocks given by hand overrides the room there is."""
    flag = "--num-gpu-blocks-override"
    given = (*request.options.extra, *request.extra_args)
    return [Fix("drop_flag", Change(drop=(flag,)), {"flag": flag})] if flag in given else []


def _context_too_long(facts: _Facts, _request: LaunchRequest) -> list[Fix]:
    return _context(_int(facts, "limit"))


def _gpu_busy(facts: _Facts, _request: LaunchRequest) -> list[Fix]:
    """What is free now, less 2 % for what vLLM and the desktop take meanwhile."""
    free, total = _int(facts, "free_bytes"), _int(facts, "total_bytes")
    if not free or not total:
        return []
    share = math.floor(free / total * 0.98 * 1000) / 1000
    return [Fix("utilization", Change(utilization=share), {"value": f"{share:.3f}"}, automatic=True)]


def _no_kv_room(_facts: _Facts, request: LaunchRequest) -> list[Fix]:
    used = request.tuning.gpu_memory_utilization or 0.92
    more = round(min(0.97, used + 0.03), 3)
    found = [Fix("utilization", Change(utilization=more), {"value": f"{more:.3f}"})] if more > used else []
    return [*found, *_fewer_requests(request), _EAGER]


def _fewer_requests(request: LaunchRequest) -> list[Fix]:
    half = max(1, (request.tuning.max_num_seqs or VLLM_SEQS) // 2)
    return [Fix("fewer_requests", Change(max_num_seqs=half), {"value": half})]


def _graphs(_facts: _Facts, request: LaunchRequest) -> list[Fix]:
    """Reported (a 5090, 0.98 fails and 0.97 works): a little less for the KV cache is enough."""
    less = round((request.tuning.gpu_memory_utilization or 0.92) - 0.02, 3)
    return [Fix("utilization", Change(utilization=less), {"value": f"{less:.3f}"}, automatic=True), _EAGER]


def _gpu_memory(_facts: _Facts, request: LaunchRequest) -> list[Fix]:
    return [*_fewer_requests(request), _EAGER, _kv_fp8(request)]


def _kv_fp8(_request: LaunchRequest) -> Fix:
    return Fix("kv_dtype", Change(kv_cache_dtype="fp8"), {"value": "fp8"})


def _less_ram(_facts: _Facts, request: LaunchRequest) -> list[Fix]:
    fixes: list[Fix] = []
    if request.engine.platform == "cpu" and request.cpu_kv_cache_gib > 1:
        room = max(1, request.cpu_kv_cache_gib // 2)
        fixes.append(Fix("kv_room", Change(cpu_kv_cache_gib=room), {"value": room}))
    if request.tuning.cpu_offload_gib > 0:
        half = request.tuning.cpu_offload_gib / 2
        fixes.append(Fix("offload", Change(offload_gib=half), {"value": f"{half:g}"}))
    return [*fixes, _NO_KV_OFFLOAD]


def _flag(facts: _Facts, name: str) -> list[Fix]:
    flag = str(facts.get(name) or "").partition("=")[0].partition("/")[0]
    return [Fix("drop_flag", Change(drop=(flag,)), {"flag": flag})] if flag.startswith("--") else []


def _missing_files(_facts: _Facts, request: LaunchRequest) -> list[Fix]:
    if not request.source:
        return [_REFETCH]
    return [Fix("fetch_missing", facts={"model": request.source}, fetch=request.source)]


def _not_here(facts: _Facts, request: LaunchRequest) -> list[Fix]:
    """Which model it was, only some of the messages say. The served one is a folder for vLLM: it was another."""
    told = facts.get("model")
    named = [name for name in named_models(request) if told in (None, "", name)]
    return [Fix("fetch", facts={"model": named[0]}, fetch=named[0])] if named else []


def _chat_template(_facts: _Facts, request: LaunchRequest) -> list[Fix]:
    found = family(request.traits.family)
    change = Change(chat_template=found.template)
    fix = Fix("chat_template", change, {"value": found.name}) if found.name else Fix("plain_template", change)
    return [fix, _OTHER_MODEL]


def _whole_gib(facts: _Facts, request: LaunchRequest) -> list[Fix]:
    room = max(1, request.cpu_kv_cache_gib)
    with contextlib.suppress(ValueError):
        room = max(room, math.ceil(float(str(facts.get("value")))))
    env = (("VLLM_CPU_KVCACHE_SPACE", str(room)),)
    return [Fix("kv_room", Change(cpu_kv_cache_gib=room, env=env), {"value": room})]


def _gpus(facts: _Facts, _request: LaunchRequest) -> list[Fix]:
    found = max(1, _int(facts, "found") or 1)
    return [Fix("gpus", Change(tensor_parallel=found), {"value": found})]


_EAGER: Final = Fix("eager", Change(enforce_eager=True))
_EAGER_ITSELF: Final = Fix("eager", Change(enforce_eager=True), automatic=True)
_NO_KV_OFFLOAD: Final = Fix("no_kv_offload", Change(drop=KV_OFFLOAD_FLAGS))
_NO_OFFLOAD: Final = Fix("no_offload", Change(drop=("--cpu-offload-gb", "--cpu-offload-params")))
_V1_RUNNER: Final = Fix("v1_runner", Change(env=(("VLLM_USE_V2_MODEL_RUNNER", "0"),)), automatic=True)
_WSL_PIN: Final = Fix("wsl_pin", Change(env=(("VLLM_WSL2_ENABLE_PIN_MEMORY", "1"),)))
_RETRY: Final = Fix("retry", automatic=True)
_REFETCH: Final = Fix("refetch", action="refetch")
_REPAIR: Final = Fix("repair_engine", action="repair_engine")
_OTHER_ENGINE: Final = Fix("other_engine", action="other_engine")
_OTHER_MODEL: Final = Fix("other_model", action="other_model")
_SIGN_IN: Final = Fix("sign_in", action="sign_in")
_NO_P2P: Final = Fix("no_p2p", Change(add=("--disable-custom-all-reduce",), env=(("NCCL_P2P_DISABLE", "1"),)))

_MAKERS: Final[dict[str, _Maker]] = {
    "kv_too_small": _kv_too_small,
    "context_too_long": _context_too_long,
    "gpu_busy": _gpu_busy,
    "no_kv_room": _no_kv_room,
    "gpu_memory_graphs": _graphs,
    "gpu_memory": _gpu_memory,
    "cpu_kv_room": _less_ram,
    "ram_refused": _less_ram,
    "out_of_ram": _less_ram,
    "engine_killed": lambda facts, request: [*_less_ram(facts, request), Fix("retry")],
    "unknown_flag": lambda facts, _request: _flag(facts, "flag"),
    "bad_value": lambda facts, _request: _flag(facts, "option"),
    "whole_gib": _whole_gib,
    "no_chat_template": _chat_template,
    "shard_missing": _missing_files,
    "weights_missing": _missing_files,
    "not_cached": lambda facts, request: _not_here(facts, request) or [Fix("download", action="download")],
    "model_not_found": _not_here,
    "too_few_gpus": _gpus,
}
_FIXED: Final[dict[str, tuple[Fix, ...]]] = {
    "server.port_taken": (Fix("any_port", Change(any_port=True)),),
    "server.stalled": (_NO_P2P, Fix("retry")),
    "gpu_memory_moved": (_RETRY,),
    "shm_small": (_NO_KV_OFFLOAD,),
    "bus_error": (_NO_KV_OFFLOAD,),
    "pin_refused": (_NO_OFFLOAD, _NO_KV_OFFLOAD),
    "swap_too_large": (Fix("drop_flag", Change(drop=("--swap-space",)), {"flag": "--swap-space"}),),
    "kv_offload_unsupported": (_NO_KV_OFFLOAD,),
    "kv_disk_path": (_NO_KV_OFFLOAD,),
    "offload_hybrid": (_NO_OFFLOAD, _OTHER_ENGINE),
    "offload_quantized": (_NO_OFFLOAD, _OTHER_MODEL),
    "ple_not_this_model": (Fix("no_ple", Change(drop=("--engram-config",)), automatic=True),),
    "ple_no_uva": (_WSL_PIN, Fix("ple_device", Change(ple="device"))),
    "batch_too_small": (Fix("own_batch", Change(own_batch=True, drop=("--max-num-batched-tokens",))),),
    "parallel_heads": (Fix("gpus", Change(tensor_parallel=1), {"value": 1}),),
    "quantization_mismatch": (Fix("drop_flag", Change(drop=("--quantization",)), {"flag": "--quantization"}),),
    "no_attention_backend": (Fix("kv_dtype", Change(kv_cache_dtype="auto"), {"value": "auto"}),),
    "gated": (_SIGN_IN,),
    "unauthorized": (_SIGN_IN,),
    "weights_broken": (_REFETCH,),
    "weights_mismatch": (_REFETCH, _OTHER_ENGINE),
    "tokenizer": (_REFETCH,),
    "architecture_unknown": (_OTHER_ENGINE, _OTHER_MODEL),
    "architecture_removed": (_OTHER_ENGINE,),
    "architecture_broken": (_REPAIR,),
    "gguf_plugin": (_OTHER_MODEL,),
    "remote_code": (Fix("trust", Change(add=("--trust-remote-code",))),),
    "quantization_gpu": (_OTHER_MODEL,),
    "quantization_unknown": (_OTHER_MODEL, _OTHER_ENGINE),
    "bf16_gpu": (Fix("dtype", Change(dtype="half"), {"value": "float16"}, automatic=True),),
    "fp16_model": (Fix("dtype", Change(dtype="bfloat16"), {"value": "bfloat16"}),),
    "driver_old": (_OTHER_ENGINE,),
    "cuda_library": (_REPAIR,),
    "gpu_not_built_for": (_OTHER_ENGINE,),
    "no_gpu": (_OTHER_ENGINE,),
    "uva_missing": (_V1_RUNNER, _WSL_PIN, _NO_OFFLOAD),
    "no_headers": (_EAGER_ITSELF,),
    "no_compiler": (_EAGER_ITSELF,),
    "no_nvcc": (Fix("sampler", Change(env=(("VLLM_USE_FLASHINFER_SAMPLER", "0"),)), automatic=True),),
    "nccl": (_NO_P2P, Fix("gpus", Change(tensor_parallel=1), {"value": 1})),
    "gpu_lost": (Fix("retry"),),
    "table_unread": (Fix("retry"),),
    "gpu_fault": (_EAGER, _OTHER_ENGINE),
    "engine_timeout": (Fix("patience", Change(env=(("VLLM_ENGINE_READY_TIMEOUT_S", "3600"),)), automatic=True),),
    "torch_mismatch": (_REPAIR,),
    "module_missing": (_REPAIR,),
    "compile_failed": (_EAGER_ITSELF,),
    "illegal_instruction": (_OTHER_ENGINE,),
    "crashed": (_EAGER, Fix("retry")),
    "server.killed": (Fix("retry"),),
    "server.engine_died": (Fix("retry"),),
    "server.died": (Fix("retry"),),
}
