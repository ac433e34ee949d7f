"""How the cache is laid out (huggingface_hub 2.4: file_download.py, utils/_shared_blobs.py). Names only, no disk.

models--org--name/refs/main                    a commit
models--org--name/snapshots/<commit>/file      a link to ../../blobs/<etag>; a copy where links do not work
models--org--name/blobs/<etag>                 the bytes, or a link to ../../blobs/<2 hex>/<xet hash>
models--org--name/trees/<commit>.json          the listing of the commit
blobs/<2 hex>/<xet hash>                       bytes that several repositories share, with <xet hash>.refs
.locks/models--org--name/<etag>.lock           held while that file is fetched
"""

from __future__ import annotations

import re
from typing import Final

SHARED: Final = "blobs"
SHARED_MARK: Final = ".huggingface-shared-blobs"
LOCKS: Final = ".locks"
INCOMPLETE: Final = ".incomplete"
MAIN: Final = "main"

_PREFIXES: Final = {"models--": "", "datasets--": "datasets/", "spaces--": "spaces/", "kernels--": "kernels/"}
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_SHA1: Final = re.compile(r"[0-9a-f]{40}")


def repo_of(folder: str) -> str | None:
    """The repository that a folder of the cache belongs to, None for anything else. What is no model has its kind in
    front ("datasets/org/name"), as in the Hub's own addresses."""
    for prefix, kind in _PREFIXES.items():
        if folder.startswith(prefix) and len(folder) > len(prefix):
            return kind + folder.removeprefix(prefix).replace("--", "/")
    return None


def folder_of(repo_id: str) -> str:
    """The name of a repository's folder."""
    for prefix, kind in _PREFIXES.items():
        if kind and repo_id.startswith(kind) and repo_id.count("/") > 1:
            return prefix + repo_id.removeprefix(kind).replace("/", "--")
    return "models--" + repo_id.replace("/", "--")


def is_model(repo_id: str) -> bool:
    return folder_of(repo_id).startswith("models--")


def is_sha256(etag: str) -> bool:
    """Whether a blob's name is the sha256 of its bytes (large files); other names are git's sha1."""
    return _SHA256.fullmatch(etag) is not None


def is_sha1(etag: str) -> bool:
    return _SHA1.fullmatch(etag) is not None


def is_commit(text: str) -> bool:
    return is_sha1(text)


def repo_id_of(model: str) -> str:
    """The repository behind a model of the list: "org/name", "org/name@revision", or a folder within the cache; ""
    for a folder elsewhere."""
    if not model.startswith("/"):
        return model.partition("@")[0]
    return next((repo for part in model.split("/") if (repo := repo_of(part)) is not None), "")
