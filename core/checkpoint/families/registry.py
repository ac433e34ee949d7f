"""Which family an architecture belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Protocol

from core.checkpoint.caches import CacheLayer
from core.checkpoint.config import Config
from core.checkpoint.families import (
    dense,
    gdn,
    gemma_ple,
    hybrids,
    kda,
    llama4,
    mixed,
    mla,
    moe,
    moe_typed,
    multimodal,
    multimodal_more,
    older,
    ssm,
    whisper,
    zamba,
)
from core.checkpoint.tensors import Builder


class Family(Protocol):
    """Both raise `Unreadable` when the config lacks what they need."""

    def caches(self, c: Config, tp: int) -> tuple[CacheLayer, ...]: ...

    def tensors(self, c: Config, b: Builder, root: str = "model") -> None: ...


FAMILIES: Final[Mapping[str, Family]] = {
    "LlamaForCausalLM": dense.LLAMA,
    "LLaMAForCausalLM": dense.LLAMA,
    "MistralForCausalLM": dense.LLAMA,
    "Ministral3ForCausalLM": dense.LLAMA,
    "InternLM3ForCausalLM": dense.LLAMA,
    "GraniteForCausalLM": dense.LLAMA,
    "Qwen2ForCausalLM": dense.QWEN2,
    "Qwen3ForCausalLM": dense.QWEN3,
    "GemmaForCausalLM": dense.GEMMA,
    "Gemma2ForCausalLM": dense.GEMMA2,
    "Gemma3ForCausalLM": dense.GEMMA3,
    "Phi3ForCausalLM": dense.PHI3,
    "Glm4ForCausalLM": dense.GLM4,
    "CohereForCausalLM": dense.COHERE,
    "Cohere2ForCausalLM": dense.COHERE2,
    "Exaone4ForCausalLM": dense.EXAONE4,
    "StableLmForCausalLM": dense.STABLELM,
    "NemotronForCausalLM": dense.NEMOTRON,
    "ApertusForCausalLM": dense.APERTUS,
    "Ernie4_5ForCausalLM": dense.ERNIE,
    "MixtralForCausalLM": moe.MIXTRAL,
    "GraniteMoeForCausalLM": moe.GRANITE_MOE,
    "Qwen2MoeForCausalLM": moe.QWEN2_MOE,
    "Qwen3MoeForCausalLM": moe.QWEN3_MOE,
    "OlmoeForCausalLM": moe.OLMOE,
    "PhiMoEForCausalLM": moe.PHIMOE,
    "Glm4MoeForCausalLM": moe.GLM4_MOE,
    "Ernie4_5_MoeForCausalLM": moe.ERNIE_MOE,
    "ExaoneMoeForCausalLM": moe_typed.EXAONE_MOE,
    "ExaoneMoEForCausalLM": moe_typed.EXAONE_MOE,
    "AfmoeForCausalLM": moe_typed.AFMOE,
    "MiniMaxM2ForCausalLM": moe_typed.MINIMAX_M2,
    "GraniteMoeSharedForCausalLM": moe_typed.GRANITE_SHARED,
    "GptOssForCausalLM": moe.GPT_OSS,
    "DeepseekV2ForCausalLM": mla.DEEPSEEK,
    "DeepseekV3ForCausalLM": mla.DEEPSEEK,
    "Glm4MoeLiteForCausalLM": mla.GLM4_LITE,
    "KimiLinearForCausalLM": kda.KIMI_LINEAR,
    "DeepseekV32ForCausalLM": mla.DEEPSEEK_V32,
    "GlmMoeDsaForCausalLM": mla.GLM_DSA,
    "Qwen3NextForCausalLM": gdn.QWEN3_NEXT,
    "Qwen3_5ForCausalLM": gdn.QWEN3_5,
    "Qwen3_5MoeForCausalLM": gdn.QWEN3_5_MOE,
    "Gemma3nForCausalLM": gemma_ple.GEMMA3N,
    "Gemma4ForCausalLM": gemma_ple.GEMMA4,
    "Llama4ForCausalLM": llama4.LLAMA4,
    "GPT2LMHeadModel": older.GPT2,
    "GPTJForCausalLM": older.GPTJ,
    "OPTForCausalLM": older.OPT,
    "FalconForCausalLM": older.FALCON,
    "Gemma3ForConditionalGeneration": multimodal.GEMMA3,
    "Gemma3nForConditionalGeneration": multimodal.GEMMA3N,
    "Gemma4ForConditionalGeneration": multimodal.GEMMA4,
    "Mistral3ForConditionalGeneration": multimodal.MISTRAL3,
    "LlavaForConditionalGeneration": multimodal_more.LLAVA,
    "LlavaNextForConditionalGeneration": multimodal_more.LLAVA_NEXT,
    "PaliGemmaForConditionalGeneration": multimodal_more.PALIGEMMA,
    "Glm4vForConditionalGeneration": multimodal_more.GLM4V,
    "InternVLForConditionalGeneration": multimodal_more.INTERNVL,
    "Lfm2VlForConditionalGeneration": multimodal_more.LFM2_VL,
    "KimiVLForConditionalGeneration": multimodal_more.KIMI_VL,
    "Qwen2AudioForConditionalGeneration": multimodal_more.QWEN2_AUDIO,
    "WhisperForConditionalGeneration": whisper.WHISPER,
    "Idefics3ForConditionalGeneration": multimodal.IDEFICS3,
    "SmolVLMForConditionalGeneration": multimodal.IDEFICS3,
    "Llama4ForConditionalGeneration": multimodal.LLAMA4,
    "Qwen2VLForConditionalGeneration": multimodal.QWEN2_VL,
    "Qwen2_5_VLForConditionalGeneration": multimodal.QWEN2_5_VL,
    "Qwen3VLForConditionalGeneration": multimodal.QWEN3_VL,
    "Qwen3VLMoeForConditionalGeneration": multimodal.QWEN3_VL_MOE,
    "Qwen3_5ForConditionalGeneration": multimodal.QWEN3_5,
    "Qwen3_5MoeForConditionalGeneration": multimodal.QWEN3_5_MOE,
    "Qwen4ExpForConditionalGeneration": multimodal.QWEN4_EXP,
    "Qwen4ExpForCausalLM": multimodal.QWEN4_EXP.text,
    "MambaForCausalLM": ssm.MAMBA,
    "FalconMambaForCausalLM": ssm.MAMBA,
    "Mamba2ForCausalLM": ssm.MAMBA2,
    "NemotronHForCausalLM": hybrids.NEMOTRON_H,
    "GraniteMoeHybridForCausalLM": hybrids.GRANITE_HYBRID,
    "Zamba2ForCausalLM": zamba.ZAMBA2,
    "JambaForCausalLM": mixed.JAMBA,
    "FalconH1ForCausalLM": mixed.FALCON_H1,
    "Lfm2ForCausalLM": mixed.LFM2,
    "Lfm2MoeForCausalLM": mixed.LFM2_MOE,
}

# Families that no computer without their GPU packages can build as they are, and what that means for their numbers.
UNCHECKED: Final[Mapping[str, str]] = {
    name: "compared with vLLM's classes only while stand-ins replaced its GPU kernels"
    for name in ("DeepseekV32ForCausalLM", "GlmMoeDsaForCausalLM", "KimiLinearForCausalLM")
}
