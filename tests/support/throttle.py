"""A slow disk: the kernel limits how fast some processes may read one block device (cgroup v1 `blkio`, or v2 `io`)."""

from __future__ import annotations

import os
import uuid
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")


class NoThrottle(Exception):
    """It cannot be done here; the text says why."""


@contextmanager
def slow_reads(file: Path, pids: Iterable[int], bytes_per_s: int) -> Generator[None]:
    """Processes `pids` read the disk of `file` at that rate at most, past the page cache's reach.

    Raises:
        NoThrottle: the kernel's groups are not to be written to, or the file lies on no block device.
    """
    group, home = _make_group()
    try:
        limit, value = _limit(group, _device_of(file), bytes_per_s)
        try:
            limit.write_text(value)
        except OSError as error:
            raise NoThrottle(str(error)) from error
        moved = [pid for pid in pids if _move(group, pid)]
        try:
            yield
        finally:
            for pid in moved:
                _move(home, pid)
    finally:
        group.rmdir()


def forget(file: Path) -> None:
    """Drop the file from the page cache."""
    handle = os.open(file, os.O_RDONLY)
    try:
        os.fsync(handle)
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(handle)


def _make_group() -> tuple[Path, Path]:
    home = ROOT / "blkio" if (ROOT / "blkio").is_dir() else ROOT
    group = home / f"stowage-test-{uuid.uuid4().hex[:8]}"
    try:
        group.mkdir()
    except OSError as error:
        raise NoThrottle(str(error)) from error
    return group, home


def _limit(group: Path, device: str, bytes_per_s: int) -> tuple[Path, str]:
    if (group / "blkio.throttle.read_bps_device").exists():
        return group / "blkio.throttle.read_bps_device", f"{device} {bytes_per_s}"
    return group / "io.max", f"{device} rbps={bytes_per_s}"


def _device_of(file: Path) -> str:
    """The whole disk: limits are not kept for partitions."""
    number = file.stat().st_dev
    sysfs = Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}")
    if not sysfs.exists():
        raise NoThrottle(f"{file} lies on no block device")
    whole = sysfs.resolve().parent if (sysfs / "partition").exists() else sysfs
    return (whole / "dev").read_text().strip()


def _move(group: Path, pid: int) -> bool:
    with suppress(OSError):
        (group / "cgroup.procs").write_text(str(pid))
        return True
    return False
