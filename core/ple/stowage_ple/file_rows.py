"""Rows of a table read from its file on demand, in parallel, and only from the file that was opened.

Positional reads instead of a memory map: a file that is cut or unreadable gives an error that can be told, where a map
gives SIGBUS. The page cache does for both the same.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import numpy as np

log = logging.getLogger("vllm.stowage_ple")

# Below this many rows a thread pool costs more than the reads of a warm page cache.
PARALLEL_FROM = 16
# Errors that may pass, and how long to wait before the next try.
PASSING = (errno.EIO, errno.EAGAIN, errno.ETIMEDOUT, errno.EINTR)
RETRIES_S = (0.05, 0.5)


class TableReadError(RuntimeError):
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
            TableReadError: a read error, a short read, or a file that changed since it was opened.
        """
        self._check()
        order = np.argsort(ids, kind="stable")  # neighbours in the file one after another
        if len(ids) < PARALLEL_FROM or self._threads == 1:
            self._read_some(ids, order, into)
        else:
            pool = self._ensure_pool()
            parts = np.array_split(order, min(self._threads, len(ids)))
            jobs = [pool.submit(self._read_some, ids, part, into) for part in parts]
            wait(jobs)  # all of them, failed or not: none may write into `into` once it is given up
            for job in jobs:
                job.result()
        self._check()  # written over while it was read

    def will_need(self, row: int) -> None:
        """Have the kernel fetch a row into its page cache. An error is not told: the read that follows tells it."""
        if hasattr(os, "posix_fadvise"):
            with contextlib.suppress(OSError):
                os.posix_fadvise(self._fd, self._begin + row * self.row_bytes, self.row_bytes, os.POSIX_FADV_WILLNEED)

    def _check(self) -> None:
        if self._stamp() != self._identity:
            raise TableReadError(f"{self._path} changed while the model was running: restart the server")

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
            got = self._patiently(view[index * size : (index + 1) * size], row)
            if got < size:
                raise TableReadError(f"{self._path} ends before row {row}: it was cut while the model was running")

    def _patiently(self, into: memoryview, row: int) -> int:
        """A network disk that stutters costs time, not the server."""
        pauses = iter(RETRIES_S)
        while True:
            try:
                return self._read_row(into, self._begin + row * self.row_bytes)
            except OSError as error:
                pause_s = next(pauses, None)
                if error.errno not in PASSING or pause_s is None:
                    raise TableReadError(f"row {row} of {self._path}: {error.strerror}") from error
                log.warning("stowage-ple: row %d of %s: %s; tried again", row, self._path, error.strerror)
                time.sleep(pause_s)

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
            raise TableReadError(f"{self._path}: {error.strerror}") from error
        # Replaced by another file: the open one stays as it was. Written in place: time or size differ.
        return stat.st_ino, stat.st_size, stat.st_mtime_ns

    def _ensure_pool(self) -> ThreadPoolExecutor:
        with self._pool_lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(self._threads, "stowage-ple read")
            return self._pool
