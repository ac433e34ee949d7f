"""Multi-head latent attention: DeepSeek V2 and V3, Kimi K2, GLM 4.7 Flash; with a sparse indexer DeepSeek V3.2, GLM 5.

Sources: vLLM 0.32 `models/deepseek_v2.py`, `models/deepseek_v32/nvidia/model.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from core.checkpoint.caches import CacheKind, CacheLayer
from core.checkpoint.config import Config, tied
from core.checkpoint.families.blocks import EXPERT_COUNTS, gated_mlp, layer, layer_count, routed, stated
from core.checkpoint.fields import Fields, Unreadable
from core.checkpoint.rope import Rope, read_rope
from core.checkpoint.tensors import Builder

FP32: Final = "float32"


@dataclass(frozen=True, slots=True)
class Latent:
    """The widths of MLA. `query_rank` 0: queries are projected directly."""

    hidden: int
    heads: int
    query_rank: int
    rank: int
    nope: int
    rope: int
    value: int


def latent(text: Fields) -> Latent:
    return Latent(
        hidden=stated(text, "hidden_size"),
        heads=text.need("num_attention_heads"),
        query_rank=text.integer("q_lora_rank") or 0,
        rank=text.need("kv_lora_rank"),
        nope=text.need("qk_nope_head_dim"),
        rope=text.need("qk_rope_head_dim"),
        value=text.need("v_head_dim"),
    )


@dataclass(frozen=True, slots=True)
class Mla:
    """`router`: dtype of the gate, "" for the model's. `correction` None: only with `topk_method` noaux_tc."""

    router: str = ""
    correction: bool | None = None

    def caches(self, c: Config, tp: int) -> tuple[CacheLayer, ...]:
        m = latent(c.text)
        return (CacheLayer(CacheKind.MLA, 1, m.rank + m.rope),) * layer_count(c.text)

    def tensors(self, c: Config, b: Builder, root: str = "model") -> None:
        text, m = c.text, latent(c.text)
        b.embedding(f"{root}.embed_tokens", text.need("vocab_size"), m.hidden)
        rope = _rope(c)
        positions = text.integer("max_position_embeddings", minimum=1) or 8192
        for index in range(layer_count(text)):
            path = f"{root}.layers.{index}"
            with layer(b):
                self.attention(text, b, f"{path}.self_attn", m)
                if _sparse(text, index):
                    self._moe(text, b, f"{path}.mlp", m.hidden)
                else:
                    gated_mlp(b, f"{path}.mlp", m.hidden, text.need("intermediate_size"))
                b.norm(f"{path}.input_layernorm", m.hidden)
                b.norm(f"{path}.post_attention_layernorm", m.hidden)
            self.tables(b, f"{path}.self_attn", rope, positions, m)
        b.norm(f"{root}.norm", m.hidden)
        if not tied(c):
            b.lm_head("lm_head", text.need("vocab_size"), m.hidden)

    def tables(self, b: Builder, path: str, rope: Rope, positions: int, m: Latent) -> None:
        b.rope(f"{path}.rotary_emb.cos_sin_cache", rope.rows(positions), m.rope, rope.theta)

    def attention(self, text: Fields, b: Builder, path: str, m: Latent) -> None:
        heads = b.split(m.heads, "num_attention_heads")
        if m.query_rank:
            shards = ("q_a_proj", "kv_a_proj_with_mqa")
            b.linear(f"{path}.fused_qkv_a_proj", m.hidden, (m.query_rank, m.rank + m.rope), shards)
            b.norm(f"{path}.q_a_layernorm", m.query_rank)
            b.linear(f"{path}.q_b_proj", m.query_rank, (heads * (m.nope + m.rope),))
        else:
            b.linear(f"{path}.kv_a_proj_with_mqa", m.hidden, (m.rank + m.rope,))
            b.linear(f"{path}.q_proj", m.hidden, (heads * (m.nope + m.rope),))
        b.norm(f"{path}.kv_a_layernorm", m.rank)
        b.linear(f"{path}.kv_b_proj", m.rank, (heads * (m.nope + m.value),))
        b.row(f"{path}.o_proj", m.heads * m.value, m.hidden)
        if b.quantization.method == "modelopt":
            b.attention_scales(f"{path}.mla_attn.mla_attn")
        else:
            # Only ModelOpt's KV cache method knows latent attention.
            b.attention_buffers(f"{path}.mla_attn.mla_attn")

    def _moe(self, text: Fields, b: Builder, path: str, hidden: int) -> None:
        count, inner = text.need(*EXPERT_COUNTS), text.need("moe_intermediate_size")
        b.plain(f"{path}.gate", hidden, count, dtype=self.router)
        bias = text.text("topk_method") == "noaux_tc" if self.correction is None else self.correction
        if bias:
            b.add(f"{path}.gate.e_score_correction_bias", count, FP32)
        if copies := text.integer("n_shared_experts") or 0:
            gated_mlp(b, f"{path}.shared_experts", hidden, inner * copies)
        routed(b, f"{path}.experts", count, hidden, inner)


def _sparse(text: Fields, index: int) -> bool:
    step = text.integer("moe_layer_freq", minimum=1) or 1
    has_experts = any(text.integer(name, minimum=1) for name in EXPERT_COUNTS)
    return has_experts and index >= (text.integer("first_k_dense_replace") or 0) and index % step == 0


def _rope(c: Config) -> Rope:
    rope = read_rope(c)
    return rope if rope.kind == "default" or rope.factor is None else replace(rope, kind="deepseek_yarn")


@dataclass(frozen=True, slots=True)
class Sparse(Mla):
    """Attention to the tokens that an indexer picks; its fp8 keys (and one fp32 scale) are a cache of their own.
    `own_table`: the indexer rotates in another style than the attention and keeps its own table."""

    own_table: bool = False

    def caches(self, c: Config, tp: int) -> tuple[CacheLayer, ...]:
        m = latent(c.text)
        keys = CacheLayer(CacheKind.MLA, 1, c.text.need("index_head_dim") + 4, flavour="bytes")
        return (keys, CacheLayer(CacheKind.MLA, 1, m.rank + m.rope)) * layer_count(c.text)

    def tables(self, b: Builder, path: str, rope: Rope, positions: int, m: Latent) -> None:
        Mla.tables(self, b, path, rope, positions, m)
        if self.own_table:
            b.rope(f"{path}.indexer_rope_emb.cos_sin_cache", rope.rows(positions), m.rope, -rope.theta)

    def attention(self, text: Fields, b: Builder, path: str, m: Latent) -> None:
        if not m.query_rank:
            raise Unreadable("sparse attention without q_lora_rank is not modelled")
        heads, width = b.split(m.heads, "num_attention_heads"), text.need("index_head_dim")
        index_heads, indexer = text.need("index_n_heads"), f"{path}.indexer"
        b.linear(f"{path}.kv_b_proj", m.rank, (heads * (m.nope + m.value),))
        b.linear(f"{indexer}.wq_b", m.query_rank, (index_heads * width,))
        b.plain(f"{indexer}.wk_weights_proj", m.hidden, width + index_heads)
        b.add(f"{indexer}.k_norm.weight", width, FP32)
        b.add(f"{indexer}.k_norm.bias", width, FP32)
        shards = ("q_a_proj", "kv_a_proj_with_mqa")
        b.linear(f"{path}.fused_qkv_a_proj", m.hidden, (m.query_rank, m.rank + m.rope), shards)
        b.norm(f"{path}.q_a_layernorm", m.query_rank)
        b.linear(f"{path}.q_b_proj", m.query_rank, (heads * (m.nope + m.rope),))
        b.norm(f"{path}.kv_a_layernorm", m.rank)
        b.row(f"{path}.o_proj", m.heads * m.value, m.hidden)
        b.attention_buffers(path)


DEEPSEEK: Final = Mla()
DEEPSEEK_V32: Final = Sparse(own_table=True)
GLM_DSA: Final = Sparse(correction=True)
GLM4_LITE: Final = Mla(router=FP32, correction=True)
