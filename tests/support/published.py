"""Folders that look like published checkpoints: their own config.json, and one file as large as their weights."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

from core.planner.options import Request
from core.planner.plan import make_plan
from tests.support.plans import config, published


def make_published(folder: Path, name: str, **changes: Any) -> Path:
    """Args: `name` of a file in tests/data/configs; `changes` of its config. The weights are a hole in a file."""
    size = make_plan(published(name), Request()).weights.bytes // 2 * 2
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(config(name) | changes), encoding="utf-8")
    for tokenizer in ("tokenizer.json", "tokenizer_config.json"):
        (folder / tokenizer).write_text("{}", encoding="utf-8")
    entry = {"dtype": "BF16", "shape": [size // 2], "data_offsets": [0, size]}
    header = json.dumps({"model.layers.0.weight": entry}).encode()
    with (folder / "model.safetensors").open("wb") as file:
        file.write(struct.pack("<Q", len(header)) + header)
        file.truncate(8 + len(header) + size)
    return folder
