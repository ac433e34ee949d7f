"""Decoders with routed experts whose layers differ in attention or in how they route: EXAONE MoE, AFMoE, MiniMax M2,
Granite MoE with a shared MLP.

Sources: vLLM 0.32 `models/{exaone_moe,afmoe,minimax_m2,granitemoeshared}.py`.
"""

from __future__ import annotations

from typing import Final

from core.checkpoint.caches import CacheLayer, full
from core.checkpoint.config import Config, tied
from core.checkpoint.families.blocks import (
    Dims,
    caches_by_type,
    dims,
    every,
    gated_mlp,
    layer,
    layer_types,
    qkv,
    rope_table,
    routed,
    window,
)
from core.checkpoint.families.dense import TWO_NORMS, Style, attention, finish
from core.checkpoint.fields import Fields
from core.checkpoint.rope import read_rope
from core.checkpoint.tensors import Builder

FP32: Final = "float32"
_NEVER: Final = Style(qkv_bias=lambda c: False, out_bias=lambda c: False)


class ExaoneMoe:
    """Sliding layers by type, experts after the first dense layers, the router's correction before the router."""

    style: Final = Style(order=("o_proj", "q_norm", "k_norm", "scales"))

    def types(self, c: Config, layers: int) -> tuple[str, ...]:
        return layer_types(c, layers, every(c.text.integer("sliding_window_pattern", minimum=1) or 4))

    def caches(self, c: Config, tp: int) -> tuple[CacheLayer, ...]:
        d = dims(c)
        spans, types = c.text.integers("sliding_windows"), self.types(c, d.layers)
        if len(spans) < d.layers:
            return caches_by_type(d, types, window(c.text), tp)
        pairs = zip(types, spans, strict=False)
        return tuple(cache for kind, span in pairs for cache in caches_by_type(d, (kind,), span, tp))

    def sparse(self, text: Fields, index: int) -> bool:
        flags = text.items("is_moe_layer") or ()
        if index < len(flags):
            return flags[index] is True
        return index >= (text.integer("first_k_dense_replace") or 0)

    def tensors(self, c: Config, b: Builder, root: str = "model") -> None:
        d, text = dims(c), c.text
        b.embedding(f"{root}.embed_tokens", d.vocab, d.hidden)
        for index in range(d.layers):
            path = f"{root}.layers.{index}"
            with layer(b):
                attention(b, c, f"{path}.self_attn", d, self.style)
                if self.sparse(text, index):
                    self._moe(text, b, f"{path}.mlp", d)
                else:
                    gated_mlp(b, f"{path}.mlp", d.hidden, text.need("intermediate_size"))
                for norm in TWO_NORMS:
                    b.norm(f"{path}.{norm}", d.hidden)
            rope_table(b, c, f"{path}.self_attn", d.head)
        finish(b, c, root, d, self.style)

    def _moe(self, text: Fields, b: Builder, path: str, d: Dims) -> None:
        _routed(b, text, path, d, "e_score_correction_bias", router="")


class Afmoe:
    """Gated attention with rope in the sliding layers only; four norms; a router in float32."""

    def types(self, c: Config, layers: int) -> tuple[str, ...]:
        return layer_types(c, layers, every(c.text.integer("global_attn_every_n_layers", minimum=1) or 4))

    def caches(self, c: Config, tp: int) -> tuple[CacheLayer, ...]:
        d = dims(c)
        return caches_by_type(d, self.types(c, d.layers), window(c.text), tp)

    def tensors(self, c: Config, b: Builder, root: str = "model") -> None:
        d, text = dims(c), c.text
        dense = text.integer("num_dense_layers") or 0
        b.embedding(f"{root}.embed_tokens", d.vocab, d.hidden)
        for index, kind in enumerate(self.types(c, d.layers)):
            path = f"{root}.layers.{index}"
            with layer(b):
                qkv(b, f"{path}.self_attn.qkv_proj", d)
                b.row(f"{path}.self_attn.o_proj", d.query, d.hidden)
                b.column(f"{path}.self_attn.gate_proj", d.hidden, (d.query,))
                b.norm(f"{path}.self_attn.q_norm", d.head)
                b.norm(f"{path}.self_attn.k_norm", d.head)
                b.attention_scales(f"{path}.self_attn.attn")
                if index >= dense:
                    _routed(b, text, f"{path}.mlp", d, "expert_bias", router=FP32)
                else:
                    gated_mlp(b, f"{path}.mlp", d.hidden, text.need("intermediate_size"))
                for norm in (*TWO_NORMS, "pre_mlp_layernorm", "post_mlp_layernorm"):
                    b.norm(f"{path}.{norm}", d.hidden)
            if kind == "sliding_attention":
                rope_table(b, c, f"{path}.self_attn", d.head, read_rope(c, kind))
        finish(b, c, root, d, _NEVER)


def _routed(b: Builder, text: Fields, path: str, d: Dims, correction: str, router: str) -> None:
    """Correction, router, shared experts, routed experts: the order in which these classes register them."""
    count, inner = text.need("num_experts"), text.need("moe_intermediate_size")
    b.add(f"{path}.{correction}", count, FP32)
    b.plain(f"{path}.gate", d.hidden, count, dtype=router)
    if copies := text.integer("num_shared_experts") or 0:
        gated_mlp(b, f"{path}.shared_experts", d.hidden, inner * copies)
    routed(b, f"{path}.experts", count, d.hidden, inner)


class MiniMaxM2:
    """Norms over all query and all key heads together; the router in float32 after the experts."""

    def caches(self, c: Config, tp: int) -> tuple[CacheLayer, ...]:
        d = dims(c)
        return (full(d.kv_heads, d.head, tp),) * d.layers

    def tensors(self, c: Config, b: Builder, root: str = "model") -> None:
        d, text = dims(c), c.text
        count, width = text.need("num_local_experts"), text.integer("rotary_dim", minimum=1) or d.head
        b.embedding(f"{root}.embed_tokens", d.vocab, d.hidden)
        for index in range(d.layers):
            path = f"{root}.layers.{index}"
            with layer(b):
                qkv(b, f"{path}.self_attn.qkv_proj", d, bias=text.flag("attention_bias"))
                b.row(f"{path}.self_attn.o_proj", d.query, d.hidden)
                b.attention_scales(f"{path}.self_attn.attn")
                b.norm(f"{path}.self_attn.q_norm", d.query // b.tp)
                b.norm(f"{path}.self_attn.k_norm", max(1, d.kv_heads // b.tp) * d.head)
                moe = f"{path}.block_sparse_moe"
                if text.flag("use_routing_bias"):
                    b.add(f"{moe}.e_score_correction_bias", count, FP32)
                # The class gives its experts the checkpoint's name for quantization, "mlp".
                inner = text.need("intermediate_size")
                routed(b, f"{moe}.experts", count, d.hidden, inner, alias=f"{path}.mlp.experts")
                b.plain(f"{moe}.gate", d.hidden, count, dtype=FP32)
                for norm in TWO_NORMS:
                    b.norm(f"{path}.{norm}", d.hidden)
            rope = read_rope(c)
            b.rope(f"{path}.self_attn.rotary_emb.cos_sin_cache", rope.rows(_positions(text)), width, rope.theta)
        finish(b, c, root, d, _NEVER)


def _positions(text: Fields) -> int:
    return text.integer("max_position_embeddings", minimum=1) or 8192


class GraniteMoeShared:
    """Granite's experts and one MLP beside them that every token takes."""

    def caches(self, c: Config, tp: int) -> tuple[CacheLayer, ...]:
        d = dims(c)
        return (full(d.kv_heads, d.head, tp),) * d.layers

    def tensors(self, c: Config, b: Builder, root: str = "model") -> None:
        d, text = dims(c), c.text
        count, shared = text.need("num_local_experts"), text.integer("shared_intermediate_size") or 0
        b.embedding(f"{root}.embed_tokens", d.vocab, d.hidden)
        for index in range(d.layers):
            path = f"{root}.layers.{index}"
            with layer(b):
                attention(b, c, f"{path}.self_attn", d, _NEVER)
                b.plain(f"{path}.block_sparse_moe.gate", d.hidden, count)
                inner = text.need("intermediate_size")
                routed(b, f"{path}.block_sparse_moe.experts", count, d.hidden, inner)
                if shared:
                    b.column(f"{path}.shared_mlp.input_linear", d.hidden, (shared, shared), ("input_linear",))
                    b.row(f"{path}.shared_mlp.output_linear", shared, d.hidden)
                for norm in TWO_NORMS:
                    b.norm(f"{path}.{norm}", d.hidden)
            rope_table(b, c, f"{path}.self_attn", d.head)
        b.norm(f"{root}.norm", d.hidden)
        if not tied(c):
            b.lm_head("lm_head", d.vocab, d.hidden)


EXAONE_MOE: Final = ExaoneMoe()
AFMOE: Final = Afmoe()
MINIMAX_M2: Final = MiniMaxM2()
GRANITE_SHARED: Final = GraniteMoeShared()
