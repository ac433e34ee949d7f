"""A small disk of its own (a file behind a loop device) that can be made to fail: real read errors of the kernel."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.throttle import forget

MIB = 1 << 20
# Less than any file of interest begins at, and enough for what the file system keeps in memory anyhow.
LEFT_BYTES = 2 * MIB


class NoDisk(Exception):
    """None may be mounted here; the text says why."""


@dataclass(frozen=True)
class FailingDisk:
    """`folder`: where it is mounted. What is written there can be read until `fail`."""

    folder: Path
    image: Path

    def fail(self, file: Path) -> None:
        """From now on what is not in memory cannot be read, and of `file` nothing is."""
        forget(file)
        # Nothing may be written from here on: a write behind its end would make the image long again, full of zeros.
        subprocess.run(["mount", "-o", "remount,ro", str(self.folder)], check=True, capture_output=True)
        os.truncate(self.image, LEFT_BYTES)
        forget(file)


@contextmanager
def failing_disk(scratch: Path, size_mib: int) -> Generator[FailingDisk]:
    """Raises: NoDisk."""
    disk = FailingDisk(scratch / "disk", scratch / "disk.img")
    disk.folder.mkdir()
    with disk.image.open("wb") as file:
        file.truncate(size_mib * MIB)
    try:
        subprocess.run(["mkfs.ext4", "-q", str(disk.image)], check=True, capture_output=True)
        subprocess.run(["mount", "-o", "loop", str(disk.image), str(disk.folder)], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise NoDisk(str(error)) from error
    try:
        yield disk
    finally:
        subprocess.run(["umount", str(disk.folder)], check=True, capture_output=True)
        disk.image.unlink()


def is_attached(image: Path) -> bool:
    """Whether a loop device or a mount of this image is left."""
    devices = subprocess.run(["losetup", "-j", str(image)], check=True, capture_output=True, text=True).stdout
    return bool(devices.strip()) or str(image.parent) in Path("/proc/self/mounts").read_text()
