"""What makes blobs a model: the commit's folder of links, its refs, the listing. As huggingface_hub 2.4 writes them
(file_download.py `_create_symlink`, `_cache_commit_hash_for_specific_revision`; _tree_cache.py)."""

from __future__ import annotations

import json
import os
import tempfile
from typing import Final

from core.hub.cache.layout import folder_of
from core.hub.download.worker.blob import Blob
from core.hub.download.worker.board import Refused
from core.hub.download.worker.order import FileOrder, Order

_TAG: Final = "CACHEDIR.TAG"
_TAG_TEXT: Final = (
    "Signature: 8a477f597d28d172789f06886806bc55\n# This file is a cache directory tag created by huggingface_hub.\n"
    "# For information about cache directory tags, see:\n#\thttps://bford.info/cachedir/\n"
)


def folder(order: Order) -> str:
    return os.path.join(order.cache, folder_of(order.repo_id), "snapshots", order.commit)


def pointer(order: Order, file: FileOrder) -> str:
    """Where the file is seen. Raises `Refused` for a path that leads out of the folder."""
    parts = file.path.split("/")
    if any(part in ("", ".", "..") for part in parts) or "\\" in file.path:
        raise Refused("not_a_hub", file.path, reason="path")
    return os.path.join(folder(order), *parts)


def is_copy(order: Order, file: FileOrder) -> bool:
    """Whether the file itself lies there with the right size, as on systems without links."""
    path = pointer(order, file)
    return not os.path.islink(path) and os.path.isfile(path) and os.path.getsize(path) == file.size


def link(order: Order, file: FileOrder, blob: Blob) -> None:
    """Show the finished blob at its path; where links do not work the file itself moves there."""
    path = pointer(order, file)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    target = os.path.relpath(blob.path, os.path.dirname(path))
    if os.path.islink(path) and os.readlink(path) == target:
        return
    if os.path.lexists(path):
        os.unlink(path)
    try:
        os.symlink(target, path)
    except FileExistsError:
        return  # another process was faster
    except OSError:
        os.replace(blob.path, path)


def finish(order: Order) -> str:
    """Name the commit, when all its files are there. Returns the folder."""
    repo = os.path.join(order.cache, folder_of(order.repo_id))
    if order.ref:
        _write(os.path.join(repo, "refs", *order.ref.split("/")), order.commit)
    if order.tree is not None:
        tree = json.dumps({"format_version": 1, "files": order.tree}, indent=1)
        _write(os.path.join(repo, "trees", f"{order.commit}.json"), tree)
    tag = os.path.join(order.cache, _TAG)
    if not os.path.exists(tag):
        _write(tag, _TAG_TEXT)
    return folder(order)


def _write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path), suffix=".tmp")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.chmod(temporary, 0o644)
    os.replace(temporary, path)
