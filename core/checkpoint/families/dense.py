"""Decoders of one kind of block: Llama and its many relatives, Qwen 2 and 3, Gemma 1 to 3, Phi 3, Cohere, Granite."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from core.checkpoint.caches import CacheLayer
from core.checkpoint.config import Config, tied
from core.checkpoint.families.blocks import (
    Dims,
    caches_by_type,
    dims,
    every,
    gated_mlp,
    layer,
    layer_types,
    positions,
    qkv,
    rope_table,
    uniform_window,
    window,
)
from core.checkpoint.rope import Rope, read_rope
from core.checkpoint.tensors import Builder

TWO_NORMS: Final = ("input_layernorm", "post_attention_layernorm")
GEMMA_NORMS: Final = (*TWO_NORMS, "pre_feedforward_layernorm", "post_feedforward_layernorm")


@dataclass(frozen=True, slots=True)
class Style:
    """How an architecture differs from Llama. `order`: what follows qkv_proj inside the attention, `more` what follows
    that only with some configs. `length`: positions in the rope table. `scalars`: xIELU's learned ones in the MLP."""

    norms: tuple[str, ...] = TWO_NORMS
    order: tuple[str, ...] = ("o_proj", "scales")
    more: Callable[[Config], tuple[str, ...]] = lambda c: ()
    length: Callable[[Config], int] = positions
    norm_bias: bool = False
    qkv_bias: Callable[[Config], bool] = lambda c: c.text.flag("attention_bias", "bias", "qkv_bias")
    out_bias: Callable[[Config], bool] = lambda c: c.text.flag("attention_bias", "bias")
    mlp_bias: Callable[[Config], bool] = lambda c: c.text.flag("mlp_bias")
    gated: bool = True
    scalars: bool = False
    head_bias: bool = False
    normalizer: bool = False
    tied: Callable[[Config], bool] = tied


@dataclass(frozen=True, slots=True)
class Dense:
    """A family of dense decoders. `rotated`: the share of each head that rope turns when the config names none."""

    style: Style = Style()
    pattern: Callable[[Config], Callable[[int], str]] | None = None
    span: Callable[[Config], int] = lambda c: window(c.text)
    two_ropes: bool = False
    rotated: float = 1.0

    def types(self, c: Config, layers: int) -> tuple[str, ...]:
        if self.pattern is not None:
            return layer_types(c, layers, self.pattern(c))
        kind = "sliding_attention" if uniform_window(c) else "full_attention"
        return layer_types(c, layers, lambda index: kind)

    def caches(self, c: Config, tp: int) -> tuple[CacheLayer, ...]:
        d = dims(c)
        return caches_by_type(d, self.types(c, d.layers), self.span(c), tp)

    def tensors(self, c: Config, b: Builder, root: str = "model") -> None:
        d = dims(c)
        b.embedding(f"{root}.embed_tokens", d.vocab, d.hidden)
        inner = c.text.need("intermediate_size")
        types = self.types(c, d.layers)
        for index in range(d.layers):
            path = f"{root}.layers.{index}"
            with layer(b):
                attention(b, c, f"{path}.self_attn", d, self.style)
                self._mlp(c, b, f"{path}.mlp", d, inner)
                for norm in self.style.norms:
                    b.norm(f"{path}.{norm}", d.hidden, bias=self.style.norm_bias)
            rope = read_rope(c, types[index], self.rotated)
            if self.two_ropes:
                rope = _gemma_rope(c, rope, types[index])
            rope_table(b, c, f"{path}.self_attn", d.head, rope, length=self.style.length(c))
        finish(b, c, root, d, self.style)

    def _mlp(self, c: Config, b: Builder, path: str, d: Dims, inner: int) -> None:
        bias = self.style.mlp_bias(c)
        if self.style.gated:
            gated_mlp(b, path, d.hidden, inner, bias=bias)
        else:
            b.column(f"{path}.up_proj", d.hidden, (inner,), bias=bias)
            b.row(f"{path}.down_proj", inner, d.hidden, bias=bias)
        if self.style.scalars:
            b.add(f"{path}.act_fn.alpha_p", 1)
            b.add(f"{path}.act_fn.alpha_n", 1)
            b.buffer(f"{path}.act_fn.beta", 1)
            b.buffer(f"{path}.act_fn.eps", 1)


def attention(b: Builder, c: Config, path: str, d: Dims, style: Style) -> None:
    qkv(b, f"{path}.qkv_proj", d, bias=style.qkv_bias(c))
    for step in (*style.order, *style.more(c)):
        if step in ("o_proj", "out_proj"):
            b.row(f"{path}.{step}", d.query, d.hidden, bias=style.out_bias(c))
        elif step == "scales":
            b.attention_scales(f"{path}.attn")
        elif step == "whole_norms":
            b.norm(f"{path}.q_norm", d.query)
            b.norm(f"{path}.k_norm", d.kv_heads * d.head)
        elif step == "wide_norms":
            b.norm(f"{path}.q_norm", b.split(d.query, "query heads"))
            b.norm(f"{path}.k_norm", b.split(d.kv_heads * d.head, "key heads"))
        else:
            b.norm(f"{path}.{step}", d.head)


def finish(b: Builder, c: Config, root: str, d: Dims, style: Style) -> None:
    b.norm(f"{root}.norm", d.hidden, bias=style.norm_bias)
    if not style.tied(c):
        b.lm_head("lm_head", d.vocab, d.hidden, bias=style.head_bias)
    if style.normalizer:
        b.buffer(f"{root}.normalizer", 1)


def _gemma_pattern(c: Config) -> Callable[[int], str]:
    return every(c.text.integer("sliding_window_pattern", "_sliding_window_pattern", minimum=1) or 6)


def _gemma_rope(c: Config, rope: Rope, kind: str) -> Rope:
    """Sliding layers have a base frequency of their own and no scaling (transformers 5.19 configuration_gemma3.py)."""
    nested = c.text.stated("rope_parameters")
    if kind == "sliding_attention":
        theta = rope.theta if nested else c.text.number("rope_local_base_freq") or 10000.0
        return replace(rope, kind="default", factor=None, theta=theta)
    return rope if nested else replace(rope, theta=c.text.number("rope_theta") or 1e6)


def _half_window(c: Config) -> int:
    """Gemma 3 that sees both ways counts its window exclusively (transformers: window // 2 + 1)."""
    span = window(c.text)
    return span // 2 + 1 if c.text.flag("use_bidirectional_attention") else span


def _never(c: Config) -> bool:
    return False


def _always(c: Config) -> bool:
    return True


def _wide_qk_norm(c: Config) -> tuple[str, ...]:
    return ("wide_norms",) if c.text.flag("use_qk_norm") else ()


def _longest_claim(c: Config) -> int:
    return c.text.integer("model_max_length", minimum=1) or positions(c)


def _video_positions(c: Config) -> int:
    """Multimodal rope keeps four times the positions, for videos (rotary_embedding/mrope.py)."""
    found = {**(c.text.mapping("rope_scaling") or {}), **(c.text.mapping("rope_parameters") or {})}
    return positions(c) * (4 if found.get("mrope_section") else 1)


LLAMA: Final = Dense()
_QK: Final = ("o_proj", "scales", "q_norm", "k_norm")
QWEN2: Final = Dense(Style(qkv_bias=_always, out_bias=_never, length=_video_positions), span=lambda c: _if_used(c))
QWEN3: Final = Dense(Style(order=_QK), span=lambda c: _if_used(c))
GEMMA: Final = Dense(Style(normalizer=True, tied=_always))
GEMMA2: Final = Dense(Style(norms=GEMMA_NORMS, normalizer=True, tied=_always), pattern=lambda c: every(2))
GEMMA3: Final = Dense(
    Style(norms=GEMMA_NORMS, normalizer=True, order=("o_proj", "q_norm", "k_norm", "scales")),
    pattern=_gemma_pattern,
    span=_half_window,
    two_ropes=True,
)
PHI3: Final = Dense(Style(qkv_bias=_never, out_bias=_never, mlp_bias=_never))
GLM4: Final = Dense(
    Style(
        norms=(*TWO_NORMS, "post_self_attn_layernorm", "post_mlp_layernorm"),
        out_bias=_never,
        length=_video_positions,
    ),
    rotated=0.5,
)
_COHERE: Final = Style(norms=("input_layernorm",), tied=_always, more=_wide_qk_norm, length=_longest_claim)
COHERE: Final = Dense(_COHERE)
COHERE2: Final = Dense(
    _COHERE,
    pattern=lambda c: every(c.text.integer("sliding_window_pattern", "_sliding_window_pattern", minimum=1) or 4),
    # vLLM adds one: Cohere's window includes the current token.
    span=lambda c: window(c.text) + 1 if window(c.text) else 0,
)
EXAONE4: Final = Dense(
    Style(
        norms=("post_attention_layernorm", "post_feedforward_layernorm"),
        order=("o_proj", "q_norm", "k_norm", "scales"),
    ),
    pattern=lambda c: every(c.text.integer("sliding_window_pattern") or 4),
)
STABLELM: Final = Dense(Style(norm_bias=True, qkv_bias=lambda c: c.text.flag("use_qkv_bias"), out_bias=_never))
NEMOTRON: Final = Dense(Style(norm_bias=True, gated=False))
APERTUS: Final = Dense(
    Style(
        norms=("attention_layernorm", "feedforward_layernorm"),
        order=("o_proj", "scales", "q_norm", "k_norm"),
        gated=False,
        scalars=True,
    ),
    # Only layers that the config calls sliding have a window.
    pattern=lambda c: lambda index: "full_attention",
)
ERNIE: Final = Dense(
    Style(
        qkv_bias=lambda c: c.text.flag("use_bias"),
        out_bias=lambda c: c.text.flag("use_bias"),
        mlp_bias=lambda c: c.text.flag("use_bias"),
    )
)


def _if_used(c: Config) -> int:
    """Qwen configs name a window that counts only with `use_sliding_window`."""
    return window(c.text) if c.text.flag("use_sliding_window") else 0
