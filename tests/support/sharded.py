"""A checkpoint of one file, written again as several with an index, as larger models are published."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

WEIGHTS = "model.safetensors"


def write_shards(source: Path, target: Path, *, shards: int = 2) -> list[str]:
    """Gives the shards' names. The other files of `source` are copied as they are."""
    target.mkdir(parents=True)
    raw = (source / WEIGHTS).read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    header: dict[str, Any] = json.loads(raw[8 : 8 + size])
    tensors = sorted(name for name in header if name != "__metadata__")
    names = [f"model-{number:05d}-of-{shards:05d}.safetensors" for number in range(1, shards + 1)]
    weight_map: dict[str, str] = {}
    for number, name in enumerate(names):
        part = tensors[number * len(tensors) // shards : (number + 1) * len(tensors) // shards]
        _write(target / name, part, header, memoryview(raw)[8 + size :])
        weight_map |= dict.fromkeys(part, name)
    index = {"metadata": {}, "weight_map": weight_map}
    (target / f"{WEIGHTS}.index.json").write_text(json.dumps(index), "utf-8")
    for file in source.iterdir():
        if file.is_file() and file.name != WEIGHTS:
            (target / file.name).write_bytes(file.read_bytes())
    return names


def _write(path: Path, tensors: list[str], header: dict[str, Any], body: memoryview) -> None:
    entries: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    pieces: list[memoryview] = []
    at = 0
    for name in tensors:
        start, end = header[name]["data_offsets"]
        entries[name] = {**header[name], "data_offsets": [at, at + end - start]}
        at += end - start
        pieces.append(body[start:end])
    text = json.dumps(entries).encode()
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for piece in pieces:
            file.write(piece)


def take_template_away(folder: Path) -> None:
    """As base models are published."""
    for name in ("chat_template.jinja", "chat_template.json"):
        (folder / name).unlink(missing_ok=True)
    path = folder / "tokenizer_config.json"
    config: dict[str, Any] = json.loads(path.read_text("utf-8"))
    config.pop("chat_template", None)
    path.write_text(json.dumps(config), "utf-8")
