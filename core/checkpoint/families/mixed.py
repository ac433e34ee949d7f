"""Jamba (Mamba 1 and attention), Falcon-H1 (Mamba 2 beside attention), LFM2 (short convolutions and attention)."""

from __future__ import annotations

from typing import Final

from core.checkpoint.caches import CacheKind, CacheLayer, State, full
from core.checkpoint.config import Config, tied
from core.checkpoint.families.blocks import Dims, dims, gated_mlp, layer, layer_count, qkv, rope_table, routed, stated
from core.checkpoint.families.ssm import FP32, Mixer1, Mixer2, mixer1, mixer1_cache, mixer2, mixer2_cache
from core.checkpoint.fields import Fields, Unreadable
from core.checkpoint.tensors import Builder


class Jamba:
    def mixer(self, text: Fields) -> Mixer1:
        hidden = stated(text, "hidden_size")
        rank = text.integer("mamba_dt_rank", minimum=1) or -(-hidden // 16)
        return Mixer1(
            hidden,
            hidden * text.need("mamba_expand"),
            rank,
            text.need("mamba_d_state"),
            text.need("mamba_d_conv"),
            text.flag("mamba_conv_bias", default=True),
            text.flag("mamba_proj_bias"),
            norms=True,
        )

    def _attends(self, text: Fields, index: int) -> bool:
        period = text.integer("attn_layer_period", minimum=1) or 8
        return index % period == (text.integer("attn_layer_offset") or 0)

    def caches(self, c: Config, tp: int) -> tuple[CacheLayer, ...]:
        d = dims(c)
        state, whole = mixer1_cache(self.mixer(c.text), tp), full(d.kv_heads, d.head, tp)
        return tuple(whole if self._attends(c.text, index) else state for index in range(d.layers))

    def tensors(self, c: Config, b: Builder, root: str = "model") -> None:
        d, m, text = dims(c), self.mixer(c.text), c.text
        b.embedding(f"{root}.embed_tokens", d.vocab, d.hidden)
        count = text.integer("num_experts") or 0
        period, offset = text.integer("expert_layer_period", minimum=1) or 2, text.integer("expert_layer_offset") or 0
        for index in range(d.layers):
            path = f"{root}.layers.{index}"
            with layer(b):
                if self._attends(text, index):
                    qkv(b, f"{path}.qkv_proj", d)
                    b.row(f"{path}.o_proj", d.query, d.hidden)
                    b.attention_scales(f"{path}.attn")
                else:
                    mixer1(b, f"{path}.mamba", m)
                self._mlp(text, b, f"{path}.feed_forward", d, count if index % period == offset else 1)
                b.norm(f"{path}.input_layernorm", d.hidden)
                b.norm(f"{path}.pre_ff_layernorm", d.hidden)
        b.norm(f"{root}.final_layernorm", d.hidden)
        if not tied(c):
            b.lm_head("lm_head", d.vocab, d.hidden)

    def _mlp(self, text: Fields, b: Builder, path: str, d: Dims, count: int) -> None:
        inner = text.need("intermediate_size")
        if count > 1:
            b.plain(f"{path}.router", d.hidden, count)
            routed(b, f"{path}.experts", count, d.hidden, inner)
        else:
            gated_mlp(b, path, d.hidden, inner)


class FalconH1:
    """Attention and a Mamba 2 mixer side by side in every layer."""

    def mixer(self, text: Fields) -> Mixer2:
        hidden, heads = stated(text, "hidden_size"), text.need("mamba_n_heads")
        inner = text.integer("mamba_d_ssm", minimum=1) or hidden * (text.integer("mamba_expand", minimum=1) or 2)
        return Mixer2(
            hidden,
            inner,
            text.need("mamba_n_groups"),
            heads,
            text.integer("mamba_d_head", minimum=1) or inner // heads,
            text.need("mamba_d_state"),
            text.need("mamba_d_conv"),
            text.flag("mamba_conv_bias", default=True),
            text.flag("mamba_proj_bias"),
            norm=text.flag("mamba_rms_norm"),
        )

    def caches(self, c: Config, tp: int) -> tuple[CacheLayer, ...]:
        d = dims(c)
        return (full(d.kv_heads, d.head, tp), mixer2_cache(self.mixer(c.text), tp)) * d.layers

    def tensors(self, c: Config, b: Builder, root: str = "model") -> None:
        d, m, text = dims(c), self.mixer(c.text), c.text
        b.embedding(f"{root}.embed_tokens", d.vocab, d.hidden)
        for index in range(d.layers):
            path = f"{root}.layers.{index}"
            with layer(b):
                qkv(b, f"{path}.self_attn.qkv_proj", d, bias=text.flag("attention_bias"))
                b.row(f"{path}.self_attn.o_proj", d.query, d.hidden)
                b.attention_scales(f"{path}.self_attn.attn")
                mixer2(b, f"{path}.mamba.mamba", m)
                gated_mlp(b, f"{path}.feed_forward", d.hidden, text.need("intermediate_size"))
                b.norm(f"{path}.input_layernorm", d.hidden)
                b.norm(f"{path}.pre_ff_layernorm", d.hidden)
            b.buffer(f"{path}.mamba.mup_vector", (2 * m.inner + 2 * m.ranked(b.tp) * m.state + m.heads) // b.tp)
            rope_table(b, c, f"{path}.self_attn", d.head)
        b.norm(f"{root}.final_layernorm", d.hidden)
        if not tied(c):
            b.lm_head("lm_head", d.vocab, d.hidden)


class Lfm2:
    """LFM2: short convolutions, every few layers attention."""

    def _convolves(self, c: Config, index: int, types: tuple[str, ...]) -> bool:
        if types:
            return types[index] != "full_attention"
        return index not in c.text.integers("full_attn_idxs")

    def _flags(self, c: Config) -> tuple[bool, ...]:
        types, layers = c.text.strings("layer_types"), layer_count(c.text)
        if types and len(types) < layers:
            raise Unreadable(f"layer_types names {len(types)} of {layers} layers")
        return tuple(self._convolves(c, index, types) for index in range(layers))

    def caches(self, c: Config, tp: int) -> tuple[CacheLayer, ...]:
        d = dims(c)
        width = c.text.integer("conv_dim", minimum=1) or d.hidden
        conv = State(width // tp * (c.text.need("conv_L_cache") - 1), ssm=False)
        state = CacheLayer(CacheKind.STATE, states=(conv,), flavour="short_conv")
        return tuple(state if convolves else full(d.kv_heads, d.head, tp) for convolves in self._flags(c))

    def tensors(self, c: Config, b: Builder, root: str = "model") -> None:
        d, text = dims(c), c.text
        b.embedding(f"{root}.embed_tokens", d.vocab, d.hidden)
        kernel = text.need("conv_L_cache")
        for index, convolves in enumerate(self._flags(c)):
            path = f"{root}.layers.{index}"
            with layer(b):
                if convolves:
                    b.add(f"{path}.short_conv.conv.weight", b.split(d.hidden, "short conv") * kernel)
                    b.column(f"{path}.short_conv.in_proj", d.hidden, (d.hidden,) * 3, ("in_proj",))
                    b.row(f"{path}.short_conv.out_proj", d.hidden, d.hidden)
                else:
                    qkv(b, f"{path}.self_attn.qkv_proj", d)
                    b.row(f"{path}.self_attn.out_proj", d.query, d.hidden)
                    b.attention_scales(f"{path}.self_attn.attn")
                    b.norm(f"{path}.self_attn.q_layernorm", d.head)
                    b.norm(f"{path}.self_attn.k_layernorm", d.head)
                self.mlp(text, b, f"{path}.feed_forward", d.hidden, index)
                b.norm(f"{path}.operator_norm", d.hidden)
                b.norm(f"{path}.ffn_norm", d.hidden)
            if not convolves:
                rope_table(b, c, f"{path}.self_attn", d.head)
        b.norm(f"{root}.embedding_norm", d.hidden)
        if not tied(c):
            b.lm_head("lm_head", d.vocab, d.hidden)

    def mlp(self, text: Fields, b: Builder, path: str, hidden: int, index: int) -> None:
        inner = _lfm2_inner(text)
        b.column(f"{path}.w13", hidden, (inner, inner), ("w1", "w3"))
        b.row(f"{path}.w2", inner, hidden)


class Lfm2Moe(Lfm2):
    def mlp(self, text: Fields, b: Builder, path: str, hidden: int, index: int) -> None:
        if index < (text.integer("num_dense_layers") or 0):
            super().mlp(text, b, path, hidden, index)
            return
        count = text.need("num_experts")
        b.plain(f"{path}.gate", hidden, count)
        if text.flag("use_expert_bias", default=True):
            b.add(f"{path}.gate.e_score_correction_bias", count, FP32)
        routed(b, f"{path}.experts", count, hidden, text.need("moe_intermediate_size"))


def _lfm2_inner(text: Fields) -> int:
    inner = text.integer("block_ff_dim", "intermediate_size", minimum=1) or 0
    if text.flag("block_auto_adjust_ff_dim"):
        multiple = text.integer("block_multiple_of", minimum=1) or 256
        factor = text.number("block_ffn_dim_multiplier", default=1.0) or 1.0
        inner = -(-int(factor * (2 * inner // 3)) // multiple) * multiple
    if not inner:
        raise Unreadable("config.json gives no usable block_ff_dim")
    return inner


JAMBA: Final = Jamba()
FALCON_H1: Final = FalconH1()
LFM2: Final = Lfm2()
LFM2_MOE: Final = Lfm2Moe()
