"""Gemma 3n (E2B, E4B).

vLLM 0.32.0 and 0.33.0, gemma3n.py: built with the prefix `...per_layer_embed_tokens`, although the module is called
`embed_tokens_per_layer`. The multimodal wrapper looks rows up in `embed_input_ids`; the text-only class never does (its
`forward` gets no `per_layer_inputs`), so there the table is only kept away.
"""

from stowage_ple.architectures.architecture import Architecture

ARCHITECTURE = Architecture(
    module="vllm.model_executor.models.gemma3n",
    prefix_ending="per_layer_embed_tokens",
    tensor_ending="embed_tokens_per_layer.weight",
)
