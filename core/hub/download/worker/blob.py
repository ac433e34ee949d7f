"""One blob on the disk: its lock, its unfinished file with a stable name, its hash, its final name.

The lock is huggingface_hub's own (`.locks/<repository>/<etag>.lock`, flock; 2.4, file_download.py), so that it and we
wait for each other instead of fetching twice. The unfinished file is locked too, by which the cache page sees that
somebody works on it.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
from typing import Final

from core.hub.cache.layout import INCOMPLETE, LOCKS, folder_of, is_sha256
from core.hub.download.worker.board import Board
from core.hub.download.worker.order import FileOrder, Order

_PIECE: Final = 1 << 20


class Blob:
    """Owner of the descriptors of one blob; a context manager."""

    def __init__(self, order: Order, file: FileOrder) -> None:
        repo = os.path.join(order.cache, folder_of(order.repo_id))
        self._file = file
        self.path = os.path.join(repo, "blobs", file.etag)
        self.part = self.path + INCOMPLETE
        self._lock_path = os.path.join(order.cache, LOCKS, folder_of(order.repo_id), f"{file.etag}.lock")
        self._lock = -1
        self._handle = -1
        self.have = 0
        self._digest = hashlib.sha256()

    # ---- finished? -------------------------------------------------------------------------------------------------

    @property
    def whole(self) -> bool:
        """Whether the final name is there with the right size. One of another size is damaged and goes."""
        try:
            size = os.stat(self.path).st_size
        except FileNotFoundError:
            if os.path.islink(self.path):
                os.unlink(self.path)  # to a shared blob that is gone
            return False
        if size != self._file.size:
            os.unlink(self.path)
            return False
        return True

    # ---- the lock --------------------------------------------------------------------------------------------------

    def take_lock(self) -> bool:
        """False while another process holds it."""
        os.makedirs(os.path.dirname(self._lock_path), exist_ok=True)
        handle = os.open(self._lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o664)
        try:
            if _locked(handle) and _same(handle, self._lock_path):
                self._lock = handle
                return True
        except OSError:
            self._lock = handle  # a filesystem without locks: as good as it gets
            return True
        os.close(handle)
        return False

    def close(self) -> None:
        for handle in (self._handle, self._lock):
            if handle >= 0:
                os.close(handle)
        self._handle = self._lock = -1

    # ---- the unfinished file ---------------------------------------------------------------------------------------

    def open(self, board: Board) -> None:
        """Open the unfinished file and hash what it holds: `have` bytes."""
        os.makedirs(os.path.dirname(self.part), exist_ok=True)
        self._handle = os.open(self.part, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        with contextlib.suppress(OSError):  # see take_lock
            _locked(self._handle)
        self._begin()
        if os.fstat(self._handle).st_size > self._file.size:
            os.ftruncate(self._handle, 0)
        piece = bytearray(_PIECE)
        view = memoryview(piece)
        while count := os.readv(self._handle, [piece]):
            board.check()
            self._digest.update(view[:count])
            self.have += count

    def write(self, data: memoryview) -> None:
        """Raises: OSError: the disk is full, say; what was written of it counts."""
        written = 0
        try:
            while written < len(data):
                written += os.write(self._handle, data[written:])
        finally:
            self._digest.update(data[:written])
            self.have += written

    def discard(self) -> None:
        """Nothing of it can be used: begin anew."""
        os.ftruncate(self._handle, 0)
        os.lseek(self._handle, 0, os.SEEK_SET)
        self._begin()

    def _begin(self) -> None:
        self.have = 0
        if is_sha256(self._file.etag):
            self._digest = hashlib.sha256()
        else:
            self._digest = hashlib.sha1(b"blob %d\0" % self._file.size)

    @property
    def verified(self) -> bool:
        return self.have == self._file.size and self._digest.hexdigest() == self._file.etag

    def finish(self) -> None:
        """Flush, then give it its name."""
        os.fsync(self._handle)
        os.replace(self.part, self.path)


def _locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _same(handle: int, path: str) -> bool:
    """Whether the locked file still is the one of that name: some versions of filelock remove it."""
    try:
        return os.fstat(handle).st_ino == os.stat(path).st_ino
    except FileNotFoundError:
        return False
