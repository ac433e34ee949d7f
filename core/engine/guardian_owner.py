"""The guardian's end of the line to its owner: never blocks, never loses an order. Standard library only."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import socket
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.engine.guardian_wire import Message, encode

_MAX_ORDER_BYTES = 4 * 1024 * 1024


class OwnerLine:
    """One connection. `on_order(line, order)` for each order, `on_lost(line)` once when the other end is gone."""

    def __init__(
        self,
        connection: socket.socket,
        selector: selectors.BaseSelector,
        on_order: Callable[[OwnerLine, Message], None],
        on_lost: Callable[[OwnerLine], None],
    ) -> None:
        self._socket = connection
        self._socket.setblocking(False)
        self._selector = selector
        self._on_order = on_order
        self._on_lost = on_lost
        self._inbox = b""
        self._outbox = bytearray()
        self.open = True
        selector.register(connection, selectors.EVENT_READ, self._ready)

    @property
    def congested(self) -> bool:
        """Whether the other end has not yet taken what was sent before."""
        return bool(self._outbox)

    @property
    def peer_pid(self) -> int | None:
        return _peer(self._socket)[0]

    @property
    def peer_uid(self) -> int | None:
        return _peer(self._socket)[1]

    def send(self, **message: Any) -> None:
        if self.open:
            self._outbox += encode(message)
            self._write()

    def feed(self, data: bytes) -> None:
        """Take bytes that came from the other end."""
        *lines, self._inbox = (self._inbox + data).split(b"\n")
        for line in lines:
            if self.open:
                self._on_order(self, json.loads(line))

    def finish(self, timeout_s: float) -> None:
        """Send what is left, waiting at most `timeout_s`, and close."""
        if self.open and self._outbox:
            self._socket.settimeout(timeout_s)
            with contextlib.suppress(OSError):
                self._socket.sendall(bytes(self._outbox))
        self.close()

    def close(self) -> None:
        if self.open:
            self.open = False
            self._selector.unregister(self._socket)
            self._socket.close()

    def _ready(self, events: int) -> None:
        if events & selectors.EVENT_WRITE:
            self._write()
        if self.open and events & selectors.EVENT_READ:
            self._read()

    def _write(self) -> None:
        try:
            while self._outbox:
                del self._outbox[: self._socket.send(self._outbox)]
        except BlockingIOError:
            pass
        except OSError:
            self._lose()
            return
        wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._outbox else 0)
        self._selector.modify(self._socket, wanted, self._ready)

    def _read(self) -> None:
        try:
            data = self._socket.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        self.feed(data)
        if not data or len(self._inbox) > _MAX_ORDER_BYTES:
            self._lose()

    def _lose(self) -> None:
        if self.open:
            self.close()
            self._on_lost(self)


def listen(
    path: str, selector: selectors.BaseSelector, on_connection: Callable[[socket.socket], None]
) -> socket.socket:
    """A Unix socket for this user only, in a folder for this user only."""
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    Path(path).unlink(missing_ok=True)
    before = os.umask(0o177)
    try:
        server.bind(path)
    finally:
        os.umask(before)
    server.listen(4)
    server.setblocking(False)

    def accept(_events: int) -> None:
        try:
            connection, _ = server.accept()
        except OSError:
            return
        on_connection(connection)

    selector.register(server, selectors.EVENT_READ, accept)
    return server


def _peer(connection: socket.socket) -> tuple[int | None, int | None]:
    """Process and user at the other end (for a socket pair: its maker). Linux; (None, None) elsewhere."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return None, None
    try:
        pid, uid, _gid = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, option, 12))
    except OSError:
        return None, None
    return pid, uid
