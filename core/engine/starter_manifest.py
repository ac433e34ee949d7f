"""`stowage.json` in the starter's folder: written last, so its presence and agreement mean a whole checkpoint."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Final

import msgspec

from core.files import write_whole

FILE_NAME: Final = "stowage.json"


class File(msgspec.Struct, frozen=True):
    name: str
    size_bytes: int
    sha256: str


class StarterManifest(msgspec.Struct, frozen=True):
    """What the checkpoint was made of and every file of it. `checksum` is the SHA-256 over the list of files."""

    source: str
    source_sha256: str
    files: tuple[File, ...]
    checksum: str
    schema: int = 1


def write(folder: Path, source: str, source_sha256: str) -> None:
    """Hash and flush every file of a finished checkpoint, then write its manifest.

    Raises:
        OSError: the disk refuses.
    """
    files = tuple(_described(path) for path in sorted(folder.iterdir()) if path.is_file())
    manifest = StarterManifest(source, source_sha256, files, _checksum(files))
    write_whole(folder / FILE_NAME, msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")


def is_whole(folder: Path) -> bool:
    """The manifest is there, is in itself right, and every file of it has its size. Reads no weights."""
    try:
        manifest = msgspec.json.decode((folder / FILE_NAME).read_bytes(), type=StarterManifest)
        sizes = all((folder / file.name).stat().st_size == file.size_bytes for file in manifest.files)
    except (OSError, msgspec.MsgspecError, UnicodeError):
        return False
    return sizes and bool(manifest.files) and manifest.checksum == _checksum(manifest.files)


def _described(path: Path) -> File:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        os.fsync(file.fileno())
    return File(path.name, path.stat().st_size, digest)


def _checksum(files: tuple[File, ...]) -> str:
    return hashlib.sha256(msgspec.json.encode(files)).hexdigest()
