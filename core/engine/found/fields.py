"""Real flags that have a place of their own among the options: what their values become, and numbers as people write
them. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from core.engine.capabilities.model import Option
from core.engine.option_values import number_type
from core.engine.options import Lora, Speculative

GIB: Final = 1 << 30
_SIZE: Final = re.compile(r"\s*(\d+(?:[.,]\d+)?)\s*([a-zA-Z]*)\s*\Z")
_UNITS: Final[Mapping[str, float]] = {
    "": 1.0, "g": 1.0, "gib": 1.0, "gi": 1.0, "gb": 1e9 / GIB, "m": 1 / 1024, "mib": 1 / 1024, "mb": 1e6 / GIB,
    "t": 1024.0, "tib": 1024.0, "tb": 1e12 / GIB,
}  # fmt: skip
_COUNT: Final = re.compile(r"(\d+(?:\.\d+)?)([kKmMgGtT]?)\Z")
_SCALE: Final[Mapping[str, int]] = {
    "": 1, "k": 1000, "K": 1024, "m": 10**6, "M": 1 << 20, "g": 10**9, "G": 1 << 30, "t": 10**12, "T": 1 << 40,
}  # fmt: skip
_PERCENT: Final = re.compile(r"(\d+(?:[.,]\d+)?)\s*%\Z")
_THOUSANDS: Final = re.compile(r"\d{1,3}(?:[,' ]\d{3})+\Z")
_DECIMAL_COMMA: Final = re.compile(r"\d+,\d+\Z")
_IN_GIB: Final = frozenset(("--cpu-offload-gb", "--kv-offloading-size", "--swap-space"))
_IN_BYTES: Final = "--kv-cache-memory-bytes"
_SHARE: Final = "--gpu-memory-utilization"


@dataclass
class Wishes:
    """What the flags asked for, by the names of `Choices`, `Tuning`, `LaunchOptions`, `OffloadShape`, `PromptCache`."""

    context: int | None = None
    eager: bool | None = None
    tuning: dict[str, Any] = field(default_factory=dict[str, Any])
    options: dict[str, Any] = field(default_factory=dict[str, Any])
    offload: dict[str, Any] = field(default_factory=dict[str, Any])
    cache: dict[str, Any] = field(default_factory=dict[str, Any])


def size_gib(text: str) -> float | None:
    """GiB of "40GB" (decimal), "40GiB", "40g" or "40"; None when it is no size."""
    match = _SIZE.match(text)
    unit = _UNITS.get(match[2].lower()) if match else None
    return round(float(match[1].replace(",", ".")) * unit, 2) if match and unit else None


def count(text: str) -> int | None:
    """Tokens of "32k" (32,000), "32K" (32,768) or "32768", as vLLM reads them; None for anything else."""
    match = _COUNT.match(text)
    return int(float(match[1]) * _SCALE[match[2]]) if match else None


def share(text: str) -> float | None:
    """A share of the card above 0 and up to 1; None for anything else."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 < value <= 1 else None


def bare_number(text: str, option: Option) -> str | None:
    """A number as vLLM reads it, of one as people write it ("40GB", "90%", "32,768", "0,9"); None where it stays."""
    kind = number_type(option)
    if not kind:
        return None
    if option.flag == _SHARE and (match := _PERCENT.match(text)):
        return f"{float(match[1].replace(',', '.')) / 100:g}"
    if kind == "float" and _DECIMAL_COMMA.match(text):
        return text.replace(",", ".")
    if kind == "int" and _THOUSANDS.match(text):
        return re.sub(r"\D", "", text)
    size = size_gib(text) if re.search(r"[a-zA-Z]", text) else None
    if size is not None and option.flag in _IN_GIB:
        return f"{size:g}"
    if size is not None and option.flag == _IN_BYTES and text[-1] in "bBi":
        return str(int(size * GIB))
    return None


# ---- from a flag to a field ------------------------------------------------------------------------------------------

Take = Callable[[Wishes, tuple[str, ...]], bool]


def _into(target: str, name: str, convert: Callable[[str], Any] = str) -> Take:
    def take(wishes: Wishes, values: tuple[str, ...]) -> bool:
        value = convert(values[0])
        if value is None:
            return False
        getattr(wishes, target)[name] = value
        return True

    return take


def _fixed(target: str, name: str, value: object) -> Take:
    def take(wishes: Wishes, values: tuple[str, ...]) -> bool:
        getattr(wishes, target)[name] = value
        return True

    return take


def _context(wishes: Wishes, values: tuple[str, ...]) -> bool:
    tokens = count(values[0])
    wishes.context = tokens or wishes.context
    return bool(tokens)


def _eager(wishes: Wishes, values: tuple[str, ...]) -> bool:
    wishes.eager = True
    return True


def _not_eager(wishes: Wishes, values: tuple[str, ...]) -> bool:
    wishes.eager = False
    return True


def _params(wishes: Wishes, values: tuple[str, ...]) -> bool:
    wishes.offload["params"] = values
    return True


def _nothing(wishes: Wishes, values: tuple[str, ...]) -> bool:
    return True


def _positive(text: str) -> int | None:
    return number if (number := int(text)) > 0 else None


def _seed(text: str) -> int | None:
    """What the field can hold; another one stays among the extra words."""
    return number if 0 <= (number := int(text)) < 1 << 31 else None


def _amount(text: str) -> float | None:
    return number if 0 <= (number := float(text)) < 1 << 20 else None


def _loras(wishes: Wishes, values: tuple[str, ...]) -> bool:
    """`NAME=PATH`, or an object with "name" and "path"."""
    found: list[Lora] = []
    for value in values:
        name, _, path = value.partition("=")
        told: dict[str, Any] = json.loads(value) if value.lstrip().startswith("{") else {"name": name, "path": path}
        if set(told) != {"name", "path"} or not all(isinstance(each, str) and each for each in told.values()):
            return False
        found.append(Lora(told["name"], told["path"]))
    wishes.options["loras"] = tuple(found)
    return True


def _speculative(wishes: Wishes, values: tuple[str, ...]) -> bool:
    """What the option of its own can say; an object with more in it stays as it is."""
    raw: Any = json.loads(values[0])
    names = {"method": str, "num_speculative_tokens": int, "model": str, "prompt_lookup_max": int}
    if not isinstance(raw, dict) or not {"method", "num_speculative_tokens"} <= set(cast("dict[str, Any]", raw)):
        return False
    told = cast("dict[str, Any]", raw)
    if any(not isinstance(value, names.get(name, ())) for name, value in told.items()):
        return False
    wishes.options["speculative"] = Speculative(
        told["method"], told["num_speculative_tokens"], told.get("model", ""), told.get("prompt_lookup_max", 0)
    )
    return True


def _multimodal(wishes: Wishes, values: tuple[str, ...]) -> bool:
    """`{"image": 2}`, or the older `image=2,video=1`."""
    text = values[0]
    pairs: Any = json.loads(text) if text.lstrip().startswith("{") else None
    if pairs is None:
        pairs = {name: int(number) for name, _, number in (part.partition("=") for part in text.split(","))}
    if not isinstance(pairs, dict):
        return False
    limits = cast("dict[str, Any]", pairs)
    if not all(type(limit) is int and limit >= 0 for limit in limits.values()):
        return False
    wishes.options["multimodal"] = tuple(limits.items())
    return True


FIELDS: Final[Mapping[str, Take]] = {
    "--max-model-len": _context,
    "--enforce-eager": _eager,
    "--no-enforce-eager": _not_eager,
    "--max-num-seqs": _into("tuning", "max_num_seqs", _positive),
    "--max-num-batched-tokens": _into("tuning", "max_num_batched_tokens", count),
    "--kv-cache-dtype": _into("tuning", "kv_cache_dtype"),
    "--cpu-offload-gb": _into("tuning", "cpu_offload_gib", _amount),
    "--gpu-memory-utilization": _into("tuning", "gpu_memory_utilization", share),
    "--kv-cache-memory-bytes": _into("options", "kv_cache_bytes", count),
    "--dtype": _into("options", "dtype"),
    "--quantization": _into("options", "quantization"),
    "--load-format": _into("options", "load_format"),
    "--served-model-name": _into("options", "served_name"),
    "--seed": _into("options", "seed", _seed),
    "--chat-template": _into("options", "chat_template"),
    "--reasoning-parser": _into("options", "reasoning_parser"),
    "--tool-call-parser": _into("options", "tool_parser"),
    "--enable-auto-tool-choice": _nothing,
    "--tensor-parallel-size": _into("options", "tensor_parallel", _positive),
    "--pipeline-parallel-size": _into("options", "pipeline_parallel", _positive),
    "--enable-prefix-caching": _fixed("options", "prefix_caching", True),
    "--no-enable-prefix-caching": _fixed("options", "prefix_caching", False),
    "--async-scheduling": _fixed("options", "async_scheduling", True),
    "--no-async-scheduling": _fixed("options", "async_scheduling", False),
    "--language-model-only": _fixed("options", "text_only", True),
    "--enable-log-requests": _fixed("options", "log_requests", True),
    "--lora-modules": _loras,
    "--max-lora-rank": _into("options", "max_lora_rank", _positive),
    "--speculative-config": _speculative,
    "--limit-mm-per-prompt": _multimodal,
    "--cpu-offload-params": _params,
    "--offload-group-size": _into("offload", "group_size", int),
    "--offload-num-in-group": _into("offload", "num_in_group", _positive),
    "--offload-prefetch-step": _into("offload", "prefetch_step", _positive),
    "--kv-offloading-size": _into("cache", "ram_gib", _amount),
    "--kv-offloading-backend": _nothing,
}
# Of these a value that says nothing sensible is no matter for the extra words either.
NUMBERS: Final = frozenset(
    ("--max-num-seqs", "--cpu-offload-gb", "--gpu-memory-utilization", "--tensor-parallel-size",
     "--pipeline-parallel-size", "--kv-offloading-size")
)  # fmt: skip
