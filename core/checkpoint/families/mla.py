"""Multi-head latent attention: DeepSeek V2 and V3, Kimi K2, GLM 4.7 Flash; with a sparse indexer, DeepSeek V3.2."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from core.checkpoint.caches import CacheKind, CacheLayer
from core.checkpoint.config import Config, tied
from core.checkpoint.families.blocks import EXPERT_COUNTS, gated_mlp, layer, layer_count, routed, stated
from core.checkpoint.fields import Fields
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
    """`router`: dtype of the gate, "" for the model's. `correction` None: only with `topk_method` noaux_tc.
    `indexer`: sparse attention, whose indexer keeps fp8 keys of its own (`index_head_dim` + one fp32 scale)."""

    router: str = ""
    correction: bool | None = None
    indexer: bool = False

    def caches(self, c: Config, tp: int) -> tuple[CacheLayer, ...]:
        m = latent(c.text)
        main = CacheLayer(CacheKind.MLA, 1, m.rank + m.rope)
        if not self.indexer:
            return (main,) * layer_count(c.text)
        keys = CacheLayer(CacheKind.MLA, 1, c.text.need("index_head_dim") + 4, flavour="bytes")
        return (main, keys) * layer_count(c.text)

    def tensors(self, c: Config, b: Builder, root: str = "model") -> None:
        text, m = c.text, latent(c.text)
        b.embedding(f"{root}.embed_tokens", text.need("vocab_size"), m.hidden)
        rope = _rope(c)
        positions = text.integer("max_position_embeddings", minimum=1) or 8192
        for index in range(layer_count(text)):
            path = f"{root}.layers.{index}"
            with layer(b):
                self._attention(b, f"{path}.self_attn", m)
                if self.indexer:
                    self._indexer(text, b, f"{path}.self_attn.indexer", m)
                if _sparse(text, index):
                    self._moe(text, b, f"{path}.mlp", m.hidden)
                else:
                    gated_mlp(b, f"{path}.mlp", m.hidden, text.need("intermediate_size"))
                b.norm(f"{path}.input_layernorm", m.hidden)
                b.norm(f"{path}.post_attention_layernorm", m.hidden)
            b.rope(f"{path}.self_attn.rotary_emb.cos_sin_cache", rope.rows(positions), m.rope, rope.theta)
        b.norm(f"{root}.norm", m.hidden)
        if not tied(c):
            b.lm_head("lm_head", text.need("vocab_size"), m.hidden)

    def _attention(self, b: Builder, path: str, m: Latent) -> None:
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

    def _indexer(self, text: Fields, b: Builder, path: str, m: Latent) -> None:
        heads, width = text.need("index_n_heads"), text.need("index_head_dim")
        b.linear(f"{path}.wq_b", m.query_rank or m.hidden, (heads * width,))
        b.linear(f"{path}.wk", m.hidden, (width,))
        b.norm(f"{path}.k_norm", width, bias=True)
        b.plain(f"{path}.weights_proj", m.hidden, heads)

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


DEEPSEEK: Final = Mla()
DEEPSEEK_V32: Final = Mla(indexer=True)
GLM_DSA: Final = Mla(router=FP32, correction=True, indexer=True)
GLM4_LITE: Final = Mla(router=FP32, correction=True)
