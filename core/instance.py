"""One window per user: a lock, and a way for a second copy to bring the first to the front."""

from __future__ import annotations

import fcntl
import os
from typing import TYPE_CHECKING

from core.errors import AppError
from core.paths import Paths

if TYPE_CHECKING:
    import asyncio
    from pathlib import Path

    from core.events import EventBus


class Instance:
    """Held by the window for as long as it lives. The lock is the kernel's: a crash gives it back."""

    def __init__(self, paths: Paths) -> None:
        self._lock_file = paths.state / "window.lock"
        self._paths = paths
        self._handle: int | None = None
        self._server: asyncio.Server | None = None

    @property
    def _socket(self) -> Path:
        # Late: hashing is imported for it, and the lock is taken before the first paint.
        return self._paths.sockets / f"window-{_short_hash(str(self._paths.state))}.sock"

    def acquire(self) -> None:
        """Become the one window.

        Raises:
            AppError: `app.second_copy` when another window is open (it was asked to come to the front).
        """
        handle = os.open(self._lock_file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            pid = os.read(handle, 32).decode(errors="replace").strip()
            os.close(handle)
            self._knock()
            raise AppError("app.second_copy", pid=pid) from error
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        self._handle = handle

    async def listen(self, bus: EventBus) -> None:
        """Emit `ShowWindow` whenever a second copy knocks. Runs on the runtime thread until `close`."""
        import asyncio

        from core.events import ShowWindow

        async def knocked(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            bus.emit(ShowWindow())
            writer.close()

        self._socket.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._socket.unlink(missing_ok=True)
        self._server = await asyncio.start_unix_server(knocked, self._socket)

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()
            self._server = None
            self._socket.unlink(missing_ok=True)
        self.release()

    def release(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _knock(self) -> None:
        import socket

        try:
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(2)
                client.connect(str(self._socket))
        except OSError:
            # The first copy has not opened its window yet, or is closing: it needs no knock.
            return


def _short_hash(text: str) -> str:
    import hashlib

    return hashlib.sha256(text.encode()).hexdigest()[:12]
