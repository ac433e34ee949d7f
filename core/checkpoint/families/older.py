"""GPT-2, GPT-J, OPT and Falcon. vLLM 0.32 `models/{gpt2,gpt_j,opt,falcon}.py`."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from core.checkpoint.caches import CacheLayer, full
from core.checkpoint.config import Config, tied
from core.checkpoint.families.blocks import Dims, dims, layer, rope_table
from core.checkpoint.tensors import Builder, Part


def _plain_caches(c: Config, tp: int) -> tuple[CacheLayer, ...]:
    d = dims(c)
    return (full(d.kv_heads, d.head, tp),) * d.layers


def _positions(b: Builder, path: str, rows: int, width: int) -> None:
    """Learned positions: a plain table, not padded and whole on every rank."""
    b.add(f"{path}.weight", rows * width, part=Part.EMBEDDING)


def _two_layer_mlp(b: Builder, up: str, down: str, hidden: int, inner: int, *, bias: bool) -> None:
    b.column(up, hidden, (inner,), bias=bias)
    b.row(down, inner, hidden, bias=bias)


class Gpt2:
    def caches(self, c: Config, tp: int) -> tuple[CacheLayer, ...]:
        return _plain_caches(c, tp)

    def tensors(self, c: Config, b: Builder, root: str = "transformer") -> None:
        d = dims(c)
        root = "transformer"
        b.embedding(f"{root}.wte", d.vocab, d.hidden)
        _positions(b, f"{root}.wpe", c.text.need("max_position_embeddings"), d.hidden)
        inner = c.text.integer("n_inner", minimum=1) or 4 * d.hidden
        for index in range(d.layers):
            path = f"{root}.h.{index}"
            with layer(b):
                b.norm(f"{path}.ln_1", d.hidden, bias=True)
                b.column(f"{path}.attn.c_attn", d.hidden, (d.hidden,) * 3, ("c_attn",), bias=True)
                b.row(f"{path}.attn.c_proj", d.hidden, d.hidden, bias=True)
                b.attention_scales(f"{path}.attn.attn")
                b.norm(f"{path}.ln_2", d.hidden, bias=True)
                _two_layer_mlp(b, f"{path}.mlp.c_fc", f"{path}.mlp.c_proj", d.hidden, inner, bias=True)
        b.norm(f"{root}.ln_f", d.hidden, bias=True)
        if not tied(c):
            b.lm_head("lm_head", d.vocab, d.hidden)


class GptJ:
    def caches(self, c: Config, tp: int) -> tuple[CacheLayer, ...]:
        return _plain_caches(c, tp)

    def tensors(self, c: Config, b: Builder, root: str = "transformer") -> None:
        d = dims(c)
        root = "transformer"
        b.embedding(f"{root}.wte", d.vocab, d.hidden)
        inner = c.text.integer("n_inner", minimum=1) or 4 * d.hidden
        width = c.text.integer("rotary_dim", minimum=1) or d.head
        for index in range(d.layers):
            path = f"{root}.h.{index}"
            with layer(b):
                b.norm(f"{path}.ln_1", d.hidden, bias=True)
                b.column(f"{path}.attn.qkv_proj", d.hidden, (d.hidden,) * 3, ("q_proj", "k_proj", "v_proj"))
                b.row(f"{path}.attn.out_proj", d.hidden, d.hidden)
                b.attention_scales(f"{path}.attn.attn")
                _two_layer_mlp(b, f"{path}.mlp.fc_in", f"{path}.mlp.fc_out", d.hidden, inner, bias=True)
            positions = c.text.integer("max_position_embeddings", minimum=1) or 8192
            b.rope(f"{path}.attn.rotary_emb.cos_sin_cache", positions, width, 10000.0)
        b.norm(f"{root}.ln_f", d.hidden, bias=True)
        b.lm_head("lm_head", d.vocab, d.hidden, bias=True)


class Opt:
    def caches(self, c: Config, tp: int) -> tuple[CacheLayer, ...]:
        return _plain_caches(c, tp)

    def tensors(self, c: Config, b: Builder, root: str = "model") -> None:
        d, text = dims(c), c.text
        root = "model.decoder"
        bias, width = text.flag("enable_bias", default=True), text.integer("word_embed_proj_dim") or d.hidden
        affine = text.flag("layer_norm_elementwise_affine", default=True)
        b.embedding(f"{root}.embed_tokens", d.vocab, width)
        _positions(b, f"{root}.embed_positions", text.need("max_position_embeddings") + 2, d.hidden)
        if width != d.hidden:
            b.linear(f"{root}.project_out", d.hidden, (width,))
            b.linear(f"{root}.project_in", width, (d.hidden,))
        if text.flag("do_layer_norm_before", default=True) and not text.flag("_remove_final_layer_norm") and affine:
            b.norm(f"{root}.final_layer_norm", d.hidden, bias=True)
        for index in range(d.layers):
            path = f"{root}.layers.{index}"
            with layer(b):
                self._layer(b, path, d, text.need("ffn_dim"), bias=bias, affine=affine)
        if not tied(c):
            b.lm_head("lm_head", d.vocab, width)

    def _layer(self, b: Builder, path: str, d: Dims, inner: int, *, bias: bool, affine: bool) -> None:
        shards = ("q_proj", "k_proj", "v_proj")
        b.column(f"{path}.self_attn.qkv_proj", d.hidden, (d.hidden,) * 3, shards, bias=bias)
        b.row(f"{path}.self_attn.out_proj", d.hidden, d.hidden, bias=bias)
        b.attention_scales(f"{path}.self_attn.attn")
        if affine:
            b.norm(f"{path}.self_attn_layer_norm", d.hidden, bias=True)
        _two_layer_mlp(b, f"{path}.fc1", f"{path}.fc2", d.hidden, inner, bias=bias)
        if affine:
            b.norm(f"{path}.final_layer_norm", d.hidden, bias=True)


class Falcon:
    def _dims(self, c: Config) -> Dims:
        d = dims(c)
        if c.text.flag("new_decoder_architecture"):
            return replace(d, kv_heads=c.text.integer("num_kv_heads", "n_head_kv", minimum=1) or d.heads)
        return replace(d, kv_heads=1 if c.text.flag("multi_query", default=True) else d.heads)

    def caches(self, c: Config, tp: int) -> tuple[CacheLayer, ...]:
        d = self._dims(c)
        return (full(d.kv_heads, d.head, tp),) * d.layers

    def tensors(self, c: Config, b: Builder, root: str = "transformer") -> None:
        d, text = self._dims(c), c.text
        root, bias = "transformer", text.flag("bias")
        b.embedding(f"{root}.word_embeddings", d.vocab, d.hidden)
        inner = text.integer("ffn_hidden_size", minimum=1) or 4 * d.hidden
        for index in range(d.layers):
            path = f"{root}.h.{index}"
            with layer(b):
                kv = max(1, d.kv_heads // b.tp) * d.head
                outs = (b.split(d.query, "queries"), kv, kv)
                b.linear(f"{path}.self_attention.query_key_value", d.hidden, outs, ("query_key_value",), bias=bias)
                b.row(f"{path}.self_attention.dense", d.query, d.hidden, bias=bias)
                b.attention_scales(f"{path}.self_attention.attn")
                up, down = f"{path}.mlp.dense_h_to_4h", f"{path}.mlp.dense_4h_to_h"
                _two_layer_mlp(b, up, down, d.hidden, inner, bias=bias)
                for norm in self._norms(c):
                    b.norm(f"{path}.{norm}", d.hidden, bias=True)
            if not text.flag("alibi"):
                rope_table(b, c, f"{path}.self_attention", d.head)
        b.norm(f"{root}.ln_f", d.hidden, bias=True)
        if not tied(c):
            b.lm_head("lm_head", d.vocab, d.hidden)

    def _norms(self, c: Config) -> tuple[str, ...]:
        norms = c.text.integer("num_ln_in_parallel_attn")
        new = c.text.flag("new_decoder_architecture")
        if (norms == 2) or (norms is None and new):
            return ("ln_attn", "ln_mlp")
        if c.text.flag("parallel_attn", default=True):
            return ("input_layernorm",)
        return ("input_layernorm", "post_attention_layernorm")


GPT2: Final = Gpt2()
GPTJ: Final = GptJ()
OPT: Final = Opt()
FALCON: Final = Falcon()
