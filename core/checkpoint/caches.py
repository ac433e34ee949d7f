"""What one layer keeps between tokens: the shape of its cache, not yet in blocks."""

from __future__ import annotations

import enum
from typing import NamedTuple


class CacheKind(enum.StrEnum):
    FULL = "full"
    SLIDING = "sliding"
    CHUNKED = "chunked"
    MLA = "mla"
    STATE = "state"
    CROSS = "cross"
    CIRCULAR = "circular"
    SHARED = "shared"


class State(NamedTuple):
    """One recurrent state of a layer on one rank. `ssm`: kept in the SSM cache dtype, else in the model's."""

    elements: int
    ssm: bool


class CacheLayer(NamedTuple):
    """The cache of one layer on one tensor parallel rank.

    `head_k`/`head_v` are elements per token and KV head (`head_v` 0 for MLA); `span` is the window, chunk or number of
    slots; `states` only for `STATE`; `checkpoints`: how vLLM treats prefix caching of the states ("mamba2", "gdn",
    "plain"). `SHARED` layers read another layer's cache and keep none.
    """

    kind: CacheKind
    kv_heads: int = 0
    head_k: int = 0
    head_v: int = 0
    span: int = 0
    states: tuple[State, ...] = ()
    flavour: str = ""


def kv_share(kv_heads: int, tp: int) -> int:
    """KV heads of one rank: at least one, replicated when there are fewer heads than ranks."""
    return max(1, kv_heads // tp)


def full(kv_heads: int, head_k: int, tp: int, head_v: int = 0) -> CacheLayer:
    return CacheLayer(CacheKind.FULL, kv_share(kv_heads, tp), head_k, head_v or head_k)


def sliding(kv_heads: int, head: int, tp: int, window: int) -> CacheLayer:
    return CacheLayer(CacheKind.SLIDING, kv_share(kv_heads, tp), head, head, window)
