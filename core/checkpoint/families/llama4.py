"""Llama 4: chunked local attention with rope, every fourth layer full and without. vLLM 0.32 `models/llama4.py`."""

from __future__ import annotations

from typing import Final

from core.checkpoint.caches import CacheKind, CacheLayer, full, kv_share
from core.checkpoint.config import Config, tied
from core.checkpoint.families.blocks import dims, gated_mlp, layer, qkv, rope_table, routed
from core.checkpoint.fields import Fields, Unreadable
from core.checkpoint.tensors import Builder


class Llama4:
    def _local(self, text: Fields, layers: int) -> tuple[bool, ...]:
        """Which layers have rope (1 in `no_rope_layers`, whose name says the opposite)."""
        marks = text.integers("no_rope_layers")
        if not marks:
            interval = text.integer("no_rope_layer_interval", minimum=1) or 4
            return tuple(bool((index + 1) % interval) for index in range(layers))
        if len(marks) < layers:
            raise Unreadable(f"no_rope_layers names {len(marks)} of {layers} layers")
        return tuple(bool(mark) for mark in marks[:layers])

    def caches(self, c: Config, tp: int) -> tuple[CacheLayer, ...]:
        d = dims(c)
        chunk = c.text.integer("attention_chunk_size") or 0
        whole = full(d.kv_heads, d.head, tp)
        part = CacheLayer(CacheKind.CHUNKED, kv_share(d.kv_heads, tp), d.head, d.head, chunk)
        return tuple(part if local and chunk else whole for local in self._local(c.text, d.layers))

    def tensors(self, c: Config, b: Builder, root: str = "model") -> None:
        d, text = dims(c), c.text
        b.embedding(f"{root}.embed_tokens", d.vocab, d.hidden)
        step = text.integer("interleave_moe_layer_step")
        step = 1 if step is None else step
        local = self._local(text, d.layers)
        for index in range(d.layers):
            path = f"{root}.layers.{index}"
            with layer(b):
                qkv(b, f"{path}.self_attn.qkv_proj", d)
                b.row(f"{path}.self_attn.o_proj", d.query, d.hidden)
                b.attention_scales(f"{path}.self_attn.attn")
                block = f"{path}.feed_forward"
                if step > 0 and (index + 1) % step == 0:
                    count, inner = text.need("num_local_experts", "num_experts"), text.need("intermediate_size")
                    b.plain(f"{block}.router", d.hidden, count)
                    gated_mlp(b, f"{block}.shared_expert", d.hidden, inner)
                    routed(b, f"{block}.experts", count, d.hidden, inner)
                else:
                    gated_mlp(b, block, d.hidden, text.need("intermediate_size_mlp"))
                b.norm(f"{path}.input_layernorm", d.hidden)
                b.norm(f"{path}.post_attention_layernorm", d.hidden)
            if local[index]:
                rope_table(b, c, f"{path}.self_attn", d.head)
        b.norm(f"{root}.norm", d.hidden)
        if not tied(c):
            b.lm_head("lm_head", d.vocab, d.hidden)


LLAMA4: Final = Llama4()
