"""What a launch asked for, apart from how it was asked: the neutral input of the proof. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from core.engine.command import LaunchRequest

_SWITCHES: Final = {
    "--enable-prefix-caching": ("prefix_caching", True),
    "--no-enable-prefix-caching": ("prefix_caching", False),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """None and "" where vLLM was to choose. `version` and `platform` are the engine's. `ple_in_ram`: whether the n-gram
    tables were to lie in RAM. `resident_bytes`: what the model takes on the device with nothing offloaded."""

    version: tuple[int, ...] = ()
    platform: str = ""
    served_name: str = ""
    context: int | None = None
    enforce_eager: bool = False
    max_num_seqs: int | None = None
    max_num_batched_tokens: int | None = None
    kv_cache_dtype: str = ""
    dtype: str = ""
    quantization: str = ""
    tensor_parallel: int | None = None
    prefix_caching: bool | None = None
    weight_offload_gib: float = 0.0
    weight_offload_params: tuple[str, ...] = ()
    kv_offload_gib: float = 0.0
    kv_disk: bool = False
    ple_in_ram: bool | None = None
    resident_bytes: int | None = None
    v1_runner: bool = False


def asked_of(request: LaunchRequest, resident_bytes: int | None = None) -> Asked:
    """What `request` asks for, its fields and its further arguments alike."""
    args = request.extra_args
    tuning = request.tuning
    cpu = request.engine.platform == "cpu"
    kv_dtype = tuning.kv_cache_dtype if not cpu and tuning.kv_cache_dtype != "auto" else ""
    return Asked(
        version=version_of(request.engine.version),
        platform=request.engine.platform,
        served_name=request.model_id,
        context=_int(_value(args, "--max-model-len")) or request.max_model_len,
        enforce_eager=request.enforce_eager or "--enforce-eager" in args,
        max_num_seqs=_int(_value(args, "--max-num-seqs")) or tuning.max_num_seqs,
        max_num_batched_tokens=_int(_value(args, "--max-num-batched-tokens")) or tuning.max_num_batched_tokens,
        kv_cache_dtype=_value(args, "--kv-cache-dtype") or kv_dtype,
        dtype=_value(args, "--dtype"),
        quantization=_value(args, "--quantization"),
        tensor_parallel=_int(_value(args, "--tensor-parallel-size")),
        prefix_caching=next((on for flag, (_name, on) in _SWITCHES.items() if flag in args), None),
        weight_offload_gib=_float(_value(args, "--cpu-offload-gb")) or (0.0 if cpu else tuning.cpu_offload_gib),
        weight_offload_params=_values(args, "--cpu-offload-params"),
        kv_offload_gib=_float(_value(args, "--kv-offloading-size")),
        kv_disk='"disk"' in _value(args, "--kv-transfer-config") or '"fs"' in _value(args, "--kv-transfer-config"),
        ple_in_ram=_switch(_value(args, "--engram-config.cpu_offload")),
        resident_bytes=resident_bytes,
        v1_runner=dict(tuning.env).get("VLLM_USE_V2_MODEL_RUNNER") == "0",
    )


def version_of(text: str) -> tuple[int, ...]:
    """ "0.32.0+cpu" as (0, 32, 0); () for what is no version."""
    numbers = text.partition("+")[0].split(".")[:3]
    return tuple(int(part) for part in numbers) if all(part.isdecimal() for part in numbers) else ()


def _values(args: Sequence[str], flag: str) -> tuple[str, ...]:
    """All values after a flag, up to the next one."""
    for index, arg in enumerate(args):
        name, equals, value = arg.partition("=")
        if name != flag:
            continue
        if equals:
            return (value,)
        rest = args[index + 1 :]
        end = next((at for at, other in enumerate(rest) if other.startswith("--")), len(rest))
        return tuple(rest[:end])
    return ()


def _value(args: Sequence[str], flag: str) -> str:
    return next(iter(_values(args, flag)), "")


def _int(text: str) -> int | None:
    return int(text) if text.isdecimal() else None


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _switch(text: str) -> bool | None:
    return {"true": True, "false": False}.get(text.lower())
