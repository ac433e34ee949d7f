"""More language models with towers: LLaVA and LLaVA-Next, PaliGemma, GLM 4 V, InternVL, LFM2-VL, Kimi-VL, Qwen2-Audio.

Several of them take any language model; its `model_type` decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from core.checkpoint.caches import CacheLayer
from core.checkpoint.config import Config
from core.checkpoint.families import dense, mixed, mla, moe, towers, towers_more
from core.checkpoint.families.blocks import stated
from core.checkpoint.families.multimodal import Multimodal, TextFamily
from core.checkpoint.fields import Fields, Unreadable
from core.checkpoint.tensors import Builder

_TEXT: Final[Mapping[str, TextFamily]] = {
    "llama": dense.LLAMA,
    "mistral": dense.LLAMA,
    "ministral3": dense.LLAMA,
    "granite": dense.LLAMA,
    "internlm3": dense.LLAMA,
    "qwen2": dense.QWEN2,
    "qwen3": dense.QWEN3,
    "qwen3_moe": moe.QWEN3_MOE,
    "gemma": dense.GEMMA,
    "gemma2": dense.GEMMA2,
    "gemma3_text": dense.GEMMA3,
    "phi3": dense.PHI3,
    "gpt_oss": moe.GPT_OSS,
    "mixtral": moe.MIXTRAL,
    "lfm2": mixed.LFM2,
    "lfm2_moe": mixed.LFM2_MOE,
}


class _ByType:
    """The language model that the nested config names."""

    def _family(self, c: Config) -> TextFamily:
        found = _TEXT.get(c.text_type)
        if found is None:
            raise Unreadable(f"its language model, {c.text_type or 'of no named type'}, is not modelled within another")
        return found

    def caches(self, c: Config, tp: int) -> tuple[CacheLayer, ...]:
        return self._family(c).caches(c, tp)

    def tensors(self, c: Config, b: Builder, root: str = "model") -> None:
        self._family(c).tensors(c, b, root)


ANY: Final = _ByType()


def _layers_read(c: Config, v: Fields) -> int:
    """How many layers of a tower are built: up to the deepest one that `vision_feature_layer` names."""
    count = v.integer("num_hidden_layers", minimum=1) or 1
    named = c.root.integers("vision_feature_layer")
    if not named:
        one = c.root.integer("vision_feature_layer", minimum=-1024)
        named = (-1 if one is None else one,)
    deepest = max(count + place + 1 if place < 0 else place for place in named)
    return min(count, max(0, deepest))


def _llava(c: Config, b: Builder) -> None:
    v = c.vision or Fields({})
    kind = v.text("model_type") or "clip_vision_model"
    dropped = (v.integer("num_hidden_layers", minimum=1) or 1) - _layers_read(c, v)
    if kind == "pixtral":
        towers.pixtral(b, v, "vision_tower", drop_last=dropped)
    elif kind in ("clip_vision_model", "siglip_vision_model"):
        towers.siglip(b, v, "vision_tower.vision_model", clip=kind.startswith("clip"), drop_last=dropped)
    else:
        raise Unreadable(f"the vision tower {kind} is not modelled")
    width, out = v.need("hidden_size"), stated(c.text, "hidden_size")
    named = c.root.integers("vision_feature_layer")
    bias = c.root.flag("multimodal_projector_bias", default=True)
    b.column("multi_modal_projector.linear_1", width * max(1, len(named)), (out,), bias=bias)
    b.row("multi_modal_projector.linear_2", out, out, bias=bias)


def _llava_next(c: Config, b: Builder) -> None:
    b.add("image_newline", stated(c.text, "hidden_size"))
    _llava(c, b)


def _paligemma(c: Config, b: Builder) -> None:
    v = c.vision or Fields({})
    towers.siglip(b, v, "vision_tower.vision_model")
    out = v.integer("projection_dim", minimum=1) or c.root.need("projection_dim")
    b.plain("multi_modal_projector.linear", v.need("hidden_size"), out, bias=True)


def _glm4v(c: Config, b: Builder) -> None:
    towers_more.glm4v(b, c.vision or Fields({}), "visual")


def _internvl(c: Config, b: Builder) -> None:
    v = c.vision or Fields({})
    towers_more.internvl(b, v, "vision_tower")
    ratio = c.root.number("downsample_ratio", default=0.5) or 0.5
    merged = v.need("hidden_size") * int(1 / ratio) ** 2
    out = stated(c.text, "hidden_size")
    b.norm("multi_modal_projector.layer_norm", merged, bias=True)
    b.plain("multi_modal_projector.linear_1", merged, out, bias=True)
    b.plain("multi_modal_projector.linear_2", out, out, bias=True)


def _lfm2_vl(c: Config, b: Builder) -> None:
    v = c.vision or Fields({})
    towers_more.siglip2(b, v, "vision_tower.vision_model", _layers_read(c, v))
    merged = v.need("hidden_size") * (c.root.integer("downsample_factor", minimum=1) or 2) ** 2
    inner, bias = c.root.need("projector_hidden_size"), c.root.flag("projector_bias", default=True)
    if c.root.flag("projector_use_layernorm", default=True):
        b.norm("multi_modal_projector.layer_norm", merged, bias=True)
    b.plain("multi_modal_projector.linear_1", merged, inner, bias=bias)
    b.plain("multi_modal_projector.linear_2", inner, stated(c.text, "hidden_size"), bias=bias)


def _kimi_vl(c: Config, b: Builder) -> None:
    v = c.vision or Fields({})
    towers_more.moonvit(b, v, "vision_tower")
    rows, columns = (*v.integers("merge_kernel_size"), 2, 2)[:2]
    merged = v.need("hidden_size") * rows * columns
    b.norm("multi_modal_projector.pre_norm", v.need("hidden_size"), bias=True)
    b.plain("multi_modal_projector.linear_1", merged, merged, bias=True)
    b.plain("multi_modal_projector.linear_2", merged, stated(c.text, "hidden_size"), bias=True)


def _qwen2_audio(c: Config, b: Builder) -> None:
    a = c.audio or Fields({})
    towers_more.whisper_encoder(b, a, "audio_tower")
    b.plain("multi_modal_projector.linear", a.need("d_model"), stated(c.text, "hidden_size"), bias=True)


LLAVA: Final = Multimodal(ANY, _llava)
LLAVA_NEXT: Final = Multimodal(ANY, _llava_next)
PALIGEMMA: Final = Multimodal(ANY, _paligemma)
GLM4V: Final = Multimodal(dense.GLM4, _glm4v)
INTERNVL: Final = Multimodal(ANY, _internvl)
LFM2_VL: Final = Multimodal(ANY, _lfm2_vl)
KIMI_VL: Final = Multimodal(mla.DEEPSEEK, _kimi_vl)
QWEN2_AUDIO: Final = Multimodal(dense.QWEN2, _qwen2_audio)
