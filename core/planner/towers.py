"""Whether a multimodal model can be served without its vision and sound towers (`--language-model-only`)."""

from __future__ import annotations

from typing import Final

from core.checkpoint.architecture import Checkpoint

# vLLM 0.32.0: served as text only, the runner hands over ids without embeddings (v1/worker/gpu_model_runner.py), and
# the model's `forward` refuses: "inputs_embeds is required on the first PP rank" (model_executor/models/gemma3n_mm.py).
NEEDS_THEM: Final = frozenset({"Gemma3nForConditionalGeneration"})


def may_go(checkpoint: Checkpoint) -> bool:
    return checkpoint.config.multimodal and checkpoint.config.architecture not in NEEDS_THEM
