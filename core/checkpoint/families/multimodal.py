"""Language models with towers: which towers, which projector, and where the language model sits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from core.checkpoint.caches import CacheLayer
from core.checkpoint.config import Config
from core.checkpoint.families import dense, gdn, gemma_ple, llama4, moe, qwen4_exp, towers, towers_gemma
from core.checkpoint.families.blocks import stated
from core.checkpoint.fields import Fields
from core.checkpoint.tensors import Builder, Part

# vLLM's offloader walks what carries one of these in its name (towers), then the decoder layers.
_WALKED: Final = ("visual", "vision", "audio_tower")


class TextFamily(Protocol):
    def caches(self, c: Config, tp: int) -> tuple[CacheLayer, ...]: ...

    def tensors(self, c: Config, b: Builder, root: str = "model") -> None: ...


@dataclass(frozen=True, slots=True)
class Multimodal:
    """`parts` adds the towers and projectors, which stand before the language model."""

    text: TextFamily
    parts: Callable[[Config, Builder], None]
    root: str = "language_model.model"
    head: str = "language_model."

    def caches(self, c: Config, tp: int) -> tuple[CacheLayer, ...]:
        return self.text.caches(c, tp)

    def tensors(self, c: Config, b: Builder, root: str = "") -> None:
        start = len(b.tensors)
        with b.within(Part.TOWERS, offloadable=False):
            self.parts(c, b)
        for index in range(start, len(b.tensors)):
            tensor = b.tensors[index]
            if any(word in tensor.name for word in _WALKED):
                b.tensors[index] = tensor._replace(offloadable=True)
        b.head_lead = self.head
        self.text.tensors(c, b, self.root)


def _vision(c: Config) -> Fields:
    return c.vision or Fields({})


def _gemma3(c: Config, b: Builder) -> None:
    v = _vision(c)
    towers.siglip(b, v, "vision_tower.vision_model")
    width = v.need("hidden_size")
    b.add("multi_modal_projector.mm_input_projection_weight", width * stated(c.text, "hidden_size"))
    b.norm("multi_modal_projector.mm_soft_emb_norm", width)


def _mistral3(c: Config, b: Builder) -> None:
    v = _vision(c)
    towers.pixtral(b, v, "vision_tower")
    width, out = v.need("hidden_size"), stated(c.text, "hidden_size")
    bias = c.root.flag("multimodal_projector_bias")
    merged = width * c.root.need("spatial_merge_size") ** 2
    b.norm("multi_modal_projector.norm", width)
    b.plain("multi_modal_projector.patch_merger.merging_layer", merged, width)
    b.column("multi_modal_projector.linear_1", width, (out,), bias=bias)
    b.row("multi_modal_projector.linear_2", out, out, bias=bias)


def _idefics3(c: Config, b: Builder) -> None:
    v = _vision(c)
    towers.siglip(b, v, "model.vision_model", position_ids=False)
    scale = c.root.integer("scale_factor", minimum=1) or 2
    b.linear(
        "model.connector.modality_projection.proj",
        v.need("hidden_size") * scale * scale,
        (stated(c.text, "hidden_size"),),
    )


def _llama4(c: Config, b: Builder) -> None:
    v = _vision(c)
    towers.llama4_vision(b, v, "vision_model")
    b.column("multi_modal_projector.linear_1", v.need("vision_output_dim"), (stated(c.text, "hidden_size"),))


def _qwen(tower: Callable[[Builder, Fields, str], None]) -> Callable[[Config, Builder], None]:
    return lambda c, b: tower(b, _vision(c), "visual")


def _gemma4(c: Config, b: Builder) -> None:
    out = stated(c.text, "hidden_size")
    if c.vision is not None:
        towers_gemma.gemma4_vision(b, c.vision, "vision_tower")
        b.linear("embed_vision.embedding_projection", c.vision.need("hidden_size"), (out,))
    if c.audio is not None:
        towers_gemma.gemma4_audio(b, c.audio, "audio_tower")
        b.linear("embed_audio.embedding_projection", c.audio.need("output_proj_dims"), (out,))


def _gemma3n(c: Config, b: Builder) -> None:
    vision, audio = _vision(c), c.audio or Fields({})
    towers_gemma.mobilenet_v5(b, vision, "vision_tower.timm_model")
    _gemma3n_embedder(c, b, "embed_vision", vision)
    towers_gemma.gemma3n_audio(b, audio, "audio_tower")
    _gemma3n_embedder(c, b, "embed_audio", audio)


def _gemma3n_embedder(c: Config, b: Builder, path: str, part: Fields) -> None:
    width = part.need("hidden_size")
    b.add(f"{path}.embedding.weight", -(-part.need("vocab_size") // 64) * 64 // b.tp * width)
    b.norm(f"{path}.hard_embedding_norm", width)
    b.norm(f"{path}.soft_embedding_norm", width)
    b.column(f"{path}.embedding_projection", width, (stated(c.text, "hidden_size"),))


GEMMA3: Final = Multimodal(dense.GEMMA3, _gemma3)
GEMMA3N: Final = Multimodal(gemma_ple.GEMMA3N, _gemma3n)
GEMMA4: Final = Multimodal(gemma_ple.GEMMA4, _gemma4)
MISTRAL3: Final = Multimodal(dense.LLAMA, _mistral3)
IDEFICS3: Final = Multimodal(dense.LLAMA, _idefics3, "model.text_model", "")
LLAMA4: Final = Multimodal(llama4.LLAMA4, _llama4)
QWEN2_VL: Final = Multimodal(dense.QWEN2, _qwen(towers.qwen2_vl))
QWEN2_5_VL: Final = Multimodal(dense.QWEN2, _qwen(towers.qwen2_5_vl))
QWEN3_VL: Final = Multimodal(dense.QWEN3, _qwen(towers.qwen3_vl))
QWEN3_VL_MOE: Final = Multimodal(moe.QWEN3_MOE, _qwen(towers.qwen3_vl))
QWEN3_5: Final = Multimodal(gdn.QWEN3_5, _qwen(towers.qwen3_vl))
QWEN3_5_MOE: Final = Multimodal(gdn.QWEN3_5_MOE, _qwen(towers.qwen3_vl))
QWEN4_EXP: Final = Multimodal(qwen4_exp.QWEN4_EXP, _qwen(towers.qwen3_vl))
