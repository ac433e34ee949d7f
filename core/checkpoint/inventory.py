"""All tensors of one rank, with the sums that a plan asks for again and again."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate

from core.checkpoint.tensors import Part, Tensor

_BLOCK = 512
_LARGE = 10 << 20
_SEGMENT = 2 << 20
_KEPT_TAIL = 1 << 20


def power_of_two(size: int) -> int:
    """What torch's pinned host allocator takes for `size` bytes (`CachingHostAllocator`, torch 2.13)."""
    return 1 << max(0, size - 1).bit_length()


def allocated(size: int) -> int:
    """What torch's CUDA caching allocator takes: 512-byte steps, and from 10 MiB on whole 2 MiB segments whose tail is
    kept when it is at most 1 MiB."""
    rounded = -(-size // _BLOCK) * _BLOCK
    if rounded >= _LARGE:
        segment = -(-rounded // _SEGMENT) * _SEGMENT
        if segment - rounded <= _KEPT_TAIL:
            return segment
    return rounded


@dataclass(frozen=True, eq=False)
class Inventory:
    """`bytes_per_batched_token`: buffers that grow with max_num_batched_tokens."""

    tensors: tuple[Tensor, ...]
    bytes_per_batched_token: int = 0

    @cached_property
    def total_bytes(self) -> int:
        return sum(tensor.bytes for tensor in self.tensors)

    @cached_property
    def allocated_bytes(self) -> int:
        return sum(allocated(tensor.bytes) for tensor in self.tensors)

    @cached_property
    def by_part(self) -> dict[Part, int]:
        sums = dict.fromkeys(Part, 0)
        for tensor in self.tensors:
            sums[tensor.part] += tensor.bytes
        return sums

    @cached_property
    def by_dtype(self) -> dict[str, int]:
        sums: dict[str, int] = {}
        for tensor in self.tensors:
            sums[tensor.dtype] = sums.get(tensor.dtype, 0) + tensor.bytes
        return sums

    @cached_property
    def walk(self) -> Walk:
        return Walk.of(tensor for tensor in self.tensors if tensor.offloadable)

    def walk_of(self, names: tuple[str, ...], *, towers: bool = True) -> Walk:
        """The walk restricted to `--cpu-offload-params` (whole dotted segments) and, on demand, without towers."""
        return _walk(self, names, towers) if names or not towers else self.walk

    @cached_property
    def table_bytes(self) -> int:
        """Embedding tables by n-gram that vLLM itself can keep in RAM; Gemma's per-layer tables are none of them."""
        return sum(tensor.bytes for tensor in self.tensors if tensor.part is Part.PLE and tensor.offloadable)

    @cached_property
    def largest_layer_bytes(self) -> int:
        """The largest decoder layer: what one static buffer of the prefetch offloader holds."""
        sums: dict[str, int] = {}
        for tensor in self.tensors:
            if tensor.offloadable and tensor.part in (Part.LAYERS, Part.EXPERTS):
                head, _, rest = tensor.name.partition(".layers.")
                layer = f"{head}.{rest.partition('.')[0]}"
                sums[layer] = sums.get(layer, 0) + tensor.bytes
        return max(sums.values(), default=0)


@lru_cache(maxsize=256)
def _walk(inventory: Inventory, names: tuple[str, ...], towers: bool) -> Walk:
    return Walk.of(
        tensor
        for tensor in inventory.tensors
        if tensor.offloadable
        and (towers or tensor.part is not Part.TOWERS)
        and (not names or any(f".{name}." in f".{tensor.name}." for name in names))
    )


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """Parameters in the order in which `--cpu-offload-gb` takes them, with running sums."""

    moved: tuple[int, ...]
    pinned: tuple[int, ...]
    experts: tuple[int, ...]

    @classmethod
    def of(cls, tensors: Iterable[Tensor]) -> Walk:
        taken = tuple(tensors)
        return cls(
            tuple(accumulate(tensor.bytes for tensor in taken)),
            tuple(accumulate(power_of_two(tensor.bytes) for tensor in taken)),
            tuple(accumulate(tensor.bytes if tensor.part is Part.EXPERTS else 0 for tensor in taken)),
        )

    @property
    def ceiling(self) -> int:
        """All that it can move."""
        return self.moved[-1] if self.moved else 0

    def take(self, budget_bytes: float) -> tuple[int, int, int]:
        """Bytes moved, pinned RAM and expert bytes among the moved, for a budget: parameter by parameter until the
        sum reaches it, so the last one may overshoot."""
        if budget_bytes <= 0 or not self.moved:
            return 0, 0, 0
        index = min(bisect_left(self.moved, budget_bytes), len(self.moved) - 1)
        return self.moved[index], self.pinned[index], self.experts[index]
