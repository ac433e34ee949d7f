"""What a launch asked for, apart from how it was asked: the neutral input of the proof. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from core.engine.command import LaunchRequest, sheet_of
from core.engine.facts import GIB
from core.engine.ple_plugin import GPU, PLACEMENT_ENV

_SWITCHES: Final = {"--enable-prefix-caching": True, "--no-enable-prefix-caching": False}


@dataclass(frozen=True, slots=True)
class Asked:
    """None and "" where vLLM was to choose. `version` and `platform` are the engine's. `ple_in_ram`: whether the n-gram
    tables were to lie in RAM. `resident_bytes`: what the model takes on the device with nothing offloaded. `ple_place`:
    "ram" or "disk", where Stowage's plugin was to keep the per-layer table."""

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
    ple_place: str = ""


def asked_of(request: LaunchRequest) -> Asked:
    """What `request` asks for. The command line counts as it was written for the build; a wish that this build does
    not even spell counts all the same, so that the person hears that nothing came of it."""
    sheet = sheet_of(request)
    args = (*sheet.words, *request.extra_args)
    tuning, cache = request.tuning, request.options.prompt_cache
    transfer = _object(_value(args, "--kv-transfer-config"))
    tier = _object(transfer.get("kv_connector_extra_config", {}))
    place = sheet.env.get(PLACEMENT_ENV, GPU)
    return Asked(
        version=version_of(request.engine.version),
        platform=request.engine.platform,
        served_name=_value(args, "--served-model-name"),
        context=_int(_value(args, "--max-model-len")),
        enforce_eager="--enforce-eager" in args,
        max_num_seqs=_int(_value(args, "--max-num-seqs")),
        max_num_batched_tokens=_int(_value(args, "--max-num-batched-tokens")),
        kv_cache_dtype=_value(args, "--kv-cache-dtype"),
        dtype=_value(args, "--dtype"),
        quantization=_value(args, "--quantization"),
        tensor_parallel=_int(_value(args, "--tensor-parallel-size")),
        prefix_caching=next((_SWITCHES[word] for word in reversed(args) if word in _SWITCHES), None),
        weight_offload_gib=_float(_value(args, "--cpu-offload-gb")) or tuning.cpu_offload_gib,
        weight_offload_params=_values(args, "--cpu-offload-params"),
        kv_offload_gib=(
            _float(_value(args, "--kv-offloading-size")) or _gib(tier.get("cpu_bytes_to_use")) or cache.ram_gib
        ),
        kv_disk=bool(cache.disk_path) or "disk_path" in tier or "secondary_tiers" in tier,
        ple_in_ram=_tables_in_ram(args, request, plugin=place != GPU),
        resident_bytes=request.resident_bytes,
        v1_runner=sheet.env.get("VLLM_USE_V2_MODEL_RUNNER") == "0",
        ple_place=place if place != GPU else "",
    )


def _tables_in_ram(args: Sequence[str], request: LaunchRequest, *, plugin: bool) -> bool | None:
    config = _object(_value(args, "--engram-config"))
    told = config.get("cpu_offload")
    if isinstance(told, bool):
        return told
    dotted = _value(args, "--engram-config.cpu_offload").lower()
    if dotted in ("true", "false"):
        return dotted == "true"
    # A place that was chosen and could not be passed on. (Read from files they are neither here nor there.)
    unheard = not config and not plugin and request.traits.tables and request.options.ple in ("ram", "disk")
    return True if unheard else None


def version_of(text: str) -> tuple[int, ...]:
    """ "0.32.0+cpu" as (0, 32, 0); () for what is no version."""
    numbers = text.partition("+")[0].split(".")[:3]
    return tuple(int(part) for part in numbers) if all(part.isdecimal() for part in numbers) else ()


def _values(args: Sequence[str], flag: str) -> tuple[str, ...]:
    """All values after a flag, up to the next one; of several the last, as vLLM reads them."""
    for index in reversed(range(len(args))):
        name, equals, value = args[index].partition("=")
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


def _gib(count: object) -> float:
    return count / GIB if isinstance(count, int | float) else 0.0


def _object(value: object) -> dict[str, Any]:
    """A JSON object, written or read; {} for anything else."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
