"""Decoders with routed experts and ordinary attention: Mixtral, Qwen MoE, Granite MoE, OLMoE, Phi MoE, GLM 4 MoE,
ERNIE MoE, gpt-oss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from core.checkpoint.caches import CacheLayer
from core.checkpoint.config import Config
from core.checkpoint.families.blocks import (
    EXPERT_COUNTS,
    Dims,
    caches_by_type,
    dims,
    gated_mlp,
    layer,
    rope_table,
    routed,
    uniform_window,
    window,
)
from core.checkpoint.families.dense import Style, attention, finish
from core.checkpoint.fields import Fields
from core.checkpoint.quantization.scheme import PLAIN, Experts, up
from core.checkpoint.tensors import Builder, Part

FP32: Final = "float32"


@dataclass(frozen=True, slots=True)
class Moe:
    """`block`: the name of the MoE module; `router_quantized`: its gate follows the checkpoint's quantization;
    `router_dtype` "" for the model's; `shared`: "" none, "gated" with a gate of its own (Qwen), "plain" (GLM, ERNIE);
    `inner` the config key of the experts' width; `sparse` tells whether a layer has experts."""

    style: Style = field(default_factory=Style)
    block: str = "mlp"
    router_quantized: bool = False
    router_dtype: str = ""
    correction: bool = False
    shared: str = ""
    inner: tuple[str, ...] = ("moe_intermediate_size", "intermediate_size")
    sparse: Callable[[Fields, int], bool] = lambda text, index: True

    def caches(self, c: Config, tp: int) -> tuple[CacheLayer, ...]:
        d = dims(c)
        span = uniform_window(c) if c.text.flag("use_sliding_window", default=True) else 0
        kind = "sliding_attention" if span else "full_attention"
        return caches_by_type(d, (kind,) * d.layers, span, tp)

    def tensors(self, c: Config, b: Builder, root: str = "model") -> None:
        d = dims(c)
        b.embedding(f"{root}.embed_tokens", d.vocab, d.hidden)
        for index in range(d.layers):
            path = f"{root}.layers.{index}"
            with layer(b):
                attention(b, c, f"{path}.self_attn", d, self.style)
                if self.sparse(c.text, index):
                    self.moe(c, b, f"{path}.{self.block}", d)
                else:
                    gated_mlp(b, f"{path}.mlp", d.hidden, c.text.need("intermediate_size"))
                for norm in self.style.norms:
                    b.norm(f"{path}.{norm}", d.hidden, bias=self.style.norm_bias)
            rope_table(b, c, f"{path}.self_attn", d.head, length=self.style.length(c))
        finish(b, c, root, d, self.style)

    def moe(self, c: Config, b: Builder, path: str, d: Dims) -> None:
        count = c.text.need(*EXPERT_COUNTS)
        if self.router_quantized:
            b.linear(f"{path}.gate", d.hidden, (count,))
        else:
            b.plain(f"{path}.gate", d.hidden, count, dtype=self.router_dtype)
        if self.correction:
            b.add(f"{path}.gate.e_score_correction_bias", count, FP32)
        self._shared(c, b, path, d)
        routed(b, f"{path}.experts", count, d.hidden, c.text.need(*self.inner))

    def _shared(self, c: Config, b: Builder, path: str, d: Dims) -> None:
        if self.shared == "gated":
            inner = c.text.integer("shared_expert_intermediate_size") or 0
            if inner:
                b.plain(f"{path}.shared_expert_gate", d.hidden, 1)
                gated_mlp(b, f"{path}.shared_expert", d.hidden, inner)
        elif self.shared == "plain":
            copies = c.text.integer("n_shared_experts", "moe_num_shared_experts") or 0
            if copies:
                gated_mlp(b, f"{path}.shared_experts", d.hidden, c.text.need(*self.inner) * copies)


def _qwen_sparse(text: Fields, index: int) -> bool:
    step = text.integer("decoder_sparse_step", minimum=1) or 1
    return index not in text.integers("mlp_only_layers") and (index + 1) % step == 0


def _after_dense(text: Fields, index: int) -> bool:
    return index >= (text.integer("first_k_dense_replace") or 0)


def _ernie_sparse(text: Fields, index: int) -> bool:
    step = text.integer("moe_layer_interval", minimum=1) or 1
    start, end = text.integer("moe_layer_start_index") or 0, text.integer("moe_layer_end_index", minimum=-1)
    inside = index >= start and (end is None or end == -1 or index <= end)
    return inside and (index + 1) % step == 0


_PLAIN_ATTENTION: Final = Style()
_QK: Final = ("o_proj", "scales", "q_norm", "k_norm")
MIXTRAL: Final = Moe(block="block_sparse_moe")
GRANITE_MOE: Final = Moe(block="block_sparse_moe", inner=("intermediate_size",))
QWEN2_MOE: Final = Moe(
    Style(qkv_bias=lambda c: c.text.flag("qkv_bias", default=True), out_bias=lambda c: False),
    shared="gated",
    sparse=_qwen_sparse,
)
QWEN3_MOE: Final = Moe(Style(order=_QK), router_quantized=True, sparse=_qwen_sparse)
OLMOE: Final = Moe(Style(order=("whole_norms", "o_proj", "scales")), inner=("intermediate_size",))
PHIMOE: Final = Moe(
    Style(
        norm_bias=True,
        qkv_bias=lambda c: True,
        out_bias=lambda c: True,
        head_bias=True,
    ),
    block="block_sparse_moe",
    inner=("intermediate_size",),
)
GLM4_MOE: Final = Moe(
    Style(out_bias=lambda c: False, more=lambda c: ("q_norm", "k_norm") if c.text.flag("use_qk_norm") else ()),
    router_dtype=FP32,
    correction=True,
    shared="plain",
    sparse=_after_dense,
)
ERNIE_MOE: Final = Moe(
    Style(qkv_bias=lambda c: c.text.flag("use_bias"), out_bias=lambda c: c.text.flag("use_bias")),
    router_dtype=FP32,
    correction=True,
    shared="plain",
    sparse=_ernie_sparse,
)
# For architectures that are not modelled.
GENERIC: Final = Moe(shared="plain", sparse=_after_dense)


class GptOss:
    """gpt-oss: sinks, biases everywhere, every second layer slides, MXFP4 experts padded for the kernel."""

    def caches(self, c: Config, tp: int) -> tuple[CacheLayer, ...]:
        d = dims(c)
        # The model alternates by index, whatever layer_types says (models/gpt_oss.py).
        types = tuple("full_attention" if index % 2 else "sliding_attention" for index in range(d.layers))
        return caches_by_type(d, types, window(c.text), tp)

    def tensors(self, c: Config, b: Builder, root: str = "model") -> None:
        d = dims(c)
        b.embedding(f"{root}.embedding", d.vocab, d.hidden)
        count, inner = c.text.need("num_local_experts", "num_experts"), c.text.need("intermediate_size")
        for index in range(d.layers):
            path = f"{root}.layers.{index}"
            with layer(b):
                b.add(f"{path}.attn.sinks", b.split(d.heads, "num_attention_heads"))
                style = Style(qkv_bias=lambda c: True, out_bias=lambda c: True)
                attention(b, c, f"{path}.attn", d, style)
                b.plain(f"{path}.mlp.router", d.hidden, count, bias=True)
                self._experts(b, f"{path}.mlp.experts", Experts(count, d.hidden, b.split(inner, "experts")))
                b.norm(f"{path}.input_layernorm", d.hidden)
                b.norm(f"{path}.post_attention_layernorm", d.hidden)
            rope_table(b, c, f"{path}.attn", d.head, dtype=FP32)
        b.norm(f"{root}.norm", d.hidden)
        b.lm_head("lm_head", d.vocab, d.hidden)

    def _experts(self, b: Builder, path: str, experts: Experts) -> None:
        scheme = b.quantization.pick((path,))
        packed = b.quantization.method == "mxfp4"
        wide = experts.halves * (up(experts.inner, 128) * 128 if packed else experts.inner)
        hidden = up(experts.hidden, 256) * 256 if packed else experts.hidden
        with b.within(Part.EXPERTS, offloadable=True):
            for suffix, elements, dtype in (scheme if packed else PLAIN).experts(experts, b.dtype):
                b.add(f"{path}.routed_experts.{suffix}", elements, dtype)
            b.add(f"{path}.routed_experts.w13_bias", experts.count * wide)
            b.add(f"{path}.routed_experts.w2_bias", experts.count * hidden)


GPT_OSS: Final = GptOss()
