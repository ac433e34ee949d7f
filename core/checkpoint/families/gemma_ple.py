"""Gemma with per-layer embeddings: Gemma 3n and Gemma 4, whose last layers read the caches of earlier ones.

Sources: vLLM 0.32 `models/gemma3n.py`, `models/gemma4.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from core.checkpoint.caches import CacheKind, CacheLayer, full, sliding
from core.checkpoint.config import Config
from core.checkpoint.families.blocks import Dims, dims, every, gated_mlp, layer, layer_types, qkv, rope_table, window
from core.checkpoint.fields import Fields, Unreadable
from core.checkpoint.quantization.scheme import Experts
from core.checkpoint.rope import read_rope
from core.checkpoint.tensors import Builder, Part

SLIDING: Final = "sliding_attention"
# transformers 5.19 configuration_gemma4.py: the default of global_head_dim.
GLOBAL_HEAD: Final = 512
NORMS: Final = (
    "input_layernorm",
    "post_attention_layernorm",
    "pre_feedforward_layernorm",
    "post_feedforward_layernorm",
)


@dataclass(frozen=True, slots=True)
class Ple:
    """The per-layer embedding table: `rows` tokens of `width` elements for each layer. Width 0: there is none."""

    rows: int
    width: int


def per_layer_embedding(c: Config, d: Dims) -> Ple:
    rows = c.text.integer("vocab_size_per_layer_input", minimum=1) or d.vocab
    return Ple(rows, c.text.integer("hidden_size_per_layer_input") or 0)


def first_shared(text: Fields, layers: int) -> int:
    """The first layer that keeps no cache of its own."""
    shared = text.integer("num_kv_shared_layers") or 0
    return layers - min(shared, layers)


def _shared_query(b: Builder, path: str, d: Dims) -> None:
    b.column(f"{path}.q_proj", d.hidden, (d.query,))


def _ple_table(b: Builder, root: str, d: Dims, ple: Ple) -> None:
    wide = ple.width * d.layers
    b.embedding(f"{root}.embed_tokens_per_layer", ple.rows, wide, Part.PLE)
    b.column(f"{root}.per_layer_model_projection", d.hidden, (wide,))
    b.norm(f"{root}.per_layer_projection_norm", ple.width)


def _ple_layer(b: Builder, path: str, d: Dims, ple: Ple) -> None:
    b.linear(f"{path}.per_layer_input_gate", d.hidden, (ple.width,))
    b.linear(f"{path}.per_layer_projection", ple.width, (d.hidden,))


def _ropes(b: Builder, c: Config, path: str, head: int, kind: str) -> None:
    rope = read_rope(c, kind)
    if not c.text.stated("rope_parameters"):
        local, whole = c.text.number("rope_local_base_freq") or 10000.0, c.text.number("rope_theta") or 1e6
        rope = replace(rope, theta=local if kind == SLIDING else whole)
    rope_table(b, c, path, head, rope)


class Gemma4:
    """Full layers have heads of their own size and count (`global_head_dim`, `num_global_key_value_heads`)."""

    def types(self, c: Config, layers: int) -> tuple[str, ...]:
        types = layer_types(c, layers, every(6))
        return (*types[:-1], "full_attention") if types else types

    def shape(self, c: Config, d: Dims, kind: str) -> Dims:
        if kind == SLIDING:
            return d
        head = c.text.integer("global_head_dim", minimum=1) or GLOBAL_HEAD
        shared = c.text.flag("attention_k_eq_v")
        heads = c.text.integer("num_global_key_value_heads", minimum=1) if shared else None
        return replace(d, head=head, kv_heads=heads or d.kv_heads)

    def span(self, c: Config) -> int:
        span = window(c.text)
        return span // 2 + 1 if c.text.text("use_bidirectional_attention") == "all" else span

    def caches(self, c: Config, tp: int) -> tuple[CacheLayer, ...]:
        d = dims(c)
        own = first_shared(c.text, d.layers)
        found: list[CacheLayer] = []
        for index, kind in enumerate(self.types(c, d.layers)):
            shape = self.shape(c, d, kind)
            if index >= own > 0:
                found.append(CacheLayer(CacheKind.SHARED))
            elif kind == SLIDING:
                found.append(sliding(shape.kv_heads, shape.head, tp, self.span(c)))
            else:
                found.append(full(shape.kv_heads, shape.head, tp))
        return tuple(found)

    def tensors(self, c: Config, b: Builder, root: str = "model") -> None:
        d = dims(c)
        ple = per_layer_embedding(c, d)
        b.embedding(f"{root}.embed_tokens", d.vocab, d.hidden)
        if ple.width:
            _ple_table(b, root, d, ple)
            for name in ("embed_scale_per_layer", "per_layer_input_scale", "per_layer_projection_scale"):
                b.buffer(f"{root}.{name}", 1)
        b.buffer(f"{root}.normalizer", 1)
        own = first_shared(c.text, d.layers)
        for index, kind in enumerate(self.types(c, d.layers)):
            path = f"{root}.layers.{index}"
            shape = self.shape(c, d, kind)
            shared = index >= own > 0
            with layer(b):
                self._attention(b, c, f"{path}.self_attn", shape, shared)
                double = shared and c.text.flag("use_double_wide_mlp")
                gated_mlp(b, f"{path}.mlp", d.hidden, c.text.need("intermediate_size") * (2 if double else 1))
                for norm in NORMS:
                    b.norm(f"{path}.{norm}", d.hidden)
                self._moe(b, c, path, d)
                if ple.width:
                    _ple_layer(b, path, d, ple)
                    b.norm(f"{path}.post_per_layer_input_norm", d.hidden)
            b.buffer(f"{path}.layer_scalar", 1)
            _ropes(b, c, f"{path}.self_attn", shape.head, kind)
        b.norm(f"{root}.norm", d.hidden)

    def _attention(self, b: Builder, c: Config, path: str, d: Dims, shared: bool) -> None:
        if shared:
            _shared_query(b, path, d)
        else:
            qkv(b, f"{path}.qkv_proj", d, bias=c.text.flag("attention_bias"))
            b.norm(f"{path}.k_norm", d.head)
        b.row(f"{path}.o_proj", d.query, d.hidden)
        b.norm(f"{path}.q_norm", d.head)
        b.attention_scales(f"{path}.attn")

    def _moe(self, b: Builder, c: Config, path: str, d: Dims) -> None:
        count = c.text.integer("num_experts", minimum=1)
        if count is None:
            return
        inner = c.text.need("moe_intermediate_size", "expert_intermediate_size")
        b.add(f"{path}.router.scale", d.hidden)
        b.add(f"{path}.router.per_expert_scale", count)
        b.plain(f"{path}.router.proj", d.hidden, count)
        b.experts(f"{path}.experts", Experts(count, d.hidden, inner))
        for norm in ("post_feedforward_layernorm_1", "post_feedforward_layernorm_2", "pre_feedforward_layernorm_2"):
            b.norm(f"{path}.{norm}", d.hidden)
        b.buffer(f"{path}.router.root_size", 1)


class Gemma3n:
    """AltUp, LAuReL and per-layer embeddings; every fifth layer attends fully."""

    def types(self, c: Config, layers: int) -> tuple[str, ...]:
        return layer_types(c, layers, every(5))

    def widths(self, c: Config, layers: int) -> Sequence[int]:
        if c.text.items("intermediate_size") is None:
            return (c.text.need("intermediate_size"),) * layers
        widths = c.text.integers("intermediate_size")
        if len(widths) < layers or min(widths) <= 0:
            raise Unreadable("intermediate_size does not give a width for every layer")
        return widths

    def caches(self, c: Config, tp: int) -> tuple[CacheLayer, ...]:
        d = dims(c)
        own = first_shared(c.text, d.layers)
        span = window(c.text)
        parts = {SLIDING: sliding(d.kv_heads, d.head, tp, span)} if span else {}
        whole = full(d.kv_heads, d.head, tp)
        return tuple(
            CacheLayer(CacheKind.SHARED) if index >= own else parts.get(kind, whole)
            for index, kind in enumerate(self.types(c, d.layers))
        )

    def tensors(self, c: Config, b: Builder, root: str = "model") -> None:
        d = dims(c)
        ple = per_layer_embedding(c, d)
        inputs = c.text.integer("altup_num_inputs", minimum=1) or 4
        for index in range(inputs - 1):
            b.column(f"{root}.altup_unembed_projections.{index}", d.hidden, (d.hidden,))
        own, widths = first_shared(c.text, d.layers), self.widths(c, d.layers)
        for index, kind in enumerate(self.types(c, d.layers)):
            path = f"{root}.layers.{index}"
            with layer(b):
                self._altup(b, f"{path}.altup", d.hidden, inputs)
                self._attention(b, f"{path}.self_attn", d, index >= own)
                gated_mlp(b, f"{path}.mlp", d.hidden, widths[index])
                rank = c.text.need("laurel_rank")
                b.column(f"{path}.laurel.linear_left", d.hidden, (rank,))
                b.row(f"{path}.laurel.linear_right", rank, d.hidden)
                b.norm(f"{path}.laurel.post_laurel_norm", d.hidden)
                _ple_layer(b, path, d, ple)
                for norm in (*NORMS, "post_per_layer_input_norm"):
                    b.norm(f"{path}.{norm}", d.hidden)
            b.buffer(f"{path}.altup.router_input_scale", 1)
            _ropes(b, c, f"{path}.self_attn", d.head, kind)
        decoder = f"{root}.self_decoder"
        b.embedding(f"{decoder}.embed_tokens", d.vocab, d.hidden)
        _ple_table(b, decoder, d, ple)
        for index in range(inputs - 1):
            b.column(f"{decoder}.altup_projections.{index}", d.hidden, (d.hidden,))
        for name in ("embed_scale", "embed_scale_per_layer", "per_layer_input_scale", "per_layer_projection_scale"):
            b.buffer(f"{decoder}.{name}", 1)
        b.norm(f"{root}.norm", d.hidden)

    def _altup(self, b: Builder, path: str, hidden: int, inputs: int) -> None:
        b.add(f"{path}.correct_output_scale", hidden, "float32")
        b.plain(f"{path}.correction_coefs", inputs, inputs)
        b.plain(f"{path}.prediction_coefs", inputs, inputs * inputs)
        b.plain(f"{path}.modality_router", hidden, inputs)
        b.norm(f"{path}.router_norm", hidden)

    def _attention(self, b: Builder, path: str, d: Dims, shared: bool) -> None:
        if shared:
            _shared_query(b, path, d)
        else:
            qkv(b, f"{path}.qkv_proj", d)
            b.norm(f"{path}.k_norm", d.head)
        b.row(f"{path}.o_proj", d.query, d.hidden)
        b.norm(f"{path}.q_norm", d.head)
        b.attention_scales(f"{path}.attn")


GEMMA4: Final = Gemma4()
GEMMA3N: Final = Gemma3n()
