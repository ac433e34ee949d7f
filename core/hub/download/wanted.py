"""What a download fetches: exactly the files that vLLM needs, at one commit."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final, cast

from core.checkpoint.files import BIN_INDEX, SAFETENSORS_INDEX
from core.checkpoint.listing import Kind, Listing, read_listing
from core.errors import AppError
from core.hub.api import HubApi
from core.hub.cache.layout import MAIN, is_commit
from core.hub.model import HubFile, RepoRef

MAX_INDEX_BYTES: Final = 48 << 20


@dataclass(frozen=True, slots=True)
class Wanted:
    """`repo_id` as the Hub spells it now; `ref` the branch or tag, "" where a commit was asked for; `tree` as
    huggingface_hub keeps it beside a snapshot, None when not all of it is wanted: with it, huggingface_hub would call
    the snapshot incomplete (2.4, `_raise_if_incomplete_snapshot`)."""

    repo_id: str
    commit: str
    ref: str
    files: tuple[HubFile, ...]
    tree: dict[str, Any] | None = None


async def find_wanted(api: HubApi, ref: RepoRef) -> Wanted:
    """Two or three small requests.

    Raises:
        AppError: `hub.*`; `model.*` when there is nothing that vLLM can load, or a shard is missing.
    """
    info = await api.info(ref)
    repo_id, commit = str(info["id"]), str(info.get("sha") or ref.revision)
    pinned = RepoRef(repo_id, commit)
    files = await api.tree(pinned)
    listing = await _listing(api, pinned, files)
    needed = {*listing.weights, *listing.others}
    wanted = tuple(file for file in files if file.path in needed)
    name = "" if is_commit(ref.revision) else ref.revision or MAIN
    return Wanted(repo_id, commit, name, wanted, _tree(files) if len(wanted) == len(files) else None)


async def _listing(api: HubApi, ref: RepoRef, files: tuple[HubFile, ...]) -> Listing:
    sizes: dict[str, int | None] = {file.path: file.size for file in files}
    index = next((name for name in (SAFETENSORS_INDEX, BIN_INDEX) if name in sizes), "")
    listing = read_listing(sizes)
    if index and listing.index == index:
        listing = read_listing(sizes, _weight_map(ref, index, await api.text(ref, index, limit=MAX_INDEX_BYTES)))
    if listing.kind is Kind.GGUF:
        file = next(name for name in sizes if name.endswith(".gguf"))
        raise AppError("model.gguf_only", path=ref.repo_id, file=file)
    if listing.kind is Kind.NOTHING or not listing.weights:
        missing = "config.json" if "config.json" not in sizes else "*.safetensors"
        raise AppError("model.not_a_checkpoint", path=ref.repo_id, missing=missing)
    if listing.missing:
        shown = ", ".join(listing.missing[:3])
        raise AppError("model.missing_shards", path=ref.repo_id, missing=shown, count=len(listing.missing))
    return listing


def _weight_map(ref: RepoRef, index: str, data: bytes) -> tuple[str, ...]:
    try:
        mapped = cast("dict[str, Any]", json.loads(data)["weight_map"])
        return tuple(str(name) for name in mapped.values())
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise AppError("model.broken_file", repr(error), path=ref.repo_id, file=index, reason=str(error)) from error


def _tree(files: tuple[HubFile, ...]) -> dict[str, Any]:
    """As huggingface_hub 2.4 writes it (_tree_cache.py `TreeCacheEntry.to_json`)."""
    return {
        file.path: {"size": file.size, "blob_id": file.blob_id}
        | ({"lfs_sha256": file.sha256, "lfs_size": file.size} if file.sha256 else {})
        | ({"xet_hash": file.xet_hash} if file.xet_hash else {})
        for file in sorted(files, key=lambda file: file.path)
    }
