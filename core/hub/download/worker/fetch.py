"""One file of a model, from whatever lies there to its place in the snapshot: verified, or not there."""

from __future__ import annotations

import errno
import http.client
import os
import time
from typing import Final

from core.hub.download.worker import snapshot
from core.hub.download.worker.attempt import DiskTrouble, Trouble, attempt
from core.hub.download.worker.blob import Blob
from core.hub.download.worker.board import Board, Refused
from core.hub.download.worker.order import FileOrder, Order
from core.hub.download.worker.pace import BackOff, Limit
from core.hub.download.worker.transport import Transport
from core.hub.download.worker.xet import fetch_by_xet

_LOCK_EVERY_S: Final = 0.5
_DISK_EVERY_S: Final = 1.0
_WRONG_SIZES: Final = 3
"""So often a server may tell another size before we believe it."""
_DAMAGED: Final = 2
_FULL: Final = (errno.ENOSPC, errno.EDQUOT)


def fetch(order: Order, file: FileOrder, transport: Transport, limit: Limit, board: Board) -> None:
    """Raises: Refused, Stopped."""
    board.begin(file.path)
    if snapshot.is_copy(order, file):
        board.finish(file.path, file.size)
        return
    blob = Blob(order, file)
    try:
        if not blob.whole:
            while not blob.take_lock():
                board.wait(file.path, "other_process", _LOCK_EVERY_S)
            if blob.whole:
                pass  # whoever had the lock has fetched it
            elif file.xet:
                fetch_by_xet(order, file, blob, board)
            else:
                _Filling(order, file, blob, transport, limit, board).run()
        snapshot.link(order, file, blob)
    except OSError as error:
        raise Refused("not_writable", repr(error), path=error.filename or blob.path, reason=error.strerror) from error
    finally:
        blob.close()
    board.finish(file.path, file.size)


class _Filling:
    """The attempts at one file, and what they have in common."""

    def __init__(
        self, order: Order, file: FileOrder, blob: Blob, transport: Transport, limit: Limit, board: Board
    ) -> None:
        self._order, self._file, self._blob = order, file, blob
        self._transport, self._limit, self._board = transport, limit, board
        self._back_off = BackOff(order.timing.back_off_s)
        self._quiet_since = time.monotonic()
        self._wrong_sizes = 0

    def run(self) -> None:
        board, file, blob = self._board, self._file, self._blob
        board.verify(file.path, True)
        blob.open(board)
        board.verify(file.path, False)
        for _ in range(_DAMAGED):
            board.set_have(file.path, blob.have)
            while blob.have < file.size:
                self._once()
            if blob.verified:
                blob.finish()
                return
            blob.discard()  # some byte is wrong, and nobody knows which
        os.unlink(blob.part)
        raise Refused("damaged", file.etag, file=file.path)

    def _once(self) -> None:
        """One attempt, and the pause after one that did not bring everything."""
        self._board.check()
        before = self._blob.have
        try:
            attempt(self._order, self._file, self._blob, self._transport, self._limit, self._board)
            return
        except DiskTrouble as error:
            self._wait_for_space(error)
            return
        except Trouble as error:
            trouble = error
        except TimeoutError as error:
            trouble = Trouble("stall", repr(error))
        except (OSError, http.client.HTTPException) as error:
            trouble = Trouble("retry", repr(error))
        if self._blob.have > before:
            self._back_off.progress()
            self._quiet_since = time.monotonic()
            self._wrong_sizes = 0
        self._pause(trouble)

    def _pause(self, trouble: Trouble) -> None:
        self._wrong_sizes += trouble.size is not None
        if self._wrong_sizes >= _WRONG_SIZES:
            raise Refused(
                "wrong_size",
                trouble.detail,
                file=self._file.path,
                told_bytes=trouble.size,
                expected_bytes=self._file.size,
            )
        quiet_s = time.monotonic() - self._quiet_since
        if quiet_s > self._order.timing.patience_s:
            raise Refused("gave_up", trouble.detail, reason=trouble.detail, minutes=max(1, round(quiet_s / 60)))
        if trouble.wait_s is not None:
            self._quiet_since += trouble.wait_s  # patience is for silence, not for what the server asks
        self._board.wait(
            self._file.path, trouble.reason, self._back_off.next_s() if trouble.wait_s is None else trouble.wait_s
        )

    def _wait_for_space(self, error: DiskTrouble) -> None:
        cause = error.__cause__
        if isinstance(cause, OSError) and cause.errno not in _FULL:
            raise cause
        began = time.monotonic()
        self._board.set_have(self._file.path, self._blob.have)
        while True:
            self._board.wait(self._file.path, "disk", _DISK_EVERY_S)
            free = free_bytes(self._order.cache)
            if free >= self._file.size - self._blob.have and not self._board.disk_low:
                self._quiet_since = time.monotonic()
                return
            if time.monotonic() - began > self._order.timing.patience_s:
                needed = sum(file.size for file in self._order.files) - self._board.done
                raise Refused("disk_full", needed_bytes=needed, free_bytes=free, path=self._order.cache)


def free_bytes(path: str) -> int:
    found = os.statvfs(path)
    return found.f_bavail * found.f_frsize
