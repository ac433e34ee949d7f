"""Copying the cache folder: every file read back and compared before it gets its name, links kept as links, times kept.
What is there already, whole, is not copied again, so a copy that was killed goes on where it was."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from core.files import quiet_opener, sync_folder
from core.hub.cache.hashing import CHUNK_BYTES
from core.hub.cache.layout import LOCKS
from core.hub.cache.stoppable import Stopped

PART: Final = ".stowage-copy"


class Differs(Exception):
    """What was read back is not what was written: the disk, or somebody who writes to the source, is at fault."""


@dataclass(slots=True)
class Inventory:
    """Paths relative to the root. `links`: where each leads; `twins`: an earlier name of the same bytes."""

    folders: list[str] = field(default_factory=list[str])
    files: dict[str, os.stat_result] = field(default_factory=dict[str, os.stat_result])
    links: dict[str, str] = field(default_factory=dict[str, str])
    twins: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def total_bytes(self) -> int:
        return sum(found.st_size for found in self.files.values())


def take_inventory(root: Path) -> Inventory:
    """All of the cache but its locks. Raises: OSError."""
    found = Inventory()
    first: dict[tuple[int, int], str] = {}

    def refuse(error: OSError) -> None:
        raise error

    for folder, folders, names in os.walk(root, onerror=refuse):
        if Path(folder) == root:
            folders[:] = [name for name in folders if name != LOCKS]
        for name in sorted(folders):
            full = os.path.join(folder, name)
            if os.path.islink(full):
                found.links[os.path.relpath(full, root)] = os.readlink(full)
            else:
                found.folders.append(os.path.relpath(full, root))
        for name in sorted(names):
            _take_file(found, first, os.path.join(folder, name), root)
    return found


def _take_file(found: Inventory, first: dict[tuple[int, int], str], full: str, root: Path) -> None:
    relative = os.path.relpath(full, root)
    told = os.lstat(full)
    if stat.S_ISLNK(told.st_mode):
        found.links[relative] = os.readlink(full)
    elif stat.S_ISREG(told.st_mode):
        known = first.setdefault((told.st_dev, told.st_ino), relative)
        if known == relative:
            found.files[relative] = told
        else:
            found.twins[relative] = known


class Copier:
    """One copy of `source` into `target`, both absolute. `advance` hears bytes: each counts once when it is written and
    once when it is read back."""

    def __init__(self, source: Path, target: Path, advance: Callable[[int], None], stop: threading.Event) -> None:
        self._source, self._target = source, target
        self._advance, self._stop = advance, stop

    def run(self, found: Inventory) -> None:
        """Blocking.

        Raises:
            Stopped, Differs, OSError: what was copied so far stays.
        """
        for folder in found.folders:
            (self._target / folder).mkdir(parents=True, exist_ok=True)
        for name, told in found.files.items():
            self._file(name, told)
        for name, twin in found.twins.items():
            self._place(name, lambda part, twin=twin: os.link(self._target / twin, part))
        for name, leads in found.links.items():
            leads = self._moved_link(name, leads)
            if not self._is_link(name, leads):
                self._place(name, lambda part, leads=leads: os.symlink(leads, part))
        # Last, because a folder without the right to write would refuse its files.
        for folder in reversed(found.folders):
            shutil.copystat(self._source / folder, self._target / folder)
        sync_folder(self._target)

    def is_there(self, name: str, told: os.stat_result) -> bool:
        """Whether a file has its final name already: then it was compared too."""
        try:
            there = os.lstat(self._target / name)
        except OSError:
            return False
        return stat.S_ISREG(there.st_mode) and (there.st_size, there.st_mtime_ns) == (told.st_size, told.st_mtime_ns)

    def _file(self, name: str, told: os.stat_result) -> None:
        if self.is_there(name, told):
            self._advance(2 * told.st_size)
            return
        part = self._target / f"{name}{PART}"
        written = self._write(self._source / name, part)
        if self._read_back(part) != written:
            part.unlink(missing_ok=True)
            raise Differs(name)
        shutil.copystat(self._source / name, part)
        os.replace(part, self._target / name)

    def _write(self, source: Path, part: Path) -> str:
        digest = hashlib.blake2b()
        part.unlink(missing_ok=True)
        with open(source, "rb", buffering=0, opener=quiet_opener) as read, open(part, "xb", buffering=0) as write:
            buffer = memoryview(bytearray(CHUNK_BYTES))
            while count := read.readinto(buffer):
                self._check()
                digest.update(buffer[:count])
                self._write_all(write.fileno(), buffer[:count])
                self._advance(count)
            os.fsync(write.fileno())
            if hasattr(os, "posix_fadvise"):
                # So that reading back asks the disk and not the memory.
                os.posix_fadvise(write.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        return digest.hexdigest()

    def _write_all(self, handle: int, data: memoryview) -> None:
        while data:
            data = data[os.write(handle, data) :]

    def _read_back(self, part: Path) -> str:
        digest = hashlib.blake2b()
        with open(part, "rb", buffering=0) as file:
            buffer = memoryview(bytearray(CHUNK_BYTES))
            while count := file.readinto(buffer):
                self._check()
                digest.update(buffer[:count])
                self._advance(count)
        return digest.hexdigest()

    def _place(self, name: str, make: Callable[[Path], None]) -> None:
        """Put a link under a temporary name and rename it, so that a kill leaves either nothing or all of it."""
        part = self._target / f"{name}{PART}"
        part.unlink(missing_ok=True)
        make(part)
        os.replace(part, self._target / name)
        # Renaming one name of a file over another name of it does nothing at all (POSIX).
        part.unlink(missing_ok=True)

    def _moved_link(self, name: str, leads: str) -> str:
        """The same thing from the new place: within the cache a link goes along, outside it stays where it leads."""
        home = (self._source / name).parent
        target = Path(os.path.normpath(home / leads))
        if target.is_relative_to(self._source):
            inside = self._target / target.relative_to(self._source)
            return str(inside) if os.path.isabs(leads) else leads
        return str(target)

    def _is_link(self, name: str, leads: str) -> bool:
        try:
            return os.readlink(self._target / name) == leads
        except OSError:
            return False

    def _check(self) -> None:
        if self._stop.is_set():
            raise Stopped


def can_link(folder: Path) -> bool:
    """Whether the filesystem of `folder` (which is there) has links, without which the cache is no cache."""
    probe = folder / f".link{PART}"
    try:
        probe.unlink(missing_ok=True)
        os.symlink("nothing", probe)
    except OSError:
        return False
    probe.unlink()
    return True
