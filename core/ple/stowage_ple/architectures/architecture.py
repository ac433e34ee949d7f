"""What has to be known of a model family to keep its table off the device."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Architecture:
    """`module`: the vLLM module that builds the table by calling the name `VocabParallelEmbedding` with a `prefix`
    that ends in `prefix_ending`; `tensor_ending`: the tensor's name in the checkpoint; `in_graph_prefix`: where the
    prefix begins so, or the model runs without pictures and sound, rows are looked up inside the compiled graph (else
    before it, in `embed_input_ids`); None where they never are."""

    module: str
    prefix_ending: str
    tensor_ending: str
    in_graph_prefix: str | None = None
    factory_name: str = "VocabParallelEmbedding"
