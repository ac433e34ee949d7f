"""FP8 and INT8 weights: one scale per tensor, per output channel or per block."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

from core.checkpoint.fields import Refused
from core.checkpoint.quantization.scheme import Experts, Rows, up

FP8 = "float8_e4m3fn"


@dataclass(frozen=True, slots=True)
class PerTensor:
    """One fp32 scale per fused shard; `static` adds one for the input."""

    static: bool = False
    item: str = FP8

    def linear(self, n_in: int, outs: tuple[int, ...], dtype: str) -> Rows:
        rows = (("weight", n_in * sum(outs), self.item), ("weight_scale", len(outs), "float32"))
        return (*rows, ("input_scale", len(outs), "float32")) if self.static else rows

    def experts(self, experts: Experts, dtype: str) -> Rows:
        count = experts.count
        rows = (
            ("w13_weight", count * experts.wide * experts.hidden, self.item),
            ("w2_weight", count * experts.hidden * experts.inner, self.item),
            ("w13_weight_scale", count * experts.halves, "float32"),
            ("w2_weight_scale", count, "float32"),
        )
        inputs = (("w13_input_scale", count, "float32"), ("w2_input_scale", count, "float32"))
        return (*rows, *inputs) if self.static else rows


@dataclass(frozen=True, slots=True)
class PerChannel:
    """One fp32 scale per output channel (FP8 dynamic and INT8 W8A8 of compressed-tensors)."""

    item: str = FP8

    def linear(self, n_in: int, outs: tuple[int, ...], dtype: str) -> Rows:
        return (("weight", n_in * sum(outs), self.item), ("weight_scale", sum(outs), "float32"))

    def experts(self, experts: Experts, dtype: str) -> Rows:
        count = experts.count
        return (
            ("w13_weight", count * experts.wide * experts.hidden, self.item),
            ("w2_weight", count * experts.hidden * experts.inner, self.item),
            ("w13_weight_scale", count * experts.wide, "float32"),
            ("w2_weight_scale", count * experts.hidden, "float32"),
        )


@dataclass(frozen=True, slots=True)
class PerBlock:
    """One fp32 scale per `block_out` x `block_in` block of the weight."""

    block_out: int = 128
    block_in: int = 128
    scale: str = "weight_scale_inv"

    def linear(self, n_in: int, outs: tuple[int, ...], dtype: str) -> Rows:
        out = sum(outs)
        blocks = up(out, self.block_out) * up(n_in, self.block_in)
        return (("weight", n_in * out, FP8), (self.scale, blocks, "float32"))

    def experts(self, experts: Experts, dtype: str) -> Rows:
        count, hidden, inner = experts.count, experts.hidden, experts.inner
        if inner % self.block_out and self.scale == "weight_scale":
            raise Refused(f"vLLM refuses experts of width {inner}: blocks of {self.block_out} do not divide it")
        # A rank's share that is no multiple of the block gets smaller blocks, in both directions.
        shrink = self.block_out // gcd(self.block_out, inner)
        block_out, block_in = self.block_out // shrink, max(1, self.block_in // shrink)
        wide_blocks = experts.halves * up(inner, block_out) * up(hidden, block_in)
        return (
            ("w13_weight", count * experts.wide * hidden, FP8),
            ("w2_weight", count * hidden * inner, FP8),
            (f"w13_{self.scale}", count * wide_blocks, "float32"),
            (f"w2_{self.scale}", count * up(hidden, block_out) * up(inner, block_in), "float32"),
        )
