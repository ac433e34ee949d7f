"""Whether a commit of the cache is whole for vLLM: by the Hub's own listing where it was kept, else by what the
checkpoint itself calls for. Files that loading never reads (README, licence, pictures) are not needed, so a snapshot
that vLLM or the `hf` command fetched in part counts as whole."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import msgspec

from core.checkpoint.files import BIN_INDEX, SAFETENSORS_INDEX, has_tokenizer
from core.checkpoint.listing import Kind, Listing, read_listing
from core.checkpoint.safetensors_header import BrokenFile, read_header
from core.hub.cache.on_disk import RepoOnDisk

TREE_FORMAT: Final = 1
_MOST_JSON_BYTES: Final = 64 * 1024**2
# Read by vLLM or transformers 5 when a repository has them, besides config, weights and tokenizer.
_READ: Final = ("chat_template.*", "*processor_config.json", "tokenizer_config.json")


@dataclass(frozen=True, slots=True)
class TreeFile:
    """A file as the Hub listed it; `etag` is the name of its blob."""

    size: int
    etag: str


class _TreeEntry(msgspec.Struct, frozen=True):
    size: int
    blob_id: str
    lfs_sha256: str | None = None


class _Tree(msgspec.Struct, frozen=True):
    format_version: int
    files: dict[str, _TreeEntry]


@dataclass(frozen=True, slots=True)
class Wholeness:
    """`missing`: needed, and absent or of another size; `damaged`: file -> what is wrong with it; `loadable` False for
    what is no checkpoint of its own (GGUF alone, an adapter, a tokenizer)."""

    missing: tuple[str, ...]
    damaged: dict[str, str]
    loadable: bool


def read_tree(repo: RepoOnDisk, commit: str) -> dict[str, TreeFile] | None:
    """The listing that huggingface_hub (1.21 and later) and our downloads keep; None without one that is readable."""
    try:
        tree = msgspec.json.decode(_read(Path(repo.path, "trees", f"{commit}.json")), type=_Tree)
    except (OSError, msgspec.MsgspecError, UnicodeError):
        return None
    if tree.format_version != TREE_FORMAT:
        return None
    return {path: TreeFile(entry.size, entry.lfs_sha256 or entry.blob_id) for path, entry in tree.files.items()}


def wholeness(repo: RepoOnDisk, commit: str) -> Wholeness:
    """Of a model's commit. Reads its config and index, and the headers of the weights where no listing tells sizes."""
    present = {file.path: file.size for file in repo.snapshots.get(commit, ())}
    folder = Path(repo.snapshot_path(commit))
    tree = read_tree(repo, commit)
    known: dict[str, int | None] = dict(present) if tree is None else {name: file.size for name, file in tree.items()}
    listing = read_listing(known, _weight_map(folder, known))
    if listing.kind is Kind.ADAPTER:
        return Wholeness(_absent(("adapter_config.json", *listing.weights), present, tree), {}, loadable=False)
    if listing.kind is not Kind.CHECKPOINT:
        # The config alone: somebody looked at a model, or its download has just begun.
        lonely = listing.kind is Kind.NOTHING and "config.json" in present
        return Wholeness(("*.safetensors",) if lonely else (), {}, loadable=lonely)
    config = _json(folder / "config.json") or {}
    missing = _absent(_needed(listing, known, config), present, tree) + listing.missing
    if not has_tokenizer(name for name, size in present.items() if size):
        missing += ("tokenizer.json",)
    damaged = {} if tree is not None else _broken(folder, listing, present)
    return Wholeness(tuple(dict.fromkeys(missing)), damaged, loadable=True)


def _needed(listing: Listing, known: Mapping[str, int | None], config: Mapping[str, Any]) -> tuple[str, ...]:
    root = [name for name in listing.others if "/" not in name]
    settings = [name for name in ("config.json", "params.json") if name in known][:1]
    index = [listing.index] if listing.index else []
    read = [name for name in root if any(fnmatch.fnmatch(name, pattern) for pattern in _READ)]
    tokenizer = ["tokenizer.json"] if "tokenizer.json" in known else [name for name in root if has_tokenizer((name,))]
    return tuple(dict.fromkeys((*settings, *index, *listing.weights, *tokenizer, *read, *_code(config))))


def _code(config: Mapping[str, Any]) -> list[str]:
    """Python files of the repository itself that its config names (`auto_map`)."""
    auto_map = config.get("auto_map")
    if not isinstance(auto_map, dict):
        return []
    values = [value for value in cast("dict[str, Any]", auto_map).values() if isinstance(value, str)]
    return sorted({f"{value.partition('.')[0]}.py" for value in values if "--" not in value})


def _absent(
    names: tuple[str, ...], present: Mapping[str, int | None], tree: Mapping[str, TreeFile] | None
) -> tuple[str, ...]:
    """Those of `names` that are not there, or not with the size that the Hub told."""
    found: list[str] = []
    for name in names:
        size = present.get(name)
        told = None if tree is None or name not in tree else tree[name].size
        if size is None or (told is not None and size != told) or (told is None and size == 0):
            found.append(name)
    return tuple(found)


def _weight_map(folder: Path, known: Mapping[str, int | None]) -> tuple[str, ...] | None:
    index = next((name for name in (SAFETENSORS_INDEX, BIN_INDEX) if name in known), None)
    mapped = (_json(folder / index) or {}).get("weight_map") if index else None
    return tuple({str(name) for name in cast("dict[str, Any]", mapped).values()}) if isinstance(mapped, dict) else None


def _json(path: Path) -> dict[str, Any] | None:
    try:
        return msgspec.json.decode(_read(path), type=dict[str, Any])
    except (OSError, msgspec.MsgspecError, UnicodeError):
        return None


def _read(path: Path) -> bytes:
    """Raises: OSError; a file that is no such thing at all, by its size, is an empty one."""
    return path.read_bytes() if path.stat().st_size <= _MOST_JSON_BYTES else b""


def _broken(folder: Path, listing: Listing, present: Mapping[str, int | None]) -> dict[str, str]:
    """Weights whose own header says that they are not whole."""
    found: dict[str, str] = {}
    for name in listing.weights:
        if name.endswith(".safetensors") and present.get(name):
            try:
                read_header(folder / name)
            except (BrokenFile, OSError) as error:
                found[name] = str(error)
    return found
