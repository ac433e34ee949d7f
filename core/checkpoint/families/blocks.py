"""Pieces that most decoders share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final

from core.checkpoint.caches import CacheLayer, full, sliding
from core.checkpoint.config import MAX_LAYERS, Config
from core.checkpoint.fields import Fields, Unreadable
from core.checkpoint.quantization.scheme import Experts
from core.checkpoint.rope import Rope, read_rope
from core.checkpoint.tensors import Builder, Part

QKV: Final = ("q_proj", "k_proj", "v_proj")
GATE_UP: Final = ("gate_proj", "up_proj")
# vLLM's names for the heads of older architectures (model_arch_config_convertor.get_total_num_kv_heads).
KV_HEADS: Final = ("n_head_kv", "num_kv_heads", "num_key_value_heads", "multi_query_group_num", "num_attention_groups")
EXPERT_COUNTS: Final = ("num_experts", "moe_num_experts", "n_routed_experts", "num_local_experts")
ACTIVE_EXPERTS: Final = (
    "num_experts_per_tok",
    "num_experts_per_token",
    "top_k_experts",
    "moe_topk",
    "moe_top_k",
    "moe_k",
)


@dataclass(frozen=True, slots=True)
class Dims:
    """The numbers that nearly every decoder has."""

    hidden: int
    layers: int
    heads: int
    kv_heads: int
    head: int
    vocab: int

    @property
    def query(self) -> int:
        return self.heads * self.head


def stated(fields: Fields, name: str) -> int:
    """A number that the config itself must give: without it nothing can be said.

    Raises:
        Unreadable: the config does not give it, or no usable one.
    """
    if not fields.stated(name):
        raise Unreadable(f"config.json gives no {name}")
    return fields.need(name)


def layer_count(fields: Fields) -> int:
    layers = stated(fields, "num_hidden_layers")
    if layers > MAX_LAYERS:
        raise Unreadable(f"num_hidden_layers is {layers}: no model has that many")
    return layers


def dims(c: Config, layers: int = 0) -> Dims:
    """Args: `layers` where the config gives their number in another way."""
    text = c.text
    hidden = stated(text, "hidden_size")
    heads = text.need("num_attention_heads")
    head = text.integer("head_dim", "hidden_size_per_head", minimum=1) or hidden // heads
    if head == 0:
        raise Unreadable("the attention heads have no size")
    return Dims(
        hidden,
        layers or layer_count(text),
        heads,
        text.integer(*KV_HEADS, minimum=1) or heads,
        head,
        text.need("vocab_size"),
    )


def window(text: Fields) -> int:
    """The sliding window in tokens; 0 for none (vLLM reads 0 and null alike)."""
    return text.integer("sliding_window") or 0


def layer_types(c: Config, layers: int, pattern: Callable[[int], str]) -> tuple[str, ...]:
    """The types named in the config, or those that its class derives by `pattern`."""
    named = c.text.strings("layer_types")
    if not named:
        return tuple(pattern(index) for index in range(layers))
    if len(named) < layers:
        raise Unreadable(f"layer_types names {len(named)} of {layers} layers")
    return named[:layers]


def every(count: int, other: str = "sliding_attention") -> Callable[[int], str]:
    """Full attention in each `count`-th layer, `other` in the rest."""
    return lambda index: other if count <= 0 or (index + 1) % count else "full_attention"


def uniform_window(c: Config) -> int:
    """The window of a model whose layers are all alike: vLLM applies `sliding_window` to every layer when no layer
    types are named or all of them slide (engine/arg_utils.py)."""
    named = c.text.strings("layer_types")
    if named and any(kind != "sliding_attention" for kind in named):
        return 0
    return window(c.text)


def caches_by_type(d: Dims, types: Sequence[str], span: int, tp: int) -> tuple[CacheLayer, ...]:
    whole, part = full(d.kv_heads, d.head, tp), sliding(d.kv_heads, d.head, tp, span)
    return tuple(part if kind == "sliding_attention" and span else whole for kind in types)


def qkv(b: Builder, path: str, d: Dims, *, bias: bool = False, gate: bool = False, head_v: int = 0) -> None:
    """The fused projection; `gate` doubles the queries (gated attention). `path` is that of the projection."""
    query = b.split(d.heads, "num_attention_heads") * d.head * (2 if gate else 1)
    heads = max(1, d.kv_heads // b.tp)
    if d.kv_heads > b.tp:
        heads = b.split(d.kv_heads, "num_key_value_heads")
    b.linear(path, d.hidden, (query, heads * d.head, heads * (head_v or d.head)), QKV, bias=bias)


def gated_mlp(b: Builder, path: str, hidden: int, inner: int, *, bias: bool = False) -> None:
    b.column(f"{path}.gate_up_proj", hidden, (inner, inner), GATE_UP, bias=bias)
    b.row(f"{path}.down_proj", inner, hidden, bias=bias)


def routed(b: Builder, path: str, count: int, hidden: int, inner: int, *, gated: bool = True, alias: str = "") -> None:
    b.experts(path, Experts(count, hidden, inner, gated), alias=alias)


def layer(b: Builder) -> AbstractContextManager[None]:
    """Everything within is part of a decoder layer, which `--cpu-offload-gb` may move."""
    return b.within(Part.LAYERS, offloadable=True)


def positions(c: Config) -> int:
    return c.text.integer("max_position_embeddings", minimum=1) or 8192


def rope_table(
    b: Builder, c: Config, path: str, head: int, rope: Rope | None = None, dtype: str = "", length: int = 0
) -> None:
    """Args: `length` in positions where it is not max_position_embeddings."""
    found = rope or read_rope(c)
    name = "long_short_cos_sin_cache" if found.kind == "longrope" else "cos_sin_cache"
    b.rope(f"{path}.rotary_emb.{name}", found.rows(length or positions(c)), found.width(head), found.theta, dtype)
