"""Kimi Linear: Kimi Delta Attention in most layers, latent attention without positions in the rest.

Sources: vLLM 0.32 `models/kimi_k3/nvidia/model.py`, `mla.py`, `layers/mamba/gdn/kimi_gdn_linear_attn.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from core.checkpoint.caches import CacheKind, CacheLayer, State
from core.checkpoint.config import Config, tied
from core.checkpoint.families.blocks import gated_mlp, layer, layer_count, routed
from core.checkpoint.families.mla import Latent, latent
from core.checkpoint.fields import Fields, Unreadable
from core.checkpoint.tensors import Builder

FP32: Final = "float32"


@dataclass(frozen=True, slots=True)
class Delta:
    """`layers`: which ones, counted from 0."""

    layers: frozenset[int]
    heads: int
    head: int
    kernel: int

    @property
    def width(self) -> int:
        return self.heads * self.head


def delta(text: Fields) -> Delta:
    found = text.mapping("linear_attn_config")
    if found is None:
        raise Unreadable("config.json gives no linear_attn_config")
    fields = Fields(found, problems=text.problems)
    if fields.flag("use_full_rank_gate"):
        raise Unreadable("linear_attn_config asks for full rank gates, which are not modelled")
    layers = frozenset(number - 1 for number in fields.integers("kda_layers"))
    kernel = fields.need("short_conv_kernel_size", minimum=2)
    return Delta(layers, fields.need("num_heads"), fields.need("head_dim"), kernel)


class KimiLinear:
    def caches(self, c: Config, tp: int) -> tuple[CacheLayer, ...]:
        m, d = latent(c.text), delta(c.text)
        conv = State(3 * d.width // tp * (d.kernel - 1), ssm=False)
        state = CacheLayer(CacheKind.STATE, states=(conv, State(d.width // tp * d.head, ssm=True)), flavour="kda")
        kept = CacheLayer(CacheKind.MLA, 1, m.rank + m.rope)
        return tuple(state if index in d.layers else kept for index in range(layer_count(c.text)))

    def tensors(self, c: Config, b: Builder, root: str = "model") -> None:
        text, m, d = c.text, latent(c.text), delta(c.text)
        vocab = text.need("vocab_size")
        b.embedding(f"{root}.embed_tokens", vocab, m.hidden)
        for index in range(layer_count(text)):
            path = f"{root}.layers.{index}"
            with layer(b):
                if index in d.layers:
                    self._delta(b, f"{path}.self_attn", m.hidden, d)
                else:
                    self._attention(b, f"{path}.self_attn", m)
                self._mlp(text, b, path, m.hidden, index)
                b.norm(f"{path}.input_layernorm", m.hidden)
                b.norm(f"{path}.post_attention_layernorm", m.hidden)
        b.norm(f"{root}.norm", m.hidden)
        if not tied(c):
            b.lm_head("lm_head", vocab, m.hidden)

    def _delta(self, b: Builder, path: str, hidden: int, d: Delta) -> None:
        width, heads = b.split(d.width, "linear attention"), b.split(d.heads, "linear attention heads")
        b.add(f"{path}.dt_bias", width, FP32)
        b.add(f"{path}.A_log", heads, FP32)
        # Queries, keys, values, decay (whole on every rank) and beta.
        shards = ("q_proj", "k_proj", "v_proj", "f_a_proj", "b_proj")
        b.linear(f"{path}.in_proj_qkvgfab", hidden, (width, width, width, d.head, heads), shards)
        b.linear(f"{path}.f_b_proj", d.head, (width,))
        b.add(f"{path}.conv1d.weight", 3 * width * d.kernel, FP32)
        b.linear(f"{path}.g_a_proj", hidden, (d.head,))
        b.linear(f"{path}.g_b_proj", d.head, (width,))
        b.norm(f"{path}.o_norm", d.head)
        b.row(f"{path}.o_proj", d.width, hidden)

    def _attention(self, b: Builder, path: str, m: Latent) -> None:
        heads = b.split(m.heads, "num_attention_heads")
        if m.query_rank:
            shards = ("q_a_proj", "kv_a_proj_with_mqa")
            b.linear(f"{path}.fused_qkv_a_proj", m.hidden, (m.query_rank, m.rank + m.rope), shards)
            b.norm(f"{path}.q_a_layernorm", m.query_rank)
            b.linear(f"{path}.q_b_proj", m.query_rank, (heads * (m.nope + m.rope),))
        else:
            b.linear(f"{path}.q_proj", m.hidden, (heads * (m.nope + m.rope),))
            b.linear(f"{path}.kv_a_proj_with_mqa", m.hidden, (m.rank + m.rope,))
        b.norm(f"{path}.kv_a_layernorm", m.rank)
        b.linear(f"{path}.kv_b_proj", m.rank, (heads * (m.nope + m.value),))
        b.row(f"{path}.o_proj", m.heads * m.value, m.hidden)
        b.attention_buffers(path)
        b.buffer(f"{path}._one_scale", 1, FP32)

    def _mlp(self, text: Fields, b: Builder, path: str, hidden: int, index: int) -> None:
        count = text.integer("num_experts") or 0
        step = text.integer("moe_layer_freq", minimum=1) or 1
        if not count or index < (text.integer("first_k_dense_replace") or 0) or index % step:
            gated_mlp(b, f"{path}.mlp", hidden, text.need("intermediate_size"))
            return
        inner, moe = text.need("moe_intermediate_size"), f"{path}.block_sparse_moe"
        b.plain(f"{moe}.gate", hidden, count)
        b.add(f"{moe}.gate.e_score_correction_bias", count, FP32)
        if copies := text.integer("num_shared_experts") or 0:
            gated_mlp(b, f"{moe}.shared_experts", hidden, inner * copies)
        routed(b, f"{moe}.experts", count, hidden, inner)


KIMI_LINEAR: Final = KimiLinear()
