"""What one linear layer or one block of experts becomes under a quantization scheme.

A scheme answers with rows (suffix, elements, dtype) in the order in which vLLM registers the parameters: the CPU
offloader walks them in that order. Sizes are those of one tensor parallel rank.
Source: the `create_weights` methods under `model_executor/layers/quantization/` of vLLM 0.32/0.33.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

Row = tuple[str, int, str]
Rows = tuple[Row, ...]

ITEM_BYTES: Final = {
    "float64": 8,
    "int64": 8,
    "complex64": 8,
    "float32": 4,
    "int32": 4,
    "float16": 2,
    "bfloat16": 2,
    "float8_e4m3fn": 1,
    "int8": 1,
    "uint8": 1,
    "bool": 1,
}


@dataclass(frozen=True, slots=True)
class Experts:
    """The routed experts of one layer: `wide` is the width of w13 (both halves of a gated MLP, or up alone)."""

    count: int
    hidden: int
    inner: int
    gated: bool = True

    @property
    def halves(self) -> int:
        return 2 if self.gated else 1

    @property
    def wide(self) -> int:
        return self.halves * self.inner


class Scheme(Protocol):
    def linear(self, n_in: int, outs: tuple[int, ...], dtype: str) -> Rows:
        """A linear layer of `n_in` inputs whose outputs are the fused shards `outs`; without its bias."""
        ...

    def experts(self, experts: Experts, dtype: str) -> Rows: ...


def up(number: int, divisor: int) -> int:
    return -(-number // divisor)


@dataclass(frozen=True, slots=True)
class Plain:
    def linear(self, n_in: int, outs: tuple[int, ...], dtype: str) -> Rows:
        return (("weight", n_in * sum(outs), dtype),)

    def experts(self, experts: Experts, dtype: str) -> Rows:
        return (
            ("w13_weight", experts.count * experts.wide * experts.hidden, dtype),
            ("w2_weight", experts.count * experts.hidden * experts.inner, dtype),
        )


PLAIN: Final = Plain()
