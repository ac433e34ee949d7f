"""Grouping of KV cache specs into groups that share one pool of equal blocks.

Source: vLLM 0.32 `v1/core/kv_cache_utils.py`: `get_kv_cache_groups`, `unify_kv_cache_spec_page_size`,
`_get_kv_cache_groups_uniform_page_size`, `_get_packed_kv_cache_groups`. Only counts matter here, not names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.checkpoint.caches import CacheKind
from core.checkpoint.quantization.scheme import up
from core.planner.kv_specs import Spec

_FULL = (CacheKind.FULL, CacheKind.MLA)


@dataclass(frozen=True, slots=True)
class Group:
    """Layers that share a block table. `specs` are those of its layers with their counts; `width` layers fit into one
    block of the group, padding included; `page` is the bytes of one block of one layer."""

    specs: tuple[Spec, ...]
    layers: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Grouping:
    """`bytes_per_block` of the shared pool; `refused`: vLLM's reason when it cannot group the layers at all."""

    groups: tuple[Group, ...] = ()
    bytes_per_block: int = 0
    padding_layers: int = 0
    refused: str = ""


def group_specs(specs: Sequence[Spec], *, hybrid_manager: bool = True) -> Grouping:
    if not specs:
        return Grouping()
    if not hybrid_manager and any(spec.kind is CacheKind.STATE for spec in specs) and len(specs) > 1:
        return Grouping(refused="Failed to promote local KV cache specs to one unified type.")
    if _uniform(specs):
        layers = sum(spec.layers for spec in specs)
        size = sum(spec.layers * spec.page for spec in specs)
        return Grouping((Group(tuple(specs), layers, size),), size)
    if any(spec.kind is CacheKind.CIRCULAR or _compressed(spec) for spec in specs):
        return _packed(specs)
    return _equal_pages(specs)


def _compressed(spec: Spec) -> bool:
    return spec.kind is CacheKind.MLA and len(spec.shape) == 2


def _uniform(specs: Sequence[Spec]) -> bool:
    """All layers always need the same number of slots: one group, whatever their page sizes."""
    first = specs[0]
    if any(spec.block != first.block for spec in specs):
        return False
    if all(spec.kind in _FULL for spec in specs):
        return True
    if any(spec.kind is not first.kind for spec in specs):
        return False
    if first.kind is CacheKind.STATE:
        return all(spec.page == first.page and spec.states == first.states for spec in specs)
    return all(spec.span == first.span for spec in specs)


def _equal_pages(specs: Sequence[Spec]) -> Grouping:
    page = max(spec.page for spec in specs)
    buckets: dict[tuple[object, ...], Spec] = {}
    for spec in specs:
        unified = _unify(spec, page)
        if unified is None:
            return Grouping(refused="page size is not divisible by the maximum page size and cannot be padded.")
        key = (unified.kind, unified.block, unified.span, unified.shape, unified.states)
        held = buckets.get(key)
        buckets[key] = unified if held is None else held._replace(layers=held.layers + unified.layers)
    counts = [spec.layers for spec in buckets.values()]
    fewest, most = min(counts), max(counts)
    width = most if most < fewest * 1.5 else fewest
    groups: list[Group] = []
    padding = 0
    for spec in buckets.values():
        number = up(spec.layers, width)
        padding += number * width - spec.layers
        groups += [Group((spec,), -(-(spec.layers - index) // number), page * width) for index in range(number)]
    return Grouping(tuple(groups), page * width, padding)


def _unify(spec: Spec, page: int) -> Spec | None:
    """The spec with a page of `page` bytes: a larger block where that divides, padding where it may be padded."""
    if spec.page == page or spec.kind is CacheKind.STATE:
        return spec._replace(page=page)
    if spec.page and page % spec.page == 0:
        return spec._replace(page=page, block=spec.block * (page // spec.page))
    return None if spec.kind is CacheKind.MLA else spec._replace(page=page)


@dataclass(frozen=True, slots=True)
class _Bucket:
    """Layers of one uniform type, with their counts by page size."""

    specs: tuple[Spec, ...]

    @property
    def by_page(self) -> dict[int, int]:
        pages: dict[int, int] = {}
        for spec in self.specs:
            pages[spec.page] = pages.get(spec.page, 0) + spec.layers
        return pages

    @property
    def repeats(self) -> int:
        return max(self.by_page.values())

    @property
    def balanced(self) -> bool:
        return len(set(self.by_page.values())) == 1

    def widest(self, number: int) -> int:
        return sum(up(count, number) * page for page, count in self.by_page.items())

    def state(self, split_known: bool) -> bool:
        kind = self.specs[0].kind
        return kind in (CacheKind.STATE, CacheKind.CIRCULAR) or (kind is CacheKind.SLIDING and not split_known)


def _packed(specs: Sequence[Spec]) -> Grouping:
    """Pages of different sizes side by side in one block (layouts with the block outermost)."""
    buckets: list[_Bucket] = []
    for spec in specs:
        for index, bucket in enumerate(buckets):
            if (_uniform((*bucket.specs, spec)) and bucket.specs[0].shape[1:] == spec.shape[1:]) or (
                spec.kind in _FULL and bucket.specs[0].kind in _FULL and spec.block == bucket.specs[0].block
            ):
                buckets[index] = _Bucket((*bucket.specs, spec))
                break
        else:
            buckets.append(_Bucket((spec,)))
    floor = max((b.repeats for b in buckets if b.balanced and len(b.by_page) > 1), default=0)
    repeats = _least_padding([b.repeats for b in buckets if b.balanced], floor) if floor else 0

    def number(bucket: _Bucket) -> int:
        return up(bucket.repeats, repeats) if bucket.balanced and repeats else 1

    anchor = max(
        bucket.widest(sum(spec.layers for spec in bucket.specs) if bucket.state(bool(repeats)) else number(bucket))
        for bucket in buckets
    )
    groups: list[Group] = []
    for bucket in buckets:
        groups += _split(bucket, number(bucket), anchor, bool(repeats))
    return Grouping(tuple(groups), max(group.bytes for group in groups))


def _split(bucket: _Bucket, number: int, anchor: int, split_known: bool) -> list[Group]:
    layers = sum(spec.layers for spec in bucket.specs)
    if anchor and bucket.state(split_known):
        per_block = max(anchor // max(1, bucket.specs[0].page), 1)
        number = max(number, up(layers, per_block))
    groups: list[Group] = []
    for index in range(number):
        parts = tuple(spec._replace(layers=-(-(spec.layers - index) // number)) for spec in bucket.specs)
        parts = tuple(spec for spec in parts if spec.layers > 0)
        groups.append(Group(parts, sum(s.layers for s in parts), sum(s.layers * s.page for s in parts)))
    return groups


def _least_padding(values: Sequence[int], floor: int) -> int:
    """The divisor from `floor` up that wastes least when every value is rounded up to it; the larger one on a tie."""
    candidates = range(max(1, floor), max(max(values), floor) + 1)
    return min(candidates, key=lambda d: (sum(-value % d for value in values), -d))
