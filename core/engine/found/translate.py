"""From what was pasted to the options of this build, with a word about everything that is not taken as it stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from core.engine.arguments import Argument
from core.engine.capabilities.model import Capabilities
from core.engine.extra_args import OURS, SECRETS, check_extra, closest
from core.engine.found.myths import FLAGS, VARIABLES, Myth
from core.engine.found.text import Pasted, read_text
from core.engine.options import LaunchOptions, OffloadShape, PromptCache, Tuning
from core.errors import AppError, Fact
from core.events import ErrorInfo

GIB: Final = 1 << 30
_SIZE: Final = re.compile(r"\s*(\d+(?:[.,]\d+)?)\s*([a-zA-Z]*)\s*\Z")
_UNITS: Final[Mapping[str, float]] = {
    "": 1.0, "g": 1.0, "gib": 1.0, "gi": 1.0, "gb": 1e9 / GIB, "m": 1 / 1024, "mib": 1 / 1024, "mb": 1e6 / GIB,
    "t": 1024.0, "tib": 1024.0, "tb": 1e12 / GIB,
}  # fmt: skip
_COUNT: Final = re.compile(r"(\d+(?:\.\d+)?)([kKmMgGtT]?)\Z")
_SCALE: Final = {
    "": 1,
    "k": 1000,
    "K": 1024,
    "m": 10**6,
    "M": 1 << 20,
    "g": 10**9,
    "G": 1 << 30,
    "t": 10**12,
    "T": 1 << 40,
}


@dataclass(frozen=True, slots=True)
class Remark:
    """About one flag or variable. `id` names its words (terms, "found_flag"), which may use `facts`; for "refused"
    they are those of `error`."""

    flag: str
    id: str
    facts: dict[str, Fact] = field(default_factory=dict[str, Fact])
    error: ErrorInfo | None = None


@dataclass(frozen=True, slots=True)
class Taken:
    """A flag that this build has. `own`: it became one of the options; else it stays as it is."""

    argument: Argument
    own: bool


@dataclass(frozen=True, slots=True)
class Found:
    """What was understood; None where nothing was said. `said`: the fields of `options` that were spoken of."""

    model: str
    context: int | None
    enforce_eager: bool | None
    tuning: Tuning
    options: LaunchOptions
    remarks: tuple[Remark, ...]
    taken: tuple[Taken, ...] = ()
    said: frozenset[str] = frozenset()


def translate(text: str, capabilities: Capabilities) -> Found:
    """Raises: AppError: `option.unreadable_text`."""
    return translated(read_text(text), capabilities)


def translated(pasted: Pasted, capabilities: Capabilities) -> Found:
    """What was read already, in the terms of a build."""
    work = _Work(capabilities)
    for name, value in pasted.env.items():
        work.variable(name, value)
    for argument in pasted.arguments:
        work.argument(argument)
    return work.found(pasted)


@dataclass
class _Work:
    capabilities: Capabilities
    context: int | None = None
    eager: bool | None = None
    tuning: dict[str, Any] = field(default_factory=dict[str, Any])
    options: dict[str, Any] = field(default_factory=dict[str, Any])
    offload: dict[str, Any] = field(default_factory=dict[str, Any])
    cache: dict[str, Any] = field(default_factory=dict[str, Any])
    extra: list[str] = field(default_factory=list[str])
    env: dict[str, str] = field(default_factory=dict[str, str])
    remarks: list[Remark] = field(default_factory=list[Remark])
    taken: list[Taken] = field(default_factory=list[Taken])

    def found(self, pasted: Pasted) -> Found:
        options = LaunchOptions(
            **self.options,
            offload=OffloadShape(**self.offload),
            prompt_cache=PromptCache(**self.cache),
            extra=tuple(self.extra),
            env=tuple(sorted(self.env.items())),
        )
        said = {*self.options} | {name for name in ("offload", "cache") if getattr(self, name)}
        return Found(
            pasted.model,
            self.context,
            self.eager,
            Tuning(**self.tuning),
            options,
            tuple(self.remarks),
            tuple(self.taken),
            frozenset("prompt_cache" if name == "cache" else name for name in said),
        )

    def remark(self, flag: str, name: str, **facts: Fact) -> None:
        self.remarks.append(Remark(flag, name, facts))

    # ---- variables -------------------------------------------------------------------------------------------------

    def variable(self, name: str, value: str) -> None:
        known = name in self.capabilities.environment
        if name in VARIABLES and not known:
            self._myth(name, VARIABLES[name], (value,) if value else ())
        elif re.search(r"TOKEN|SECRET|KEY", name):
            self.remark(name, "secret")
        elif not known and name.startswith("VLLM_"):
            close = closest(name, self.capabilities.environment)
            self.remark(name, "unknown_variable", close=close or None)
        else:
            self.env[name] = value

    # ---- flags -----------------------------------------------------------------------------------------------------

    def argument(self, argument: Argument) -> None:
        flag = argument.flag
        real = self.capabilities.option(flag.partition(".")[0])
        if real is None and flag in FLAGS:
            self._myth(flag, FLAGS[flag], argument.values)
        elif flag == "--swap-space" or (real is not None and real.flag == "--swap-space"):
            self._myth(flag, FLAGS["--swap-space"], argument.values)
        elif flag in SECRETS or flag in OURS:
            self.remark(flag, "secret" if flag in SECRETS else "ours")
        else:
            self._real(self._mended(argument))

    def _myth(self, flag: str, myth: Myth, values: tuple[str, ...]) -> None:
        value = values[0] if values else ""
        facts: dict[str, Fact] = {"value": value or None, "gib": None}
        gib = size_gib(value)
        if myth.means == "offload" and gib is not None:
            self.tuning["cpu_offload_gib"] = facts["gib"] = gib
        elif myth.means == "swap" and gib is not None:
            self.cache["ram_gib"] = facts["gib"] = gib
        elif myth.means == "context":
            self.context = count(value) or self.context
        elif myth.means == "seqs" and count(value):
            self.tuning["max_num_seqs"] = count(value)
        elif myth.means == "utilization" and 0 < (_float(value) or 0) <= 1:
            self.tuning["gpu_memory_utilization"] = _float(value)
        elif myth.means in ("ram_tables", "disk_tables") and value not in ("0", "false"):
            self.options["ple"] = "ram" if myth.means == "ram_tables" else "disk"
        self.remarks.append(Remark(flag, myth.id, facts))

    def _mended(self, argument: Argument) -> Argument:
        """Shortened names in full, switches without their values, lists without commas; each with a remark."""
        flag, values = argument.flag, argument.values
        spellings = self.capabilities.by_spelling
        base, dot, rest = flag.partition(".")
        longer = [name for name in spellings if name.startswith(base)] if base not in spellings else []
        if len(longer) == 1 and base.startswith("--"):
            self.remark(flag, "abbreviated", full=longer[0])
            flag = longer[0] + dot + rest
        option = spellings.get(flag)
        if option is not None and option.kind == "switch" and values and values[0].lower() in ("true", "false"):
            off = values[0].lower() == "false"
            self.remark(flag, "switch_value", written=option.negative if off else option.flag)
            return Argument(option.negative if off else option.flag)
        if flag in ("--cpu-offload-params", "--offload-params") and len(values) == 1 and "," in values[0]:
            self.remark(flag, "commas", value=values[0])
            return Argument(flag, tuple(part.strip() for part in values[0].split(",") if part.strip()))
        return Argument(flag, values)

    def _real(self, argument: Argument) -> None:
        try:
            (checked,) = check_extra(argument.words, self.capabilities)
        except AppError as error:
            self.remarks.append(Remark(argument.flag, "refused", {}, ErrorInfo.of(error)))
            return
        noop = self.capabilities.ignored(checked.flag)
        if noop is not None:
            self.remark(checked.flag, "ignored", why=noop.id)
        take = _FIELDS.get(checked.flag)
        try:
            taken = take is not None and take(self, checked.values)
        except ValueError:
            taken = False
        self.taken.append(Taken(checked, taken))
        if not taken:
            self.extra += checked.words


def size_gib(text: str) -> float | None:
    """GiB of "40GB" (decimal), "40GiB", "40g" or "40"; None when it is no size."""
    match = _SIZE.match(text)
    unit = _UNITS.get(match[2].lower()) if match else None
    return round(float(match[1].replace(",", ".")) * unit, 2) if match and unit else None


def count(text: str) -> int | None:
    """Tokens of "32k" (32,000), "32K" (32,768) or "32768", as vLLM reads them; None for anything else."""
    match = _COUNT.match(text)
    return int(float(match[1]) * _SCALE[match[2]]) if match else None


def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


# ---- real flags that have a place of their own -----------------------------------------------------------------------

_Take = Callable[[_Work, tuple[str, ...]], bool]


def _into(target: str, name: str, convert: Callable[[str], Any] = str) -> _Take:
    def take(work: _Work, values: tuple[str, ...]) -> bool:
        value = convert(values[0])
        if value is None:
            return False
        getattr(work, target)[name] = value
        return True

    return take


def _fixed(target: str, name: str, value: object) -> _Take:
    def take(work: _Work, values: tuple[str, ...]) -> bool:
        getattr(work, target)[name] = value
        return True

    return take


def _context(work: _Work, values: tuple[str, ...]) -> bool:
    work.context = count(values[0])
    return work.context is not None


def _eager(work: _Work, values: tuple[str, ...]) -> bool:
    work.eager = True
    return True


def _not_eager(work: _Work, values: tuple[str, ...]) -> bool:
    work.eager = False
    return True


def _params(work: _Work, values: tuple[str, ...]) -> bool:
    work.offload["params"] = values
    return True


def _nothing(work: _Work, values: tuple[str, ...]) -> bool:
    return True


_FIELDS: Final[Mapping[str, _Take]] = {
    "--max-model-len": _context,
    "--enforce-eager": _eager,
    "--no-enforce-eager": _not_eager,
    "--max-num-seqs": _into("tuning", "max_num_seqs", int),
    "--max-num-batched-tokens": _into("tuning", "max_num_batched_tokens", count),
    "--kv-cache-dtype": _into("tuning", "kv_cache_dtype"),
    "--cpu-offload-gb": _into("tuning", "cpu_offload_gib", float),
    "--gpu-memory-utilization": _into("tuning", "gpu_memory_utilization", float),
    "--kv-cache-memory-bytes": _into("options", "kv_cache_bytes", count),
    "--dtype": _into("options", "dtype"),
    "--quantization": _into("options", "quantization"),
    "--load-format": _into("options", "load_format"),
    "--served-model-name": _into("options", "served_name"),
    "--seed": _into("options", "seed", int),
    "--chat-template": _into("options", "chat_template"),
    "--reasoning-parser": _into("options", "reasoning_parser"),
    "--tool-call-parser": _into("options", "tool_parser"),
    "--enable-auto-tool-choice": _nothing,
    "--tensor-parallel-size": _into("options", "tensor_parallel", int),
    "--pipeline-parallel-size": _into("options", "pipeline_parallel", int),
    "--enable-prefix-caching": _fixed("options", "prefix_caching", True),
    "--no-enable-prefix-caching": _fixed("options", "prefix_caching", False),
    "--async-scheduling": _fixed("options", "async_scheduling", True),
    "--no-async-scheduling": _fixed("options", "async_scheduling", False),
    "--language-model-only": _fixed("options", "text_only", True),
    "--enable-log-requests": _fixed("options", "log_requests", True),
    "--max-lora-rank": _into("options", "max_lora_rank", int),
    "--cpu-offload-params": _params,
    "--offload-group-size": _into("offload", "group_size", int),
    "--offload-num-in-group": _into("offload", "num_in_group", int),
    "--offload-prefetch-step": _into("offload", "prefetch_step", int),
    "--kv-offloading-size": _into("cache", "ram_gib", float),
    "--kv-offloading-backend": _nothing,
}
