"""Zamba 2: Mamba 2 throughout, and every few layers one of a few shared transformer blocks, whose caches are not
shared. vLLM 0.32 `models/zamba2.py`."""

from __future__ import annotations

from typing import Final

from core.checkpoint.caches import CacheLayer, full
from core.checkpoint.config import Config, tied
from core.checkpoint.families.blocks import QKV, layer, layer_count, rope_table, stated
from core.checkpoint.families.ssm import Mixer2, mixer2, mixer2_cache
from core.checkpoint.fields import Fields, Unreadable
from core.checkpoint.tensors import Builder


class Zamba2:
    def mixer(self, text: Fields) -> Mixer2:
        hidden = stated(text, "hidden_size")
        inner = hidden * text.need("mamba_expand")
        heads = text.need("n_mamba_heads")
        return Mixer2(
            hidden,
            inner,
            text.need("mamba_ngroups"),
            heads,
            text.integer("mamba_headdim", minimum=1) or inner // heads,
            text.need("mamba_d_state"),
            text.need("mamba_d_conv"),
            text.flag("use_conv_bias", default=True),
            text.flag("add_bias_linear"),
        )

    def hybrids(self, text: Fields) -> tuple[bool, ...]:
        """Which layers carry a transformer block."""
        kinds, layers = text.strings("layers_block_type") or text.strings("layer_types"), layer_count(text)
        if kinds and len(kinds) < layers:
            raise Unreadable(f"layers_block_type names {len(kinds)} of {layers} layers")
        if kinds:
            return tuple(kind == "hybrid" for kind in kinds[:layers])
        places = text.integers("hybrid_layer_ids")
        if not places:
            raise Unreadable("config.json gives neither layers_block_type nor hybrid_layer_ids")
        return tuple(index in places for index in range(layers))

    def _attention(self, text: Fields) -> tuple[int, int]:
        """Heads and head size; attention sees two hidden states at once."""
        heads = text.need("num_attention_heads")
        head = text.integer("attention_head_dim", minimum=1) or 2 * stated(text, "hidden_size") // heads
        return heads, head

    def caches(self, c: Config, tp: int) -> tuple[CacheLayer, ...]:
        heads, head = self._attention(c.text)
        state, kept = mixer2_cache(self.mixer(c.text), tp), full(heads, head, tp)
        return tuple(cache for hybrid in self.hybrids(c.text) for cache in ((kept, state) if hybrid else (state,)))

    def tensors(self, c: Config, b: Builder, root: str = "model") -> None:
        text, m = c.text, self.mixer(c.text)
        vocab, flags = text.need("vocab_size"), self.hybrids(c.text)
        b.embedding(f"{root}.embed_tokens", vocab, m.hidden)
        copies, seen = text.integer("num_mem_blocks", minimum=1) or 1, 0
        for index, hybrid in enumerate(flags):
            path = f"{root}.layers.{index}"
            with layer(b):
                if hybrid:
                    if seen < copies:
                        self._block(c, b, f"{path}.shared_transformer", seen, sum(flags))
                    b.linear(f"{path}.linear", m.hidden, (m.hidden,))
                    path, seen = f"{path}.mamba_decoder", seen + 1
                mixer2(b, f"{path}.mamba", m)
                b.norm(f"{path}.input_layernorm", m.hidden)
        b.norm(f"{root}.final_layernorm", m.hidden)
        if not tied(c):
            b.lm_head("lm_head", vocab, m.hidden)

    def _block(self, c: Config, b: Builder, path: str, number: int, blocks: int) -> None:
        """Block `number` with its adapters: one for each layer that uses it."""
        text = c.text
        hidden, inner = stated(text, "hidden_size"), text.need("intermediate_size")
        heads, head = self._attention(text)
        wide, rank = heads * head, text.need("adapter_rank")
        uses = range(number, blocks, text.integer("num_mem_blocks", minimum=1) or 1)
        attention = f"{path}.self_attn"
        b.column(f"{attention}.qkv_proj", wide, (wide,) * 3, QKV)
        b.row(f"{attention}.o_proj", wide, hidden)
        for use in uses:
            b.attention_scales(f"{attention}.dpa_list.{use}")
        if text.flag("use_shared_attention_adapter"):
            for side in "qkv":
                for use in uses:
                    self._adapter(b, f"{attention}.linear_{side}_adapter_list.{use}", wide, rank, (wide,))
        if text.flag("use_mem_rope"):
            rope_table(b, c, attention, head)
        mlp = f"{path}.feed_forward"
        bias = text.flag("add_bias_linear")
        b.column(f"{mlp}.gate_up_proj", hidden, (inner, inner), ("gate_up_proj",), bias=bias)
        b.row(f"{mlp}.down_proj", inner, hidden, bias=bias)
        for use in uses:
            self._adapter(b, f"{mlp}.gate_up_proj_adapter_list.{use}", hidden, rank, (inner, inner))
        b.norm(f"{path}.input_layernorm", wide)
        b.norm(f"{path}.pre_ff_layernorm", hidden)

    def _adapter(self, b: Builder, path: str, width: int, rank: int, outs: tuple[int, ...]) -> None:
        b.column(f"{path}.A", width, (rank,))
        b.column(f"{path}.B", rank, outs, ("B",))


ZAMBA2: Final = Zamba2()
