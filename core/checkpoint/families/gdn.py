"""Gated DeltaNet hybrids: Qwen3-Next, Qwen3.5/3.6, and Qwen4Exp with its n-gram tables and hyper-connections.

Sources: vLLM 0.32 `models/qwen3_next.py`, `qwen3_5.py`, `qwen4_exp.py`, `layers/mamba/gdn/qwen_gdn_linear_attn.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from core.checkpoint.caches import CacheKind, CacheLayer, State, full
from core.checkpoint.config import Config, tied
from core.checkpoint.families.blocks import (
    Dims,
    dims,
    every,
    gated_mlp,
    layer,
    layer_types,
    qkv,
    rope_table,
    routed,
)
from core.checkpoint.fields import Fields
from core.checkpoint.tensors import Builder

LINEAR: Final = "linear_attention"
DEFAULT_INTERVAL: Final = 4


@dataclass(frozen=True, slots=True)
class Delta:
    """The widths of one Gated DeltaNet layer."""

    key_heads: int
    value_heads: int
    key: int
    value: int
    kernel: int

    @property
    def keys(self) -> int:
        return self.key_heads * self.key

    @property
    def values(self) -> int:
        return self.value_heads * self.value

    @property
    def conv(self) -> int:
        return 2 * self.keys + self.values


def delta(text: Fields) -> Delta:
    return Delta(
        text.need("linear_num_key_heads"),
        text.need("linear_num_value_heads"),
        text.need("linear_key_head_dim"),
        text.need("linear_value_head_dim"),
        text.need("linear_conv_kernel_dim"),
    )


def delta_cache(g: Delta, tp: int) -> CacheLayer:
    conv = State(g.conv // tp * (g.kernel - 1), ssm=False)
    state = State(g.value_heads // tp * g.value * g.key, ssm=True)
    return CacheLayer(CacheKind.STATE, states=(conv, state), flavour="gdn", head_k=g.key)


def delta_types(c: Config, layers: int) -> tuple[str, ...]:
    interval = c.text.integer("full_attention_interval", minimum=1) or DEFAULT_INTERVAL
    return layer_types(c, layers, every(interval, LINEAR))


@dataclass(frozen=True, slots=True)
class Gdn:
    """`fused`: the checkpoint keeps q, k, v and z as one interleaved tensor (Qwen3-Next)."""

    fused: bool = False
    moe: bool = False

    def caches(self, c: Config, tp: int) -> tuple[CacheLayer, ...]:
        d, g = dims(c), delta(c.text)
        state, whole = delta_cache(g, tp), full(d.kv_heads, d.head, tp)
        return tuple(state if kind == LINEAR else whole for kind in delta_types(c, d.layers))

    def tensors(self, c: Config, b: Builder, root: str = "model") -> None:
        d, g = dims(c), delta(c.text)
        b.embedding(f"{root}.embed_tokens", d.vocab, d.hidden)
        for index, kind in enumerate(delta_types(c, d.layers)):
            path = f"{root}.layers.{index}"
            with layer(b):
                if kind == LINEAR:
                    self.linear_attention(b, f"{path}.linear_attn", d.hidden, g)
                else:
                    self.attention(c, b, f"{path}.self_attn", d)
                self.mlp(c, b, f"{path}.mlp", d, index)
                b.norm(f"{path}.input_layernorm", d.hidden)
                b.norm(f"{path}.post_attention_layernorm", d.hidden)
            if kind != LINEAR:
                rope_table(b, c, f"{path}.self_attn", d.head)
        b.norm(f"{root}.norm", d.hidden)
        if not tied(c):
            b.lm_head("lm_head", d.vocab, d.hidden)

    def linear_attention(self, b: Builder, path: str, hidden: int, g: Delta) -> None:
        heads = b.split(g.value_heads, "linear_num_value_heads")
        b.add(f"{path}.dt_bias", heads)
        b.add(f"{path}.A_log", heads, "float32")
        b.add(f"{path}.conv1d.weight", b.split(g.conv, "conv1d") * g.kernel)
        if self.fused:
            b.column(f"{path}.in_proj_qkvz", hidden, (2 * g.keys + 2 * g.values,))
            b.column(f"{path}.in_proj_ba", hidden, (2 * g.value_heads,))
        else:
            shards = ("in_proj_qkv", "in_proj_z")
            b.column(f"{path}.in_proj_qkvz", hidden, (g.keys, g.keys, g.values, g.values), shards)
            # Whole on every rank with GPTQ and AWQ, whose kernel needs more outputs than a rank's share.
            wide = g.value_heads if b.quantization.method in ("gptq", "awq") else heads
            b.linear(f"{path}.in_proj_ba", hidden, (wide, wide), ("in_proj_b", "in_proj_a"))
        b.norm(f"{path}.norm", g.value)
        b.row(f"{path}.out_proj", g.values, hidden)

    def attention(self, c: Config, b: Builder, path: str, d: Dims) -> None:
        qkv(b, f"{path}.qkv_proj", d, bias=c.text.flag("attention_bias"), gate=_gated(c))
        b.row(f"{path}.o_proj", d.query, d.hidden)
        b.attention_scales(f"{path}.attn")
        b.norm(f"{path}.q_norm", d.head)
        b.norm(f"{path}.k_norm", d.head)

    def mlp(self, c: Config, b: Builder, path: str, d: Dims, index: int) -> None:
        text = c.text
        count = text.integer("num_experts") or 0
        step = text.integer("decoder_sparse_step", minimum=1) or 1
        if not self.moe or not count or index in text.integers("mlp_only_layers") or (index + 1) % step:
            gated_mlp(b, path, d.hidden, text.need("intermediate_size"))
            return
        b.plain(f"{path}.gate", d.hidden, count)
        if inner := text.integer("shared_expert_intermediate_size") or 0:
            b.plain(f"{path}.shared_expert_gate", d.hidden, 1)
            gated_mlp(b, f"{path}.shared_expert", d.hidden, inner)
        routed(b, f"{path}.experts", count, d.hidden, text.need("moe_intermediate_size"))


def _gated(c: Config) -> bool:
    return c.text.flag("attn_output_gate", default=True)


QWEN3_NEXT: Final = Gdn(fused=True, moe=True)
QWEN3_5: Final = Gdn()
QWEN3_5_MOE: Final = Gdn(moe=True)
