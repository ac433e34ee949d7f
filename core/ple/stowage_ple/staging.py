"""Rows from the host to a device, piece by piece through two page-locked buffers, on a stream of their own: while one
piece is on its way, the next is gathered.

The names are those of `torch.cuda` and the modules that are made like it. No GPU has run this yet; what is checked on a
CPU, with copies that happen as late as they may, is the order of things.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import torch

# Some 400 rows of the largest table: long prompts have several, and one takes under a millisecond on the bus.
PIECE_BYTES = 8 << 20


class Staging:
    """The way to one device. Thread-safe.

    Args:
        width: values of a row; dtype: of the rows on the device; api: `torch.cuda` or what stands for it; piece_bytes:
            size of each of the two buffers, at least one row; locked: whether they are page-locked (else a copy waits).
    """

    def __init__(
        self, width: int, dtype: torch.dtype, api: Any, *, piece_bytes: int = PIECE_BYTES, locked: bool = True
    ) -> None:
        self.rows_of_a_piece = max(1, piece_bytes // (width * dtype.itemsize))
        self._api = api
        self._stream: Any = None
        shape = (self.rows_of_a_piece, width)
        self._buffers = [torch.empty(shape, dtype=dtype, pin_memory=locked) for _ in range(2)]
        self._left: list[Any] = [None, None]  # per buffer: the event after its last copy
        self._turn = 0
        self._lock = threading.Lock()

    def send(self, ids: torch.Tensor, gather: Callable[[torch.Tensor], torch.Tensor], into: torch.Tensor) -> None:
        """Fill `into` (len(ids) x width, on the device) with what `gather` gives for the pieces of `ids` (on the host).

        The current stream waits for the copies, the caller does not. Whatever `gather` raises comes through, after
        what was already sent has been waited for in the same way: `into` may then be given up at once.
        """
        with self._lock:
            if self._stream is None:
                self._stream = self._api.Stream(device=into.device)
            current = self._api.current_stream(into.device)
            # The memory of `into` may have been something else's, which work in the current stream still reads.
            self._stream.wait_stream(current)
            try:
                for begin in range(0, len(ids), self.rows_of_a_piece):
                    piece = ids[begin : begin + self.rows_of_a_piece]
                    self._send_piece(gather(piece), into[begin : begin + len(piece)])
            finally:
                current.wait_stream(self._stream)

    def _send_piece(self, rows: torch.Tensor, into: torch.Tensor) -> None:
        turn, self._turn = self._turn, 1 - self._turn
        left = self._left[turn]
        if left is not None:
            left.synchronize()  # the copy before the last one may still be reading this buffer
        buffer = self._buffers[turn][: len(rows)]
        buffer.copy_(rows)  # to the model's type, too
        with self._api.stream(self._stream):
            into.copy_(buffer, non_blocking=True)
            if left is None:
                left = self._left[turn] = self._api.Event()
            left.record(self._stream)
