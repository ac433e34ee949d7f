"""Integer weights packed into int32: GPTQ, AWQ, compressed-tensors pack-quantized (4 and 8 bits)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from core.checkpoint.fields import Refused
from core.checkpoint.quantization.scheme import Experts, Rows, up

_MARLIN_GROUPS: Final = (0, 32, 64, 128)
_SMALLEST_GROUP: Final = 32


def _marlin_takes(experts: Experts, group: int) -> bool:
    """Whether the Marlin kernel runs these experts (`check_moe_marlin_supports_config`)."""
    fits = group <= 0 or experts.inner % group == 0
    return experts.hidden % 128 == 0 and fits and max(0, group) in _MARLIN_GROUPS


def _aligned(n_in: int, group: int) -> None:
    if group > 0 and n_in % group:
        raise Refused(f"vLLM refuses a quantized layer of {n_in} inputs: groups of {group} do not divide it")


def _byte_packed(experts: Experts, dtype: str, bits: int, group: int, *, zeros: bool) -> Rows:
    """The layout of the kernel that takes what Marlin does not: bytes, and groups halved until they divide the widths
    (`moe_wna16.py`)."""
    while experts.inner % group or experts.hidden % group:
        group //= 2
        if group < _SMALLEST_GROUP:
            raise Refused(f"vLLM has no kernel for experts of width {experts.inner} with quantization groups")
    count, hidden, inner, wide, packed = experts.count, experts.hidden, experts.inner, experts.wide, 8 // bits
    rows = (
        ("w13_qweight", count * wide * (hidden // packed), "uint8"),
        ("w2_qweight", count * hidden * (inner // packed), "uint8"),
        ("w13_scales", count * wide * (hidden // group), dtype),
        ("w2_scales", count * hidden * (inner // group), dtype),
    )
    if not zeros:
        return rows
    points = (
        ("w13_qzeros", count * (wide // packed) * (hidden // group), "uint8"),
        ("w2_qzeros", count * (hidden // packed) * (inner // group), "uint8"),
    )
    return (*rows, *points)


@dataclass(frozen=True, slots=True)
class Gptq:
    """`group` inputs share a scale and a zero point; 0 stands for all of them."""

    bits: int = 4
    group: int = 128
    symmetric: bool = True

    def _groups(self, n_in: int) -> int:
        return max(1, n_in // self.group) if self.group > 0 else 1

    def _packed(self, number: int) -> int:
        return number * self.bits // 32

    def linear(self, n_in: int, outs: tuple[int, ...], dtype: str) -> Rows:
        _aligned(n_in, self.group)
        out, groups = sum(outs), self._groups(n_in)
        return (
            ("qweight", self._packed(n_in) * out, "int32"),
            ("scales", groups * out, dtype),
            ("qzeros", groups * self._packed(out), "int32"),
        )

    def experts(self, experts: Experts, dtype: str) -> Rows:
        if self.group > 0 and not _marlin_takes(experts, self.group):
            rows = _byte_packed(experts, dtype, self.bits, self.group, zeros=not self.symmetric)
            # Empty parameters, which still take a byte each when they are pinned.
            return (*rows, ("w13_qzeros", 0, "int32"), ("w2_qzeros", 0, "int32")) if self.symmetric else rows
        count, hidden, inner, wide = experts.count, experts.hidden, experts.inner, experts.wide
        in_groups, out_groups = self._groups(hidden), self._groups(inner)
        return (
            ("w13_qweight", count * self._packed(hidden) * wide, "int32"),
            ("w2_qweight", count * self._packed(inner) * hidden, "int32"),
            ("w13_scales", count * in_groups * wide, dtype),
            ("w2_scales", count * out_groups * hidden, dtype),
            ("w13_qzeros", count * in_groups * self._packed(wide), "int32"),
            ("w2_qzeros", count * out_groups * self._packed(hidden), "int32"),
            ("w13_bias", count * wide, dtype),
            ("w2_bias", count * hidden, dtype),
        )


@dataclass(frozen=True, slots=True)
class Awq:
    bits: int = 4
    group: int = 128
    zeros: bool = True

    def linear(self, n_in: int, outs: tuple[int, ...], dtype: str) -> Rows:
        _aligned(n_in, self.group)
        out = sum(outs)
        groups, packed = max(1, n_in // self.group), out * self.bits // 32
        return (
            ("qweight", n_in * packed, "int32"),
            ("qzeros", groups * packed, "int32"),
            ("scales", groups * out, dtype),
        )

    def experts(self, experts: Experts, dtype: str) -> Rows:
        if not _marlin_takes(experts, self.group):
            return _byte_packed(experts, dtype, self.bits, self.group, zeros=self.zeros)
        count, hidden, inner, wide = experts.count, experts.hidden, experts.inner, experts.wide
        in_groups, out_groups = max(1, hidden // self.group), max(1, inner // self.group)
        packed_wide, packed_hidden = wide * self.bits // 32, hidden * self.bits // 32
        return (
            ("w13_qweight", count * hidden * packed_wide, "int32"),
            ("w2_qweight", count * inner * packed_hidden, "int32"),
            ("w13_scales", count * in_groups * wide, dtype),
            ("w2_scales", count * out_groups * hidden, dtype),
            ("w13_qzeros", count * in_groups * packed_wide, "int32"),
            ("w2_qzeros", count * out_groups * packed_hidden, "int32"),
        )


@dataclass(frozen=True, slots=True)
class PackedInt:
    """compressed-tensors W4A16/W8A16. `group` 0: one scale per output channel; `zeros` for asymmetric weights."""

    bits: int = 4
    group: int = 128
    zeros: bool = False

    def _groups(self, n_in: int) -> int:
        return max(1, n_in // self.group) if self.group > 0 else 1

    def linear(self, n_in: int, outs: tuple[int, ...], dtype: str) -> Rows:
        out, groups = sum(outs), self._groups(n_in)
        rows = (
            ("weight_packed", out * up(n_in * self.bits, 32), "int32"),
            ("weight_scale", out * groups, dtype),
            ("weight_shape", 2, "int64"),
        )
        return (*rows, ("weight_zero_point", out * self.bits // 32 * groups, "int32")) if self.zeros else rows

    def experts(self, experts: Experts, dtype: str) -> Rows:
        count, hidden, inner, wide = experts.count, experts.hidden, experts.inner, experts.wide
        if self.group > 0 and (inner % self.group or hidden % self.group):
            raise Refused(f"vLLM refuses experts of width {inner} with groups of {self.group}: they do not divide it")
        in_groups, out_groups = self._groups(hidden), self._groups(inner)
        zeros: Rows = (
            ("w13_weight_zero_point", count * wide * self.bits // 32 * in_groups, "int32"),
            ("w2_weight_zero_point", count * hidden * self.bits // 32 * out_groups, "int32"),
        )
        return (
            ("w13_weight_packed", count * wide * up(hidden * self.bits, 32), "int32"),
            ("w2_weight_packed", count * hidden * up(inner * self.bits, 32), "int32"),
            ("w13_weight_scale", count * wide * in_groups, dtype),
            ("w2_weight_scale", count * hidden * out_groups, dtype),
            *(zeros if self.zeros else ()),
            ("w2_weight_shape", count * 2, dtype),
            ("w13_weight_shape", count * 2, dtype),
        )
