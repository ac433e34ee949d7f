"""Rotary position tables: how long a context they allow and how many rows vLLM keeps of them.

Sources: vLLM 0.33 `model_executor/layers/rotary_embedding/`, `config/model.py` `_get_and_verify_max_len`;
transformers 5.19 `modeling_rope_utils.py` (`rope_scaling` + `rope_theta` became `rope_parameters`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from core.checkpoint.config import Config
from core.checkpoint.fields import Fields

CONTEXT_KEYS: Final = (
    "max_position_embeddings",
    "n_positions",
    "max_seq_len",
    "seq_length",
    "max_target_positions",
    "max_sequence_length",
    "max_seq_length",
    "seq_len",
)
# A context beyond this is a placeholder ("no limit"), not a promise.
NO_LIMIT: Final = 10**8
# These declare max_position_embeddings with the scaling already in it.
_ALREADY_SCALED: Final = frozenset(
    ("su", "longrope", "llama3", "yarn", "deepseek_yarn", "deepseek_llama_scaling", "default", "mrope", "proportional")
)
ASSUMED_CONTEXT: Final = 2048


@dataclass(frozen=True, slots=True)
class Rope:
    """One set of rope parameters. `theta` tells two tables of the same shape apart."""

    kind: str
    factor: float | None
    original: int | None
    partial: float
    theta: float

    def rows(self, positions: int) -> int:
        """Rows of the cos/sin cache for a model of `positions` (its max_position_embeddings)."""
        if self.kind in ("yarn", "deepseek_yarn", "deepseek_llama_scaling") and self.factor:
            return math.ceil((self.original or positions) * self.factor)
        if self.kind == "linear" and self.factor:
            return math.ceil(positions * self.factor)
        if self.kind == "longrope":
            return (self.original or positions) + positions
        return positions

    def width(self, head_size: int) -> int:
        return head_size if self.kind == "proportional" else int(head_size * self.partial)


def read_rope(config: Config, layer_type: str = "", partial: float = 1.0) -> Rope:
    """The parameters for a layer type ("full_attention"); for one without an entry those of the whole model.

    Args: `partial` the share of a head that is rotated when the config does not say.
    """
    text = config.text
    nested = _nested(text)
    values = nested.get(layer_type) if nested else None
    source = values if values is not None else _flat(text, nested)
    fields = Fields(source)
    kind = fields.text("rope_type", "type") or "default"
    original = fields.integer("original_max_position_embeddings", minimum=1) or text.integer(
        "original_max_position_embeddings", minimum=1
    )
    share = fields.number("partial_rotary_factor", default=None)
    if share is None:
        share = text.number("partial_rotary_factor", "rotary_pct", "rotary_emb_fraction", default=partial)
    factor = fields.number("factor")
    if kind == "longrope" and original is None:
        original = text.integer("max_position_embeddings", minimum=1)
    return Rope(
        kind="longrope" if kind == "su" else kind,
        factor=factor if factor is None or factor > 0 else None,
        original=original,
        partial=share if share is not None and 0 < share <= 1 else 1.0,
        theta=fields.number("rope_theta", default=None) or text.number("rope_theta", default=10000.0) or 10000.0,
    )


def _nested(text: Fields) -> dict[str, Mapping[str, Any]]:
    """Parameters by layer type, when they are given so."""
    found = text.mapping("rope_parameters") or {}
    parts = {name: cast("Mapping[str, Any]", value) for name, value in found.items() if isinstance(value, Mapping)}
    return {name: value for name, value in parts.items() if name.endswith("_attention")}


def _flat(text: Fields, nested: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
    if nested:
        return next(iter(nested.values()))
    return {**(text.mapping("rope_scaling") or {}), **(text.mapping("rope_parameters") or {})}


@dataclass(frozen=True, slots=True)
class ContextLimit:
    """The longest context vLLM accepts without VLLM_ALLOW_LONG_MAX_MODEL_LEN.

    `tokens`: the limit; `default`: what vLLM takes when no `--max-model-len` is given; `key`: the config key behind it,
    "" when the config names none and vLLM assumes 2048 unless told otherwise (then any length is accepted).
    """

    tokens: int
    default: int
    key: str


def context_limit(config: Config, tokenizer_limit: int | None = None) -> ContextLimit:
    """`tokenizer_limit`: `model_max_length` of the tokenizer; a placeholder above 10**8 is ignored."""
    limit, key = _stated_limit(config.text)
    if not key:
        limit, key = _stated_limit(config.root)
    if tokenizer_limit is not None and 0 < tokenizer_limit <= NO_LIMIT and key and tokenizer_limit < limit:
        limit, key = tokenizer_limit, "model_max_length of the tokenizer"
    if not key:
        return ContextLimit(NO_LIMIT, ASSUMED_CONTEXT, "")
    scaling = 1.0 if "gemma3" in config.model_type else _scaling(config)
    tokens = max(1, int(min(limit * scaling, NO_LIMIT)))
    rope = read_rope(config)
    default = rope.original if rope.kind == "longrope" and rope.original else tokens
    return ContextLimit(tokens, min(default, tokens), key)


def _stated_limit(text: Fields) -> tuple[int, str]:
    override = text.integer("model_max_length", minimum=1)
    if override and override <= NO_LIMIT:
        return override, "model_max_length"
    found = [(value, key) for key in CONTEXT_KEYS if (value := text.integer(key, minimum=1)) and value <= NO_LIMIT]
    return min(found) if found else (0, "")


def _scaling(config: Config) -> float:
    kinds = [read_rope(config, name) for name in ("full_attention", "sliding_attention")]
    factors = [rope.factor for rope in kinds if rope.factor and rope.kind not in _ALREADY_SCALED]
    return factors[0] if factors else 1.0
