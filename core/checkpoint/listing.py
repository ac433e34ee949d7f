"""A listing of files with sizes, local or from the Hub: what vLLM would load of it, what a download costs, what is odd.

Which files count as weights is decided in `core.checkpoint.files`; this adds sizes, the files besides the weights, and
the traps: two formats of the same weights, shards that an index does not know, formats vLLM cannot read.
"""

from __future__ import annotations

import enum
import fnmatch
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from core.checkpoint.files import WeightFormat, missing_by_number, weight_files

# `transformers_utils/repo_utils.py` _WEIGHT_FILE_PATTERNS of vLLM 0.33, and media.
_NOT_NEEDED: Final = (
    *("*.safetensors", "*.bin", "*.pt", "*.pth", "*.ckpt", "*.gguf", "*.h5", "*.msgpack", "*.onnx", "*.onnx_data"),
    *("*.png", "*.jpg", "*.jpeg", "*.gif", "*.webp", "*.mp3", "*.mp4", "*.wav", "*.flac", "*.parquet", "*.arrow"),
    *("*.ipynb", "*.zip", "*.tar*"),
)
_OTHER_FORMS: Final = ("original/", "onnx/", "openvino/", "coreml/", "metal/")
_ADAPTERS: Final = ("adapter_model.safetensors", "adapter_model.bin", "adapter_model.pt")


class Kind(enum.StrEnum):
    """What a listing is."""

    CHECKPOINT = "checkpoint"
    ADAPTER = "adapter"
    GGUF = "gguf"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Listing:
    """`weights` are the files vLLM loads, `others` what it needs besides; sizes in bytes, None when one is unknown.
    `missing`: shards that the index or the numbers call for and that are not there. `ignored_bytes`: weights in other
    formats, neither loaded nor worth a download."""

    kind: Kind
    format: WeightFormat | None
    index: str
    weights: tuple[str, ...]
    others: tuple[str, ...]
    weight_bytes: int | None
    download_bytes: int | None
    ignored_bytes: int
    missing: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def read_listing(sizes: Mapping[str, int | None], weight_map: Iterable[str] | None = None) -> Listing:
    """Args: `sizes` by path relative to the root; `weight_map`: the shard names that the index maps to, where it has
    been read."""
    root = {name for name in sizes if "/" not in name}
    found = weight_files(root)
    if found is None or ("config.json" not in root and found.format is not WeightFormat.MISTRAL):
        return _no_checkpoint(sizes, root)
    mapped = tuple(sorted(set(weight_map))) if weight_map is not None and found.index else None
    weights = mapped if mapped is not None else found.present
    missing = tuple(name for name in weights if name not in root) if mapped is not None else missing_by_number(weights)
    present = tuple(name for name in weights if name in root)
    others = _others(sizes)
    weight_bytes, other_bytes = _sum(sizes, present), _sum(sizes, others)
    return Listing(
        Kind.CHECKPOINT,
        found.format,
        found.index,
        present,
        others,
        weight_bytes,
        None if weight_bytes is None or other_bytes is None else weight_bytes + other_bytes,
        _ignored(sizes, present),
        missing,
        _warnings(root, found.format, found.index, weights, mapped),
    )


def _no_checkpoint(sizes: Mapping[str, int | None], root: set[str]) -> Listing:
    if "adapter_config.json" in root and "config.json" not in root:
        weights = next(((name,) for name in _ADAPTERS if name in root), ())
        size = _sum(sizes, weights)
        return Listing(Kind.ADAPTER, None, "", weights, ("adapter_config.json",), size, size, 0)
    ggufs = tuple(sorted(name for name in sizes if name.endswith(".gguf")))
    kind = Kind.GGUF if ggufs else Kind.NOTHING
    return Listing(kind, None, "", (), (), None, None, _ignored(sizes, ()))


def _others(sizes: Mapping[str, int | None]) -> tuple[str, ...]:
    """Configuration, tokenizer, code; no weights, no pictures, no other forms of the model."""
    return tuple(
        sorted(
            name
            for name in sizes
            if not name.startswith(_OTHER_FORMS) and not any(fnmatch.fnmatch(name, pattern) for pattern in _NOT_NEEDED)
        )
    )


def _sum(sizes: Mapping[str, int | None], names: Iterable[str]) -> int | None:
    total = 0
    for name in names:
        size = sizes.get(name)
        if size is None:
            return None
        total += max(0, size)
    return total


def _ignored(sizes: Mapping[str, int | None], loaded: tuple[str, ...]) -> int:
    weights = (".safetensors", ".bin", ".pt", ".pth", ".ckpt", ".gguf", ".h5", ".msgpack", ".onnx")
    return sum(size or 0 for name, size in sizes.items() if name.endswith(weights) and name not in loaded)


def _warnings(
    root: set[str], kind: WeightFormat, index: str, weights: tuple[str, ...], mapped: tuple[str, ...] | None
) -> tuple[str, ...]:
    found: list[str] = []
    consolidated = any(name.startswith("consolidated") and name.endswith(".safetensors") for name in root)
    if consolidated and kind is not WeightFormat.MISTRAL:
        found.append("consolidated*.safetensors are the same weights once more: left out, or vLLM would change format")
    stray = {name for name in root if name.endswith(".safetensors")} - set(weights)
    stray = {name for name in stray if not name.startswith("consolidated")}
    if mapped is not None and stray and kind is WeightFormat.SAFETENSORS:
        found.append(f"not in the index and not loaded: {', '.join(sorted(stray)[:3])}")
    if not index and len(weights) > 1 and not all("-of-" in name for name in weights):
        found.append("several weight files without an index: vLLM loads them all")
    if kind in (WeightFormat.BIN, WeightFormat.PT):
        found.append("only pickled weights: loading them can run code")
    return tuple(found)
