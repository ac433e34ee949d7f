"""Gemma 4 (E2B, E4B).

vLLM 0.32.0 and 0.33.0, gemma4.py: `Gemma4ForCausalLM` alone (`model.`) looks rows up inside its compiled forward, the
multimodal wrapper (`language_model.model.`) before it, in `embed_input_ids`. The wrapper builds the same class inside,
so the class does not tell. A wrapper that runs text-only gets no embeddings and looks rows up inside as well.
"""

from stowage_ple.architectures.architecture import Architecture

ARCHITECTURE = Architecture(
    module="vllm.model_executor.models.gemma4",
    prefix_ending="embed_tokens_per_layer",
    tensor_ending="embed_tokens_per_layer.weight",
    in_graph_prefix="model.",
)
