"""How much of each filesystem is Stowage's: its engines, and the models on its list."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from dataclasses import dataclass

from core.events import EngineInfo, ModelInfo

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Place:
    """Something of ours on a disk: a path in it, and its bytes."""

    path: str
    bytes: int


def places_of(engines: Iterable[EngineInfo], models: Iterable[ModelInfo]) -> frozenset[Place]:
    """Whose size is known. A user's own environment is theirs, not ours."""
    found = {Place(engine.python, engine.size_bytes) for engine in engines if engine.ours and engine.size_bytes}
    found |= {Place(model.path, model.size_bytes) for model in models if model.path and model.size_bytes}
    return frozenset(found)


def ours_by_mount(mounts: Iterable[str], places: Iterable[Place]) -> dict[str, int]:
    """Bytes of ours by mount point. Blocking: asks the filesystems. What lies elsewhere, or is gone, is left out."""
    by_device: dict[int, str] = {}
    for mount in mounts:
        device = _device(mount)
        if device is not None:
            by_device[device] = mount
    found: dict[str, int] = {}
    for place in places:
        device = _device(place.path)
        mount = None if device is None else by_device.get(device)
        if mount is not None:
            found[mount] = found.get(mount, 0) + place.bytes
    return found


def _device(path: str) -> int | None:
    """Of the thing itself: an interpreter is often a link to one on another filesystem."""
    try:
        return os.lstat(path).st_dev
    except OSError as error:
        log.debug("%s is not counted: %s", path, error)
        return None
