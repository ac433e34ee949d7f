"""How fast the disk under a folder can be read: in large pieces in order, and 4 KiB here and there.

Reads go around the page cache (O_DIRECT); where the filesystem refuses that (tmpfs, some network and FUSE
filesystems) the file is dropped from the cache first, and the result says that the cache may have answered all the
same. A large model file that is there anyway is read if there is one; else a file is written, nameless, so that
nothing can be left behind.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import random
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from core.machine.model import DiskKind
from core.machine.reading import NOT_SUPPORTED, Known, Reading, Unknown, Why

SEQUENTIAL_S: Final = 2.5
RANDOM_S: Final = 1.0
WRITE_S: Final = 4.0
RANDOM_DEPTH: Final = 16
_PIECE: Final = 4 << 20
_PAGE: Final = 4096
_FILE_BYTES: Final = 256 << 20
_LEAST_BYTES: Final = 16 << 20
# Leave this much of the disk alone.
_ROOM_BYTES: Final = 1 << 30
_LOOK_AT_MOST: Final = 2000


@dataclass(frozen=True, slots=True)
class DiskRate:
    sequential_gb_s: Reading[float]
    random_iops: Reading[float]
    random_latency_us: Reading[float]
    cache_bypassed: bool


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds for each part."""

    sequential_s: float = SEQUENTIAL_S
    random_s: float = RANDOM_S
    write_s: float = WRITE_S


def measure_disk(folder: Path, kind: DiskKind | None, stop: threading.Event, times: Times) -> DiskRate:
    """Blocking, about the sum of `times`. A failure is the reason in the readings; returns early when `stop` is set."""
    if not hasattr(os, "preadv"):
        return DiskRate(NOT_SUPPORTED, NOT_SUPPORTED, NOT_SUPPORTED, False)
    try:
        with _material(folder, stop, times.write_s) as plain, _direct(plain) as (handle, bypassed):
            size = os.fstat(plain).st_size // _PIECE * _PIECE
            if size < _LEAST_BYTES:
                return _failed("too little could be written in time", bypassed)
            # A hard disk reads one stream best; solid-state and network storage want several at once.
            streams = 1 if kind is DiskKind.HDD else 4
            sequential = _sequential(handle, size, streams, stop, times.sequential_s, bypassed)
            one = _random(handle, size, 1, stop, times.random_s, bypassed)
            many = _random(handle, size, RANDOM_DEPTH, stop, times.random_s, bypassed)
    except OSError as error:
        return _failed(error.strerror or str(error), False)
    if stop.is_set() or not sequential or not one or not many:
        return _failed("stopped", bypassed)
    return DiskRate(Known(round(sequential / 1e9, 3)), Known(round(many)), Known(round(1e6 / one, 1)), bypassed)


def _failed(reason: str, bypassed: bool) -> DiskRate:
    unknown = Unknown(Why.FAILED, reason)
    return DiskRate(unknown, unknown, unknown, bypassed)


@contextlib.contextmanager
def _material(folder: Path, stop: threading.Event, seconds: float) -> Generator[int]:
    """A handle of something to read on the folder's disk."""
    while not folder.exists():
        folder = folder.parent
    existing = large_file(folder)
    if existing is not None:
        handle = os.open(existing, os.O_RDONLY)
        try:
            yield handle
        finally:
            os.close(handle)
        return
    space = os.statvfs(folder)
    if space.f_bavail * space.f_frsize < _FILE_BYTES + _ROOM_BYTES:
        raise OSError(28, "not enough free space to write a file for the measurement")
    with tempfile.TemporaryFile(dir=folder, prefix=".stowage-probe-") as file:
        # Random bytes: a filesystem or a drive that compresses must not be faster than with weights.
        block = os.urandom(_PIECE)
        until = time.monotonic() + seconds
        written = 0
        while written < _FILE_BYTES and not stop.is_set() and time.monotonic() < until:
            file.write(block)
            file.flush()
            written += _PIECE
            if written % (8 * _PIECE) == 0:
                os.fsync(file.fileno())
        os.fsync(file.fileno())
        yield file.fileno()


def large_file(folder: Path) -> Path | None:
    """A file of at least 256 MiB below `folder`, on the same filesystem, looking at a bounded number of names."""
    device = folder.stat().st_dev
    waiting, looked = [folder], 0
    while waiting and looked < _LOOK_AT_MOST:
        current = waiting.pop(0)
        try:
            entries = list(os.scandir(current))
        except OSError:
            continue
        for entry in entries:
            looked += 1
            try:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(Path(entry.path))
                elif entry.is_file(follow_symlinks=False) and _fits(entry, device):
                    return Path(entry.path)
            except OSError:
                continue
    return None


def _fits(entry: os.DirEntry[str], device: int) -> bool:
    """Large, here, readable, and really on the disk: a sparse file reads as fast as memory."""
    stat = entry.stat(follow_symlinks=False)
    stored = getattr(stat, "st_blocks", 0) * 512
    large = stat.st_size >= _FILE_BYTES and stored >= _FILE_BYTES
    return large and stat.st_dev == device and os.access(entry.path, os.R_OK)


@contextlib.contextmanager
def _direct(plain: int) -> Generator[tuple[int, bool]]:
    """The same file opened around the page cache, and whether that worked."""
    flag = getattr(os, "O_DIRECT", 0)
    handle = -1
    if flag:
        with contextlib.suppress(OSError):
            handle = os.open(f"/proc/self/fd/{plain}", os.O_RDONLY | flag)
    try:
        # Some filesystems take the flag and fail at the first read.
        if handle >= 0 and _reads(handle):
            yield handle, True
        else:
            yield plain, False
    finally:
        if handle >= 0:
            os.close(handle)


def _reads(handle: int) -> bool:
    with mmap.mmap(-1, _PAGE) as buffer:
        try:
            return os.preadv(handle, [buffer], 0) == _PAGE
        except OSError:
            return False


def _sequential(handle: int, size: int, streams: int, stop: threading.Event, seconds: float, bypassed: bool) -> float:
    """Bytes per second. Each stream reads its own stretch, round and round until the time is up."""
    pieces = size // _PIECE
    streams = min(streams, pieces)

    def offsets(number: int) -> Iterator[int]:
        first, last = number * pieces // streams, (number + 1) * pieces // streams
        while True:
            if not bypassed:
                _forget(handle)
            yield from range(first * _PIECE, last * _PIECE, _PIECE)

    return _rate(handle, _PIECE, streams, offsets, stop, seconds) * _PIECE


def _random(handle: int, size: int, depth: int, stop: threading.Event, seconds: float, bypassed: bool) -> float:
    """Reads per second."""
    if not bypassed:
        _forget(handle)

    def offsets(number: int) -> Iterator[int]:
        places = random.Random(number)
        while True:
            yield places.randrange(size // _PAGE) * _PAGE

    return _rate(handle, _PAGE, depth, offsets, stop, seconds)


def _rate(
    handle: int,
    piece: int,
    threads: int,
    offsets: Callable[[int], Iterator[int]],
    stop: threading.Event,
    seconds: float,
) -> float:
    """Reads of `piece` bytes per second over all threads; 0.0 when stopped. Raises: OSError of the first failed
    read."""
    counts = [0] * threads
    errors: list[OSError] = []
    until = time.perf_counter() + seconds

    def read(number: int) -> None:
        # An anonymous mapping begins on a page, as O_DIRECT demands.
        with mmap.mmap(-1, piece) as buffer:
            try:
                for offset in offsets(number):
                    if stop.is_set():
                        return
                    os.preadv(handle, [buffer], offset)
                    counts[number] += 1
                    # Only now: a disk so slow that one read outlasts the time has been measured too.
                    if time.perf_counter() >= until:
                        return
            except OSError as error:
                errors.append(error)

    began = time.perf_counter()
    workers = [threading.Thread(target=read, args=(n,), name=f"probe-disk-{n}") for n in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if errors:
        raise errors[0]
    return 0.0 if stop.is_set() else sum(counts) / (time.perf_counter() - began)


def _forget(handle: int) -> None:
    """Ask the system to drop the file from the page cache."""
    if hasattr(os, "posix_fadvise"):
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
