"""Rows of a table read from its file on demand, in parallel, and only from the file that was opened.

Positional reads instead of a memory map: a file that is cut or unreadable gives an error that can be told, where a map
gives SIGBUS. The page cache does for both the same.
"""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

# Below this many rows a thread pool costs more than the reads of a warm page cache.
PARALLEL_FROM = 16


class ReadFailed(RuntimeError):
    """Rows that could not be had, or not be trusted. The request must fail; a wrong row never goes out."""


class FileRows:
    """Fixed-size rows of an open file. Thread-safe.

    Args:
        begin: byte of the first row; row_bytes: bytes of a row; count: rows.
    """

    def __init__(self, file: Path, begin: int, row_bytes: int, count: int, threads: int) -> None:
        self._path = file
        self._begin = begin
        self.row_bytes = row_bytes
        self.count = count
        self._threads = threads
        self._pool: ThreadPoolExecutor | None = None
        self._pool_lock = threading.Lock()
        self._fd = os.open(file, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        if hasattr(os, "posix_fadvise"):
            # Rows are scattered: reading ahead would fetch neighbours that nobody asked for.
            os.posix_fadvise(self._fd, begin, row_bytes * count, os.POSIX_FADV_RANDOM)
        self._identity = self._stamp()

    def read(self, ids: np.ndarray, into: np.ndarray) -> None:
        """Rows `ids` (int64, each in range) into `into` (uint8, len(ids) x row_bytes, contiguous).

        Raises:
            ReadFailed: a read error, a short read, or a file that changed since it was opened.
        """
        if self._stamp() != self._identity:
            raise ReadFailed(f"{self._path} changed while the model was running: restart the server")
        order = np.argsort(ids, kind="stable")  # neighbours in the file one after another
        if len(ids) < PARALLEL_FROM or self._threads == 1:
            self._read_some(ids, order, into)
            return
        pool = self._ensure_pool()
        parts = np.array_split(order, min(self._threads, len(ids)))
        for job in [pool.submit(self._read_some, ids, part, into) for part in parts]:
            job.result()

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _read_some(self, ids: np.ndarray, order: np.ndarray, into: np.ndarray) -> None:
        view = memoryview(into).cast("B")
        size = self.row_bytes
        for index in order.tolist():
            row = int(ids[index])
            try:
                got = self._read_row(view[index * size : (index + 1) * size], self._begin + row * size)
            except OSError as error:
                raise ReadFailed(f"row {row} of {self._path}: {error.strerror}") from error
            if got < size:
                raise ReadFailed(f"{self._path} ends before row {row}: it was cut while the model was running")

    def _read_row(self, into: memoryview, position: int) -> int:
        """Bytes read: fewer than asked for only at the end of the file."""
        got = 0
        while got < len(into):
            more = os.preadv(self._fd, [into[got:]], position + got)
            if not more:
                break
            got += more
        return got

    def _stamp(self) -> tuple[int, int, int]:
        try:
            stat = os.fstat(self._fd)
        except OSError as error:
            raise ReadFailed(f"{self._path}: {error.strerror}") from error
        # Replaced by another file: the open one stays as it was. Written in place: time or size differ.
        return stat.st_ino, stat.st_size, stat.st_mtime_ns

    def _ensure_pool(self) -> ThreadPoolExecutor:
        with self._pool_lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(self._threads, "stowage-ple read")
            return self._pool
