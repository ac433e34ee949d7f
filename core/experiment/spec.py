"""What is compared: one model, two sets of options, one set of prompts."""

from __future__ import annotations

import enum
import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from core.engine.found.translate import Found, count
from core.errors import AppError
from core.planning.choices import Choices
from core.planning.found_choices import with_found
from core.planning.hardware import CardMemory

PROMPTS: Final = (
    "What is the capital of France? Answer in one sentence.",
    "Explain in three sentences why the sky is blue.",
    "Write a short story about a lighthouse keeper who finds a letter.",
)
MAX_TOKENS: Final = 64
REPEATS: Final = 3
MOST_REPEATS: Final = 50
SPACE_ENV: Final = "VLLM_CPU_KVCACHE_SPACE"
# What the comparison itself decides, or what would be a secret in a report.
RESERVED: Final = ("--model", "--served-model-name", "--host", "--port", "--api-key", "--hf-token", "--config")


class Order(enum.StrEnum):
    """`ABBA` starts each twice, so that what drifts with time (warmth, other programs) hits both alike."""

    AB = "AB"
    ABBA = "ABBA"


@dataclass(frozen=True, slots=True)
class Variant:
    """One side. `label` "A" or "B"; `text` the options as they were typed."""

    label: str
    text: str
    choices: Choices


@dataclass(frozen=True, slots=True)
class Comparison:
    """`repeats`: how often each prompt is asked in each launch, after one round that is not counted (it fills the
    prefix cache and compiles what is compiled late). Answers are greedy and end after `max_tokens`."""

    model: str
    a: Variant
    b: Variant
    engine: str | None = None
    prompts: tuple[str, ...] = PROMPTS
    repeats: int = REPEATS
    order: Order = Order.AB
    max_tokens: int = MAX_TOKENS

    @property
    def runs(self) -> tuple[Variant, ...]:
        """The launches in their order."""
        return tuple(self.a if letter == "A" else self.b for letter in self.order)


def variant(label: str, text: str, base: Choices) -> Variant:
    """Options as on vLLM's command line, put on top of `base`, for an engine whose source cannot be read: the few that
    the plan needs are taken, others are passed on.

    Raises:
        AppError: `compare.bad_option` for what cannot be read, `compare.reserved_option`.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise AppError("compare.bad_option", option=text, reason=str(error)) from error
    choices, extra = base, list[str]()
    rest = iter(words)
    for word in rest:
        name, joined, value = word.partition("=")
        if name in RESERVED:
            raise AppError("compare.reserved_option", option=name)
        if name == SPACE_ENV or name in _VALUES:
            value = value if joined else next(rest, "")
            choices = replace(choices, **_read(name, value))
        elif word in _SWITCHES:
            choices = replace(choices, enforce_eager=_SWITCHES[word])
        else:
            extra.append(word)
    return Variant(label, text, replace(choices, more=replace(choices.more, extra=tuple(extra))))


def read_variant(label: str, text: str, base: Choices, found: Found, card: CardMemory | None = None) -> Variant:
    """The same, read as the engine itself would: options that have a field get there.

    Args:
        found: what `options.read_flags` makes of `text`.
        card: of which `--gpu-memory-utilization` is a share.

    Raises:
        AppError: `compare.bad_option`, `compare.reserved_option`, or what the engine refuses (`option.*`).
    """
    plain = variant(label, text, base)  # what cannot be compared, and the space of a CPU engine
    for remark in found.remarks:
        if remark.error is not None:
            raise AppError(remark.error.code, remark.error.detail, **remark.error.facts)
    if found.tuning.gpu_memory_utilization is not None and card is None:
        # Dropped, the comparison would be of a launch with itself.
        raise AppError("compare.bad_option", option="--gpu-memory-utilization", reason="there is no card to share")
    more = replace(found.options, env=tuple(pair for pair in found.options.env if pair[0] != SPACE_ENV))
    choices = with_found(base, replace(found, options=more), card)
    return Variant(label, text, replace(choices, cpu_kv_cache_gib=plain.choices.cpu_kv_cache_gib))


_SWITCHES: Final = {"--enforce-eager": True, "--no-enforce-eager": False}
_VALUES: Final[dict[str, tuple[str, Callable[[str], Any]]]] = {
    "--max-model-len": ("context", count),
    "--max-num-seqs": ("max_num_seqs", int),
    "--max-num-batched-tokens": ("max_num_batched_tokens", int),
    "--kv-cache-dtype": ("kv_cache_dtype", str),
    "--cpu-offload-gb": ("offload_gib", float),
    SPACE_ENV: ("cpu_kv_cache_gib", int),
}


def _read(name: str, value: str) -> dict[str, Any]:
    field, convert = _VALUES[name]
    try:
        read = convert(value)
    except ValueError as error:
        raise AppError("compare.bad_option", option=name, reason=repr(value)) from error
    if value == "" or read is None or (not isinstance(read, str) and read <= 0):
        raise AppError("compare.bad_option", option=name, reason=repr(value))
    return {field: read}
