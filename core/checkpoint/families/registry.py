"""Which family an architecture belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Protocol

from core.checkpoint.caches import CacheLayer
from core.checkpoint.config import Config
from core.checkpoint.families import dense, mla, moe
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
    "Ernie4_5ForCausalLM": dense.ERNIE,
    "MixtralForCausalLM": moe.MIXTRAL,
    "GraniteMoeForCausalLM": moe.GRANITE_MOE,
    "Qwen2MoeForCausalLM": moe.QWEN2_MOE,
    "Qwen3MoeForCausalLM": moe.QWEN3_MOE,
    "OlmoeForCausalLM": moe.OLMOE,
    "PhiMoEForCausalLM": moe.PHIMOE,
    "Glm4MoeForCausalLM": moe.GLM4_MOE,
    "Ernie4_5_MoeForCausalLM": moe.ERNIE_MOE,
    "GptOssForCausalLM": moe.GPT_OSS,
    "DeepseekV2ForCausalLM": mla.DEEPSEEK,
    "DeepseekV3ForCausalLM": mla.DEEPSEEK,
    "Glm4MoeLiteForCausalLM": mla.GLM4_LITE,
}
