"""What the loopback Hub serves: contents from memory, from disk or made up as they are read, and repositories."""

from __future__ import annotations

import functools
import hashlib
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

BLOCK: Final = 1 << 20
_LFS_BYTES: Final = 10 << 20
_LFS_ENDINGS: Final = (".safetensors", ".bin", ".gguf", ".pt", ".pth", ".onnx", ".h5", ".msgpack")


class Content:
    """Bytes with a size and their names in git. `pieces` gives those of [start, end) in pieces of at most 1 MiB."""

    size: int

    def pieces(self, start: int, end: int) -> Iterator[bytes | memoryview]:
        raise AssertionError

    @functools.cached_property
    def sha256(self) -> str:
        digest = hashlib.sha256()
        for piece in self.pieces(0, self.size):
            digest.update(piece)
        return digest.hexdigest()

    @functools.cached_property
    def git_sha1(self) -> str:
        digest = hashlib.sha1(b"blob %d\0" % self.size)
        for piece in self.pieces(0, self.size):
            digest.update(piece)
        return digest.hexdigest()


class InMemory(Content):
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.size = len(data)

    def pieces(self, start: int, end: int) -> Iterator[bytes | memoryview]:
        view = memoryview(self.data)
        for at in range(start, end, BLOCK):
            yield view[at : min(at + BLOCK, end)]


class OnDisk(Content):
    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = path.stat().st_size

    def pieces(self, start: int, end: int) -> Iterator[bytes | memoryview]:
        with self.path.open("rb") as file:
            file.seek(start)
            for at in range(start, end, BLOCK):
                yield file.read(min(BLOCK, end - at))


class MadeUp(Content):
    """`size` bytes that cost neither disk nor time: one random block of 1 MiB per seed, each time with its number in
    front, so that a block in the wrong place is noticed."""

    def __init__(self, size: int, seed: int = 0) -> None:
        self.size = size
        self.seed = seed

    def pieces(self, start: int, end: int) -> Iterator[bytes | memoryview]:
        block = bytearray(_random_block(self.seed))
        view = memoryview(block)
        at = start
        while at < end:
            number, offset = divmod(at, BLOCK)
            block[:8] = number.to_bytes(8, "little")
            stop = min(BLOCK, offset + end - at)
            yield view[offset:stop]
            at += stop - offset


@functools.cache
def _random_block(seed: int) -> bytes:
    return random.Random(seed).randbytes(BLOCK)


def content(source: Content | bytes | str | Path) -> Content:
    if isinstance(source, Content):
        return source
    if isinstance(source, Path):
        return OnDisk(source)
    return InMemory(source.encode() if isinstance(source, str) else source)


Files = Mapping[str, "Content | bytes | str | Path"]


@dataclass
class Commit:
    sha: str
    files: dict[str, Content]


@dataclass
class Repo:
    """`token`: whose it is: with `gated` it opens the files, with `private` everything. `lfs`: paths that are LFS
    files, None for the usual rule. `xet`: Xet hashes by path. `meta` overrides or adds fields of the API's answer."""

    id: str
    commits: dict[str, Commit]
    branches: dict[str, str]
    tags: dict[str, str] = field(default_factory=dict[str, str])
    gated: str | bool = False
    private: bool = False
    token: str = ""
    lfs: frozenset[str] | None = None
    xet: dict[str, str] = field(default_factory=dict[str, str])
    meta: dict[str, Any] = field(default_factory=dict[str, Any])

    def commit(self, revision: str) -> Commit | None:
        sha = self.branches.get(revision) or self.tags.get(revision) or revision
        return self.commits.get(sha)

    @property
    def head(self) -> Commit:
        return self.commits[self.branches["main"]]

    def is_lfs(self, path: str, found: Content) -> bool:
        if self.lfs is not None:
            return path in self.lfs
        return found.size >= _LFS_BYTES or path.endswith(_LFS_ENDINGS)

    def etag(self, path: str, found: Content) -> str:
        return found.sha256 if self.is_lfs(path, found) else found.git_sha1


def new_commit(repo_id: str, files: Files, number: int = 0) -> Commit:
    """A commit with a made-up but stable name."""
    held = {path: content(source) for path, source in files.items()}
    named = ",".join(f"{path}:{found.size}" for path, found in sorted(held.items()))
    return Commit(hashlib.sha1(f"{repo_id}#{number}#{named}".encode()).hexdigest(), held)


def folder_files(folder: Path) -> dict[str, Path]:
    """Every file of a real folder by its path relative to it."""
    return {str(path.relative_to(folder)): path for path in sorted(folder.rglob("*")) if path.is_file()}
