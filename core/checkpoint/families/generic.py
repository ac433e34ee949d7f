"""For architectures that are not modelled: what their config suggests, as an estimate and never as more.

Weights are those of a Llama-like decoder, with experts where the config names some. Caches follow the fields that
vLLM itself reads for every model (heads, head size, layer types, window, latent rank).
"""

from __future__ import annotations

from typing import Final

from core.checkpoint.caches import CacheKind, CacheLayer
from core.checkpoint.config import Config
from core.checkpoint.families import dense, gdn, mla, moe
from core.checkpoint.families.blocks import EXPERT_COUNTS, caches_by_type, dims, layer_count, window
from core.checkpoint.fields import Fields, Unreadable
from core.checkpoint.tensors import Builder

_RECURRENT: Final = (
    *("mamba_d_state", "ssm_state_size", "state_size", "linear_num_value_heads", "conv_L_cache"),
    *("rwkv_version", "attention_hidden_size", "lru_width", "linear_attn_config"),
)
_FULL_NAMES: Final = ("full_attention", "attention", "global", "global_attention")


class Generic:
    def caches(self, c: Config, tp: int) -> tuple[CacheLayer, ...]:
        text = c.text
        if text.integer("kv_lora_rank", minimum=1) and text.integer("qk_rope_head_dim", minimum=1):
            width = text.need("kv_lora_rank") + text.need("qk_rope_head_dim")
            return (CacheLayer(CacheKind.MLA, 1, width),) * layer_count(text)
        if text.stated("compress_ratios"):
            raise Unreadable("its KV cache is compressed by compress_ratios in a way that is not modelled")
        d = dims(c)
        if text.stated("linear_num_value_heads"):
            return gdn.QWEN3_5.caches(c, tp)
        if found := next((name for name in _RECURRENT if text.stated(name)), None):
            raise Unreadable(f"{found} points to recurrent layers whose state is not modelled")
        types = text.strings("layer_types")[: d.layers]
        if len(types) == d.layers:
            known = all(kind == "sliding_attention" or kind in _FULL_NAMES for kind in types)
            if not known:
                raise Unreadable("layer_types names kinds of layers that are not modelled")
            return caches_by_type(d, types, window(text), tp)
        return caches_by_type(d, ("full_attention",) * d.layers, 0, tp)

    def tensors(self, c: Config, b: Builder, root: str = "model") -> None:
        text = c.text
        if text.integer("kv_lora_rank", minimum=1) and text.integer("qk_nope_head_dim", minimum=1):
            mla.DEEPSEEK.tensors(c, b, root)
        elif self._experts(text):
            moe.GENERIC.tensors(c, b, root)
        else:
            dense.LLAMA.tensors(c, b, root)

    def _experts(self, text: Fields) -> int:
        return next((count for name in EXPERT_COUNTS if (count := text.integer(name, minimum=2))), 0)


def ceiling(c: Config, tp: int) -> tuple[CacheLayer, ...]:
    """The most that ordinary attention in every layer would keep: the upper end when the layout is not understood.

    Raises:
        Unreadable: not even the heads are known.
    """
    d = dims(c)
    return caches_by_type(d, ("full_attention",) * d.layers, 0, tp)
