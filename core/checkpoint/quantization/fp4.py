"""4-bit floats: NVFP4 (ModelOpt and compressed-tensors) and MXFP4 experts."""

from __future__ import annotations

from dataclasses import dataclass

from core.checkpoint.quantization.eight_bit import FP8
from core.checkpoint.quantization.scheme import PLAIN, Experts, Rows, up

MX_BLOCK = 32


@dataclass(frozen=True, slots=True)
class Nvfp4:
    """ModelOpt's layout. `weight_only` (W4A16_NVFP4) keeps the input scale in the model's dtype."""

    group: int = 16
    weight_only: bool = False

    def linear(self, n_in: int, outs: tuple[int, ...], dtype: str) -> Rows:
        out = sum(outs)
        return (
            ("weight", out * (n_in // 2), "uint8"),
            ("weight_scale_2", len(outs), "float32"),
            ("weight_scale", out * (n_in // self.group), FP8),
            ("input_scale", len(outs), dtype if self.weight_only else "float32"),
        )

    def experts(self, experts: Experts, dtype: str) -> Rows:
        return _experts(experts, self.group, ("weight", "weight_scale", "weight_scale_2", "input_scale"))


@dataclass(frozen=True, slots=True)
class PackedNvfp4:
    """compressed-tensors' layout; its experts carry input scales even when activations stay 16-bit."""

    group: int = 16
    weight_only: bool = False

    def linear(self, n_in: int, outs: tuple[int, ...], dtype: str) -> Rows:
        out = sum(outs)
        rows = (
            ("weight_packed", out * (n_in // 2), "uint8"),
            ("weight_global_scale", len(outs), "float32"),
            ("weight_scale", out * (n_in // self.group), FP8),
        )
        return rows if self.weight_only else (*rows, ("input_global_scale", len(outs), "float32"))

    def experts(self, experts: Experts, dtype: str) -> Rows:
        names = ("weight_packed", "weight_scale", "weight_global_scale", "input_global_scale")
        return _experts(experts, self.group, names)


def _experts(experts: Experts, group: int, names: tuple[str, str, str, str]) -> Rows:
    weight, scale, whole, inputs = names
    count, hidden, inner, wide = experts.count, experts.hidden, experts.inner, experts.wide
    return (
        (f"w13_{weight}", count * wide * (hidden // 2), "uint8"),
        (f"w2_{weight}", count * hidden * (inner // 2), "uint8"),
        (f"w13_{scale}", count * wide * (hidden // group), FP8),
        (f"w2_{scale}", count * hidden * (inner // group), FP8),
        (f"w13_{whole}", count * experts.halves, "float32"),
        (f"w2_{whole}", count, "float32"),
        (f"w13_{inputs}", count * experts.halves, "float32"),
        (f"w2_{inputs}", count, "float32"),
    )


@dataclass(frozen=True, slots=True)
class Mxfp4:
    """MXFP4 experts; vLLM leaves every linear layer in 16 bits. The Marlin kernel, which consumer cards get, pads the
    inner width to 128 and the hidden width to 256 (`fused_moe/oracle/mxfp4.py`)."""

    def linear(self, n_in: int, outs: tuple[int, ...], dtype: str) -> Rows:
        return PLAIN.linear(n_in, outs, dtype)

    def experts(self, experts: Experts, dtype: str) -> Rows:
        count = experts.count
        hidden, inner = up(experts.hidden, 256) * 256, up(experts.inner, 128) * 128
        wide = experts.halves * inner
        return (
            ("w13_weight", count * wide * (hidden // 2), "uint8"),
            ("w13_weight_scale", count * wide * (hidden // MX_BLOCK), "uint8"),
            ("w2_weight", count * hidden * (inner // 2), "uint8"),
            ("w2_weight_scale", count * hidden * (inner // MX_BLOCK), "uint8"),
        )
