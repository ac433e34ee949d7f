"""Folders that `hf download --local-dir` filled: what huggingface_hub noted there (2.4, _local_folder.py) tells which
hash each file must have, and where its unfinished files lie."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from core.hub.cache.hashing import Task
from core.hub.cache.layout import INCOMPLETE, is_sha1, is_sha256
from core.hub.cache.on_disk import Partial

NOTES: Final = Path(".cache", "huggingface", "download")
_SUFFIX: Final = ".metadata"


def noted_tasks(folder: Path) -> tuple[Task, ...]:
    """The files that were downloaded into `folder` and are there; () when it is no such folder."""
    notes = folder / NOTES
    found: list[Task] = []
    for note in sorted(notes.rglob(f"*{_SUFFIX}")):
        relative = note.relative_to(notes).as_posix().removesuffix(_SUFFIX)
        full = folder / relative
        try:
            lines = note.read_text("utf-8").splitlines()
            size = full.stat().st_size
        except (OSError, UnicodeError):
            continue
        etag = lines[1].strip() if len(lines) > 1 else ""
        found.append(Task(relative, str(full), size, etag if is_sha256(etag) or is_sha1(etag) else ""))
    return tuple(found)


def unfinished(folder: Path) -> tuple[Partial, ...]:
    """What an interrupted download left there."""
    found: list[Partial] = []
    for path in (folder / NOTES).rglob(f"*{INCOMPLETE}"):
        try:
            stat = os.lstat(path)
        except OSError:
            continue
        found.append(Partial(str(path), stat.st_size, stat.st_mtime))
    return tuple(found)
