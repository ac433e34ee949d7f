"""From the caches of the layers to vLLM's KV cache specs: pages in bytes, blocks in tokens.

Sources: vLLM 0.32 `v1/kv_cache_interface.py`, `platforms/interface.py` (`_align_hybrid_block_size`),
`layers/mamba/mamba_utils.py`; 0.33 for Gated DeltaNet with FlashInfer (facts: identical at 8.9, different at 12.0).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from core.checkpoint.caches import CacheKind, CacheLayer
from core.checkpoint.quantization.scheme import ITEM_BYTES, up

CUDA_BLOCK: Final = 16
CPU_BLOCK: Final = 128
MLA_ALIGNMENT: Final = 128
FLASHINFER_GDN_BLOCK: Final = 64
# Opaque rows of sparse MLA, in bytes per token.
_OPAQUE_ROWS: Final = {"fp8_ds_mla": 656, "nvfp4_ds_mla": 352}
_PER_TOKEN_HEAD: Final = {"int8_per_token_head": 1, "fp8_per_token_head": 1, "int4_per_token_head": 2}
_SCALE_BYTES: Final = 8
KV_DTYPES: Final = frozenset(
    (
        *("auto", "float16", "bfloat16", "float32", "fp8", "fp8_e4m3", "fp8_e5m2", "fp8_inc", "int8"),
        *("nvfp4", "nvfp4_4over6"),
        *_OPAQUE_ROWS,
        *_PER_TOKEN_HEAD,
    )
)


class Spec(NamedTuple):
    """`layers` layers with the same KV cache spec. `block` tokens and `page` bytes of one layer's block."""

    kind: CacheKind
    layers: int
    block: int
    page: int
    span: int = 0
    shape: tuple[int, ...] = ()
    states: int = 1


@dataclass(frozen=True, slots=True)
class CacheRules:
    """What decides the specs besides the layers. `cache_dtype` as vLLM resolved it for the whole engine, `layer_dtype`
    as an attention layer sees it; `aligned_states`: prefix caching of recurrent states (mamba_cache_mode "align");
    `flashinfer_gdn`: Gated DeltaNet's prefill kernel exports checkpoints; `encoder_tokens`: what cross attention may
    hold, which is max_num_batched_tokens."""

    model_dtype: str
    cache_dtype: str = "auto"
    layer_dtype: str = "auto"
    ssm_dtype: str = "auto"
    block: int = CUDA_BLOCK
    user_block: bool = False
    aligned_states: bool = True
    flashinfer_gdn: bool = False
    hybrid_manager: bool = True
    encoder_tokens: int = 2048


def head_bytes(elements: int, cache_dtype: str, model_dtype: str) -> int:
    """Bytes of one side (K or V) of one head for one token."""
    if cache_dtype in _PER_TOKEN_HEAD:
        return elements // _PER_TOKEN_HEAD[cache_dtype] + (_SCALE_BYTES // 2 if elements else 0)
    if cache_dtype.startswith("nvfp4"):
        return elements // 2 + elements // 16
    if cache_dtype.startswith(("fp8", "int8")):
        return elements
    return elements * ITEM_BYTES[model_dtype if cache_dtype == "auto" else cache_dtype]


def token_bytes(layer: CacheLayer, cache_dtype: str, model_dtype: str) -> int:
    """Bytes of one token in one attention layer."""
    if layer.flavour == "bytes":
        return layer.kv_heads * layer.head_k
    if layer.kind is CacheKind.MLA and cache_dtype in _OPAQUE_ROWS:
        return _OPAQUE_ROWS[cache_dtype]
    sides = head_bytes(layer.head_k, cache_dtype, model_dtype) + head_bytes(layer.head_v, cache_dtype, model_dtype)
    return layer.kv_heads * sides


def state_bytes(layer: CacheLayer, model_dtype: str, ssm_dtype: str) -> int:
    kept = model_dtype if ssm_dtype == "auto" else ssm_dtype
    return sum(state.elements * ITEM_BYTES[kept if state.ssm else model_dtype] for state in layer.states)


def cache_specs(layers: Sequence[CacheLayer], rules: CacheRules) -> tuple[Spec, ...]:
    """The specs in order of first appearance; shared and cache-free layers are left out."""
    counts: dict[CacheLayer, int] = {}
    for layer in layers:
        if layer.kind is not CacheKind.SHARED:
            counts[layer] = counts.get(layer, 0) + 1
    block, state_page = _alignment(counts, rules)
    specs: dict[Spec, int] = {}
    for layer, count in counts.items():
        spec = _spec(layer, rules, block, state_page)
        specs[spec] = specs.get(spec, 0) + count
    return tuple(spec._replace(layers=count) for spec, count in specs.items())


def _alignment(layers: Iterable[CacheLayer], rules: CacheRules) -> tuple[int, int]:
    """The block in tokens and the page of a state layer (0: as large as its states).

    In a hybrid the attention block grows until its page holds the largest state; states are padded to that page.
    """
    states = [layer for layer in layers if layer.kind is CacheKind.STATE]
    attention = [layer for layer in layers if layer.kind in (CacheKind.FULL, CacheKind.SLIDING, CacheKind.MLA)]
    attention = [layer for layer in attention if layer.flavour != "compressed"]
    if not states or not attention:
        return rules.block, 0
    first = next((layer for layer in attention if layer.kind is not CacheKind.SLIDING), attention[0])
    per_token = token_bytes(first, rules.cache_dtype, rules.model_dtype)
    largest = max(state_bytes(layer, rules.model_dtype, rules.ssm_dtype) for layer in states)
    if per_token == 0 or largest == 0:
        return rules.block, 0
    unit = max(CUDA_BLOCK, rules.block)
    if first.kind is CacheKind.MLA:
        unit = max(unit, MLA_ALIGNMENT)
    if rules.flashinfer_gdn and any(layer.flavour == "gdn" for layer in states):
        unit = max(unit, FLASHINFER_GDN_BLOCK)
    block = max(rules.block, unit * up(largest, unit * per_token))
    return block, block * per_token


def _spec(layer: CacheLayer, rules: CacheRules, block: int, state_page: int) -> Spec:
    if layer.kind is CacheKind.STATE:
        own = state_bytes(layer, rules.model_dtype, rules.ssm_dtype)
        shape = (own, int(layer.flavour == "ple"))
        return Spec(layer.kind, 0, block, max(own, state_page), 0, shape, _kept_states(layer, rules))
    if layer.kind is CacheKind.CIRCULAR:
        page = layer.span * layer.kv_heads * (layer.head_k + layer.head_v) * ITEM_BYTES[rules.model_dtype]
        return Spec(layer.kind, 0, layer.span, page)
    if layer.flavour == "compressed":
        page = block // layer.span * layer.head_k * ITEM_BYTES[rules.model_dtype]
        return Spec(layer.kind, 0, block, page, 0, (layer.head_k, layer.span))
    page = block * token_bytes(layer, rules.layer_dtype, rules.model_dtype)
    shape = (layer.kv_heads, layer.head_k, layer.head_v)
    kind, span = layer.kind, layer.span
    if kind is CacheKind.CROSS:
        return Spec(kind, 0, block, page, rules.encoder_tokens, shape)
    if not rules.hybrid_manager and kind in (CacheKind.SLIDING, CacheKind.CHUNKED):
        kind, span = CacheKind.FULL, 0
    return Spec(kind, 0, block, page, span, shape)


def _kept_states(layer: CacheLayer, rules: CacheRules) -> int:
    """Blocks of states that one request holds: the running one, one more for prefix caching, and one for kernels that
    export a checkpoint of the prefill."""
    if not rules.aligned_states:
        return 1
    exports = layer.flavour == "mamba2" or (layer.flavour == "gdn" and rules.flashinfer_gdn)
    return 3 if exports else 2
