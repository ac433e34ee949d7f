"""A checkpoint as the planner sees it: what its config and the headers of its files say, and what they do not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from core.checkpoint.caches import CacheLayer
from core.checkpoint.config import Config, parse_config
from core.checkpoint.families import generic
from core.checkpoint.families.registry import FAMILIES, UNCHECKED, Family
from core.checkpoint.fields import Fields, Unreadable
from core.checkpoint.inventory import Inventory
from core.checkpoint.quantization.declared import Quantization, read_quantization
from core.checkpoint.rope import ContextLimit, context_limit
from core.checkpoint.tensors import Builder
from core.checkpoint.weights_on_disk import WeightsOnDisk
from core.errors import AppError

# config/model.py _FLOAT16_NOT_SUPPORTED_MODELS of vLLM 0.32.
_NO_FLOAT16: Final = frozenset(("gemma2", "gemma3", "gemma3_text", "glm4"))
BFLOAT16_FROM: Final = (8, 0)


@dataclass(frozen=True, slots=True, eq=False)
class Checkpoint:
    """`reasons`: why its numbers are estimates, empty when they follow vLLM's own; `assumed`: values that the config
    leaves to the defaults of its class; `disk`: what the files' headers say, None without files."""

    config: Config
    quantization: Quantization
    family: Family
    context: ContextLimit
    reasons: tuple[str, ...] = ()
    assumed: Mapping[str, Any] = field(default_factory=dict[str, Any])
    disk: WeightsOnDisk | None = None

    @property
    def known(self) -> bool:
        return not isinstance(self.family, generic.Generic)

    def dtype(self, wanted: str = "auto", capability: tuple[int, int] | None = BFLOAT16_FROM) -> str:
        """The dtype that vLLM would run it in (`_resolve_auto_dtype`); float32 checkpoints come down to 16 bits."""
        preferred = "bfloat16" if capability is None or capability >= BFLOAT16_FROM else "float16"
        if wanted in ("half", "float16", "bfloat16", "float32", "float"):
            return {"half": "float16", "float": "float32"}.get(wanted, wanted)
        declared = self.config.dtype or "float32"
        if declared == "float32" or (declared == "bfloat16" and preferred == "float16"):
            declared = preferred
        if declared == "float16" and self.config.model_type in _NO_FLOAT16:
            return "bfloat16" if preferred == "bfloat16" else "float32"
        return declared

    def inventory(self, dtype: str, tp: int = 1) -> Inventory:
        """The tensors of one rank.

        Raises:
            Unreadable: the config lacks what they depend on, or `tp` does not divide it.
        """
        return _inventory(self.config, self.quantization, self.family, dtype, tp)

    def caches(self, tp: int = 1) -> tuple[CacheLayer, ...]:
        """The cache of every layer on one rank. Raises `Unreadable` as above."""
        return _caches(self.config, self.family, tp)


@lru_cache(maxsize=256)
def _inventory(config: Config, quantization: Quantization, family: Family, dtype: str, tp: int) -> Inventory:
    """By the identity of its parts: checkpoints that share them share this."""
    builder = Builder(dtype, quantization, tp)
    family.tensors(config, builder)
    return Inventory(builder.finish(), builder.bytes_per_batched_token)


@lru_cache(maxsize=256)
def _caches(config: Config, family: Family, tp: int) -> tuple[CacheLayer, ...]:
    return family.caches(config, tp)


def read_checkpoint(
    config: object,
    *,
    quant_file: Mapping[str, Any] | None = None,
    tokenizer_limit: int | None = None,
    disk: WeightsOnDisk | None = None,
) -> Checkpoint:
    """Args: `config` the decoded `config.json`; the rest what lies beside it, where it is known.

    Raises:
        AppError: `model.not_a_checkpoint` when `config` is no JSON object.
    """
    if not isinstance(config, Mapping):
        raise AppError("model.not_a_checkpoint", f"config.json holds a {type(config).__name__}", missing="config.json")
    parsed = parse_config(config, quant_file, disk.main_dtype if disk else "")  # pyright: ignore[reportUnknownArgumentType]
    problems: list[str] = []
    quantization = read_quantization(parsed.quantization, problems, disk.quantized if disk else None)
    family = FAMILIES.get(parsed.architecture)
    reasons = [*([quantization.unknown] if quantization.unknown else [])]
    if family is None:
        reasons.append(f"the architecture {parsed.architecture or '(none named)'} is not modelled")
        family = generic.Generic()
    elif parsed.architecture in UNCHECKED:
        reasons.append(UNCHECKED[parsed.architecture])
    draft = Checkpoint(parsed, quantization, family, context_limit(parsed, tokenizer_limit), disk=disk)
    reasons += _probe(draft)
    return Checkpoint(
        parsed,
        quantization,
        family,
        draft.context,
        tuple(dict.fromkeys((*reasons, *problems, *parsed.problems))),
        _assumed(parsed.text),
        disk,
    )


def _probe(checkpoint: Checkpoint) -> list[str]:
    """Read everything once, so that a plan knows beforehand what it cannot know."""
    found: list[str] = []
    for read in (lambda: checkpoint.inventory(checkpoint.dtype()), lambda: checkpoint.caches()):
        try:
            read()
        except Unreadable as error:
            found.append(str(error))
    return list(dict.fromkeys(found))


def _assumed(text: Fields) -> dict[str, Any]:
    return {name: value for name, value in text.assumed.items() if not isinstance(value, (list, bool))}
