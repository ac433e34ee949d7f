"""Repositories for the loopback Hub that look like published models: their own configs, headers of files as large as
theirs, and no weights."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from core.planner.options import Request
from core.planner.plan import make_plan
from tests.fakes.fake_hub import FakeHub
from tests.fakes.hub_content import BLOCK, Content, Repo
from tests.support.plans import config, published

LICENCE = "apache-2.0"


class Holed(Content):
    """A file that begins with `head` and goes on with zeros. Nobody reads its zeros, so its hash is made up."""

    def __init__(self, head: bytes, size: int) -> None:
        self.head = head
        self.size = size
        self.sha256 = hashlib.sha256(head + str(size).encode()).hexdigest()

    def pieces(self, start: int, end: int) -> Iterator[bytes | memoryview]:
        at = start
        while at < end:
            stop = min(end, at + BLOCK)
            piece = self.head[at:stop]
            yield piece + b"\0" * (stop - at - len(piece))
            at = stop

    def write(self, path: Path) -> None:
        with path.open("wb") as file:
            file.write(self.head)
            file.truncate(self.size)


def weights_of(name: str, *, shards: int = 1) -> list[Holed]:
    """Headers whose tensors are together as large as the weights of the published model `name`."""
    total = make_plan(published(name), Request()).weights.bytes // (2 * shards) * 2
    return [holed({f"model.layers.{shard}.weight": ("BF16", (total // 2,))}) for shard in range(shards)]


def holed(tensors: Mapping[str, tuple[str, tuple[int, ...]]]) -> Holed:
    """A safetensors file of zeros."""
    sizes = {"BF16": 2, "F16": 2, "F32": 4, "I32": 4, "U8": 1, "F8_E4M3": 1}
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    end = 0
    for name, (dtype, shape) in tensors.items():
        count = 1
        for side in shape:
            count *= side
        start, end = end, end + sizes[dtype] * count
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [start, end]}
    text = json.dumps(header).encode()
    return Holed(len(text).to_bytes(8, "little") + text, 8 + len(text) + end)


def files_of(name: str, *, shards: int = 1, **changes: Any) -> dict[str, Content | bytes | str | Path]:
    """The files of a published model (a name in tests/data/configs); `changes` of its config."""
    files: dict[str, Content | bytes | str | Path] = {
        "config.json": json.dumps(config(name) | changes),
        "tokenizer.json": "{}",
        "tokenizer_config.json": "{}",
        "README.md": f"---\nlicense: {LICENCE}\n---\n# {name}\n",
        ".gitattributes": "*.safetensors filter=lfs\n",
    }
    weights = weights_of(name, shards=shards)
    if shards == 1:
        return files | {"model.safetensors": weights[0]}
    names = [f"model-{number:05d}-of-{shards:05d}.safetensors" for number in range(1, shards + 1)]
    weight_map = {f"model.layers.{number}.weight": shard for number, shard in enumerate(names)}
    index = {"model.safetensors.index.json": json.dumps({"weight_map": weight_map})}
    return files | index | dict(zip(names, weights, strict=True))


def add_published(
    hub: FakeHub, name: str, repo_id: str = "", *, shards: int = 1, tags: tuple[str, ...] = (), **options: Any
) -> Repo:
    """A published model on `hub`, as the real one describes it. `options` are fields of `Repo`; its `meta` adds."""
    declared = config(name)
    quantization = declared.get("quantization_config")
    shown: dict[str, Any] = {"architectures": declared["architectures"], "model_type": declared["model_type"]}
    elements = make_plan(published(name), Request()).weights.bytes // 2
    counts = {"BF16": elements}
    if quantization:
        method = {name: quantization[name] for name in ("quant_method", "bits") if name in quantization}
        shown["quantization_config"] = method
        # The Hub counts packed elements.
        counts = {"I32": elements // 2, "F16": elements // 10}
    meta: dict[str, Any] = {
        "tags": ["transformers", "safetensors", "text-generation", f"license:{LICENCE}", *tags],
        "config": shown,
        "safetensors": {"parameters": counts, "total": sum(counts.values())},
    }
    if quantization and quantization.get("quant_method"):
        meta["tags"].append(quantization["quant_method"])
    meta |= options.pop("meta", {})
    return hub.add(repo_id or name.replace("__", "/"), files_of(name, shards=shards), meta=meta, **options)


def write_files(files: Mapping[str, Content | bytes | str | Path], folder: Path) -> Path:
    """The same files as a folder on this disk."""
    folder.mkdir(parents=True)
    for path, source in files.items():
        if isinstance(source, Holed):
            source.write(folder / path)
        elif isinstance(source, str):
            (folder / path).write_text(source, encoding="utf-8")
        else:
            raise TypeError(f"{path}: {type(source).__name__}")
    return folder
