"""Small checkpoints on disk that are whole in form; no engine could answer with them."""

from __future__ import annotations

import json
from pathlib import Path

CONFIG: dict[str, object] = {"architectures": ["LlamaForCausalLM"], "max_position_embeddings": 2048}


def safetensors(data_bytes: int) -> bytes:
    """A safetensors file with one tensor of so many bytes."""
    entry = {"dtype": "U8", "shape": [data_bytes], "data_offsets": [0, data_bytes]}
    header = json.dumps({"__metadata__": {"format": "pt"}, "model.weight": entry}).encode()
    return len(header).to_bytes(8, "little") + header + b"\0" * data_bytes


def write_checkpoint(folder: Path, *, shards: int = 0, config: dict[str, object] | None = None) -> Path:
    """A whole checkpoint: one file of weights, or `shards` of them with an index."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(CONFIG if config is None else config))
    (folder / "tokenizer.json").write_text("{}")
    if not shards:
        (folder / "model.safetensors").write_bytes(safetensors(800))
        return folder
    names = [f"model-{number:05d}-of-{shards:05d}.safetensors" for number in range(1, shards + 1)]
    for number, name in enumerate(names):
        (folder / name).write_bytes(safetensors(100 * (number + 1)))
    weight_map = {f"layer.{number}": name for number, name in enumerate(names)}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}))
    return folder
