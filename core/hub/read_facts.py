"""Reads the facts of a repository over the API: two to four small requests, and one or two per weight file."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, Final, TypeVar, cast

import msgspec

from core.checkpoint.architecture import Checkpoint
from core.checkpoint.fields import Unreadable
from core.checkpoint.files import WeightFormat
from core.checkpoint.listing import Listing, read_listing
from core.checkpoint.load import QUANT_FILES
from core.checkpoint.quantization.declared import Quantization
from core.checkpoint.quantization.scheme import ITEM_BYTES
from core.checkpoint.weights_on_disk import WeightsOnDisk, weights_on_disk
from core.errors import AppError
from core.hub.api import HubApi, Json, hub_file, mapping, objects
from core.hub.facts import RepoFacts
from core.hub.model import HubFile, RepoRef

log = logging.getLogger(__name__)

MOST_SHARDS: Final = 96
"""Weight files whose headers are read; a model of more is larger than any desk computer, which its size tells."""
AT_ONCE: Final = 6
MAX_INDEX_BYTES: Final = 48 << 20
T = TypeVar("T")

_HEADERS: Final = (WeightFormat.SAFETENSORS, WeightFormat.MISTRAL)
_CLOSED: Final = ("hub.gated_no_token", "hub.gated_not_accepted", "hub.bad_token")


async def read_facts(api: HubApi, repo_id: str, commit: str, info: Json | None = None) -> RepoFacts:
    """Args: `commit` "" for the head of the main branch; `info` of that commit, where it has been asked for already.

    Raises:
        AppError: `hub.*` when the Hub cannot be asked. A repository whose files are closed to us, or whose files are
            damaged, gives facts with a `reason` instead.
    """
    info = info if info is not None else await api.info(RepoRef(repo_id, commit))
    ref = RepoRef(str(info["id"]), str(info.get("sha") or commit))
    sizes = {file.path: file.size for file in files_of(info)}
    bare = RepoFacts(ref.repo_id, ref.revision, sizes)
    try:
        return await _read(api, ref, bare)
    except AppError as error:
        if error.code in _CLOSED:
            return msgspec.structs.replace(bare, reason="gated")
        if error.code in ("model.broken_file", "model.not_a_checkpoint", "hub.file_not_found"):
            log.info("facts of %s: %s", repo_id, error)
            return msgspec.structs.replace(bare, reason="broken")
        raise


def files_of(info: Json) -> tuple[HubFile, ...]:
    return tuple(hub_file(item) for item in objects(info.get("siblings")))


async def _read(api: HubApi, ref: RepoRef, bare: RepoFacts) -> RepoFacts:
    listing = bare.listing
    if listing.format is None or "config.json" not in bare.sizes:
        return msgspec.structs.replace(bare, reason="no_config" if listing.format else "")
    quant_name = next((name for name in QUANT_FILES if name in bare.sizes), "")
    config, quant_file, index = await _together(
        [_object(api, ref, name) for name in ("config.json", quant_name, listing.index)]
    )
    shards = mapping(index).get("weight_map")
    weight_map = tuple(sorted({str(name) for name in mapping(shards).values()})) if shards else None
    listing = read_listing(cast("dict[str, int | None]", bare.sizes), weight_map)
    facts = msgspec.structs.replace(bare, config=config, quant_file=quant_file, weight_map=weight_map)
    if listing.format not in _HEADERS:
        return _counted(msgspec.structs.replace(facts, reason="no_headers"))
    if len(listing.weights) > MOST_SHARDS:
        return _counted(msgspec.structs.replace(facts, reason="many_files"))
    return _counted(msgspec.structs.replace(facts, disk=await _headers(api, ref, listing)))


async def _headers(api: HubApi, ref: RepoRef, listing: Listing) -> WeightsOnDisk | None:
    """Summed as for a folder: file by file in the order of their names."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def read(name: str) -> Any:
        async with gate:
            return await api.header(ref, name)

    headers = await _together([read(name) for name in listing.weights])
    return await asyncio.to_thread(weights_on_disk, headers) if headers else None


async def _together(reads: list[Coroutine[Any, Any, T]]) -> list[T]:
    """All results in order; the first failure ends the others and is raised as it is."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(read) for read in reads]
    except BaseExceptionGroup as failed:
        raise failed.exceptions[0] from None
    return [task.result() for task in tasks]


async def _object(api: HubApi, ref: RepoRef, path: str) -> dict[str, Any] | None:
    if not path:
        return None
    data = await api.text(ref, path, limit=MAX_INDEX_BYTES)
    try:
        return msgspec.json.decode(data, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise AppError("model.broken_file", path=ref.repo_id, file=path, reason=str(error)) from error


def _counted(facts: RepoFacts) -> RepoFacts:
    """With the number of the model's parameters, as its config tells them: packing does not change it."""
    checkpoint = facts.checkpoint()
    return msgspec.structs.replace(facts, parameters=count_parameters(checkpoint) if checkpoint else None)


def count_parameters(checkpoint: Checkpoint) -> int | None:
    """Elements of all weights as if nothing were quantized; None where the architecture is not modelled."""
    if not checkpoint.known:
        return None
    plain = Checkpoint(checkpoint.config, Quantization(), checkpoint.family, checkpoint.context)
    try:
        by_dtype = plain.inventory("bfloat16").by_dtype
    except Unreadable:
        return None
    return sum(size // ITEM_BYTES.get(dtype, 1) for dtype, size in by_dtype.items())
