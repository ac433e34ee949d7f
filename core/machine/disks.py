"""The filesystems that Stowage uses: the model cache, the engines, temporary files."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import psutil

from core.machine.block import is_windows_drive, kind_of
from core.machine.model import Disk
from core.machine.mounts import Mount, mount_of, read_mounts
from core.machine.reading import NOT_SUPPORTED, NOT_YET, Known, Unknown, Why
from core.machine.tree import Tree
from core.paths import Paths


def folders_of(paths: Paths) -> dict[str, Path]:
    """The folders to watch, by role, but for the models': those may be moved while Stowage runs."""
    return {"engines": paths.engines, "temp": Path(tempfile.gettempdir())}


def disk_of(folder: Path, tree: Tree | None = None) -> Disk:
    """The filesystem that holds a folder. Blocking, a few milliseconds."""
    return DiskReader(tree or Tree(), {"model": folder}).read()[0]


class DiskReader:
    """`find` looks up the filesystems (seldom needed), `read` their room now. Not thread-safe."""

    def __init__(self, tree: Tree, folders: Mapping[str, Path], models: Callable[[], Path] | None = None) -> None:
        self._tree = tree
        self._folders = dict(folders)
        self._models = models
        self._disks: tuple[Disk, ...] = ()
        self._probe_at: dict[str, str] = {}
        self.find()

    def find(self) -> None:
        mounts = read_mounts(self._tree)
        self._probe_at.clear()
        found: dict[str, Disk] = {}
        folders = self._folders if self._models is None else {"models": self._models(), **self._folders}
        for role, folder in folders.items():
            place = self._existing(self._tree.resolved(str(folder)))
            mount = mount_of(place, mounts) or _portable_mount(place)
            self._probe_at.setdefault(mount.point, place)
            known = found.get(mount.point)
            found[mount.point] = replace(known, roles=(*known.roles, role)) if known else self._disk(mount, role)
        self._disks = tuple(found.values())

    def read(self) -> tuple[Disk, ...]:
        """Total and free bytes of each, exactly as statvfs gives them."""
        if not all(self._tree.exists(place) for place in self._probe_at.values()):
            self.find()  # a folder that was there is gone: its disk is not
        return tuple(self._measured(disk) for disk in self._disks)

    def _measured(self, disk: Disk) -> Disk:
        space = self._tree.space(self._probe_at[disk.mount])
        if isinstance(space, Unknown):
            return replace(disk, total_bytes=space, free_bytes=space)
        total, free = space.value.total_bytes, space.value.free_bytes
        if total <= 0:
            # Some FUSE and network filesystems answer with zeros.
            nothing = Unknown(Why.IMPOSSIBLE, f"{disk.filesystem} reports a size of {total}")
            return replace(disk, total_bytes=nothing, free_bytes=nothing)
        return replace(disk, total_bytes=Known(total), free_bytes=Known(free))

    def _disk(self, mount: Mount, role: str) -> Disk:
        kind, devices = kind_of(mount, self._tree) if mount.device else (NOT_SUPPORTED, ())
        return Disk(mount.point, mount.filesystem, (role,), NOT_YET, NOT_YET, kind, devices, is_windows_drive(mount))

    def _existing(self, path: str) -> str:
        """The folder itself, or the nearest one above that exists: it decides where a new one will lie."""
        while path != "/" and not self._tree.exists(path):
            parent = os.path.dirname(path)
            if parent == path:
                break
            path = parent
        return path


def _portable_mount(path: str) -> Mount:
    """Windows and macOS, which have no mountinfo. No device number: the kind of disk is not known there."""
    parts = psutil.disk_partitions(all=False)
    fitting = [part for part in parts if path.lower().startswith(part.mountpoint.lower())]
    if not fitting:
        return Mount(os.path.splitdrive(path)[0] or "/", "", "/", "", "", ())
    best = max(fitting, key=lambda part: len(part.mountpoint))
    return Mount(best.mountpoint, "", "/", best.fstype, best.device, ())
