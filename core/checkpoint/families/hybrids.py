"""Hybrids of Mamba 2 and attention layers: Nemotron-H, Granite 4."""

from __future__ import annotations

from typing import Final

from core.checkpoint.caches import CacheLayer, full
from core.checkpoint.config import Config, tied
from core.checkpoint.families.blocks import (
    dims,
    layer,
    layer_types,
    qkv,
    rope_table,
    routed,
    stated,
)
from core.checkpoint.families.ssm import FP32, Mixer2, mixer2, mixer2_cache
from core.checkpoint.fields import Fields, Unreadable
from core.checkpoint.tensors import Builder

# transformers 5 calls the layers "linear_attention" and "full_attention", the checkpoints "mamba" and "attention".
ATTENTION: Final = ("attention", "full_attention")


class NemotronH:
    """One block per layer: M mamba, * attention, E experts, - MLP; attention without rope."""

    def mixer(self, text: Fields) -> Mixer2:
        heads, head = text.need("mamba_num_heads"), text.need("mamba_head_dim")
        return Mixer2(
            stated(text, "hidden_size"),
            heads * head,
            text.need("n_groups"),
            heads,
            head,
            text.need("ssm_state_size"),
            text.need("conv_kernel"),
            text.flag("use_conv_bias", default=True),
            text.flag("mamba_proj_bias", "use_bias"),
        )

    def pattern(self, c: Config) -> str:
        pattern = c.text.text("hybrid_override_pattern")
        if not pattern:
            kinds = c.text.strings("layers_block_type") or c.text.strings("layer_types")
            letters = {
                "mamba": "M",
                "linear_attention": "M",
                "attention": "*",
                "full_attention": "*",
                "moe": "E",
                "mlp": "-",
            }
            pattern = "".join(letters.get(kind, "?") for kind in kinds)
        if not pattern or set(pattern) - set("M*E-"):
            raise Unreadable("config.json gives no usable hybrid_override_pattern")
        return pattern

    def caches(self, c: Config, tp: int) -> tuple[CacheLayer, ...]:
        d = dims(c, len(self.pattern(c)))
        kept = {"M": mixer2_cache(self.mixer(c.text), tp), "*": full(d.kv_heads, d.head, tp)}
        return tuple(kept[letter] for letter in self.pattern(c) if letter in kept)

    def tensors(self, c: Config, b: Builder, root: str = "model") -> None:
        d, m = dims(c, len(self.pattern(c))), self.mixer(c.text)
        b.embedding(f"{root}.embed_tokens", d.vocab, d.hidden)
        for index, letter in enumerate(self.pattern(c)):
            path = f"{root}.layers.{index}.mixer"
            with layer(b):
                if letter == "M":
                    mixer2(b, path, m)
                elif letter == "*":
                    qkv(b, f"{path}.qkv_proj", d, bias=c.text.flag("attention_bias"))
                    b.row(f"{path}.o_proj", d.query, d.hidden)
                    b.attention_scales(f"{path}.attn")
                elif letter == "E":
                    self._moe(c.text, b, path, d.hidden)
                else:
                    inner = self._inner(c.text)
                    b.column(f"{path}.up_proj", d.hidden, (inner,), bias=c.text.flag("mlp_bias"))
                    b.row(f"{path}.down_proj", inner, d.hidden, bias=c.text.flag("mlp_bias"))
                b.norm(f"{root}.layers.{index}.norm", d.hidden)
        b.norm(f"{root}.norm_f", d.hidden)
        if not tied(c):
            b.lm_head("lm_head", d.vocab, d.hidden)

    def _inner(self, text: Fields) -> int:
        widths = text.integers("intermediate_size")
        return widths[0] if widths else text.need("intermediate_size")

    def _moe(self, text: Fields, b: Builder, path: str, hidden: int) -> None:
        count = text.need("n_routed_experts")
        b.plain(f"{path}.gate", hidden, count, dtype=FP32)
        b.add(f"{path}.gate.e_score_correction_bias", count, FP32)
        copies = text.integer("n_shared_experts") or 0
        if copies:
            inner = text.need("moe_shared_expert_intermediate_size") * copies
            b.column(f"{path}.shared_experts.up_proj", hidden, (inner,))
            b.row(f"{path}.shared_experts.down_proj", inner, hidden)
        routed(b, f"{path}.experts", count, hidden, text.need("moe_intermediate_size"), gated=False)


class GraniteHybrid:
    def mixer(self, text: Fields) -> Mixer2:
        hidden = stated(text, "hidden_size")
        heads = text.need("mamba_n_heads")
        inner = hidden * text.need("mamba_expand")
        head = text.integer("mamba_d_head", minimum=1) or inner // heads
        return Mixer2(
            hidden,
            inner,
            text.need("mamba_n_groups"),
            heads,
            head,
            text.need("mamba_d_state"),
            text.need("mamba_d_conv"),
            text.flag("mamba_conv_bias", default=True),
            text.flag("mamba_proj_bias"),
        )

    def caches(self, c: Config, tp: int) -> tuple[CacheLayer, ...]:
        d = dims(c)
        state, whole = mixer2_cache(self.mixer(c.text), tp), full(d.kv_heads, d.head, tp)
        types = layer_types(c, d.layers, lambda index: "mamba")
        return tuple(whole if kind in ATTENTION else state for kind in types)

    def tensors(self, c: Config, b: Builder, root: str = "model") -> None:
        d, m, text = dims(c), self.mixer(c.text), c.text
        b.embedding(f"{root}.embed_tokens", d.vocab, d.hidden)
        for index, kind in enumerate(layer_types(c, d.layers, lambda index: "mamba")):
            path = f"{root}.layers.{index}"
            with layer(b):
                if kind in ATTENTION:
                    qkv(b, f"{path}.self_attn.qkv_proj", d, bias=text.flag("attention_bias"))
                    b.row(f"{path}.self_attn.o_proj", d.query, d.hidden, bias=text.flag("attention_bias"))
                    b.attention_scales(f"{path}.self_attn.attn")
                else:
                    mixer2(b, f"{path}.mamba", m)
                if count := text.integer("num_local_experts") or 0:
                    b.plain(f"{path}.block_sparse_moe.gate", d.hidden, count)
                    routed(b, f"{path}.block_sparse_moe.experts", count, d.hidden, text.need("intermediate_size"))
                if inner := text.integer("shared_intermediate_size") or 0:
                    b.column(f"{path}.shared_mlp.input_linear", d.hidden, (inner, inner))
                    b.row(f"{path}.shared_mlp.output_linear", inner, d.hidden)
                b.norm(f"{path}.input_layernorm", d.hidden)
                b.norm(f"{path}.post_attention_layernorm", d.hidden)
            if kind in ATTENTION and text.text("position_embedding_type") == "rope":
                rope_table(b, c, f"{path}.self_attn", d.head)
        b.norm(f"{root}.norm", d.hidden)
        if not tied(c):
            b.lm_head("lm_head", d.vocab, d.hidden)


NEMOTRON_H: Final = NemotronH()
GRANITE_HYBRID: Final = GraniteHybrid()
