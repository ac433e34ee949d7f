"""What has to be known of a model family to keep its table off the device."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Architecture:
    """`module`: the vLLM module that builds the table by calling the name `VocabParallelEmbedding` with a `prefix`
    that ends in `prefix_ending`; `tensor_ending`: the tensor's name in the checkpoint; `in_graph_classes`: model
    classes that look rows up inside the compiled graph (the others do it before, in `embed_input_ids`)."""

    module: str
    prefix_ending: str
    tensor_ending: str
    in_graph_classes: tuple[str, ...] = ()
    factory_name: str = "VocabParallelEmbedding"
