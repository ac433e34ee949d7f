"""The app's end of the line to a worker: a socket that is its standard input and output."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

from core.engine.child_env import clean_env
from core.hub.download.job import Running
from core.hub.download.worker.order import Order

_ROOT: Final = Path(__file__).resolve().parents[3]
# -I and -S: nothing of the environment leads it astray, no site-packages: a start of 60 ms.
_CODE: Final = "import sys; sys.path.insert(0, sys.argv[1]); from core.hub.download.worker.main import main; main()"
_LINE_LIMIT: Final = 32 << 20


class WorkerLink:
    """Owner of one worker process, from `spawn` to `end` or `leave`."""

    def __init__(
        self, child: subprocess.Popen[bytes], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._child = child
        self._reader = reader
        self._writer = writer
        self.running = Running.of(child.pid)

    @classmethod
    async def spawn(cls, order: Order) -> WorkerLink:
        """In a session of its own: Ctrl-C in a terminal is the app's to answer.

        Raises:
            OSError: it cannot be started.
        """
        ours, child = _start()
        try:
            reader, writer = await asyncio.open_connection(sock=ours, limit=_LINE_LIMIT)
        except BaseException:
            ours.close()
            child.kill()
            child.wait()
            raise
        link = cls(child, reader, writer)
        writer.write(order.encode())
        return link

    def send(self, **said: Any) -> None:
        if not self._writer.is_closing():
            self._writer.write(json.dumps(said).encode() + b"\n")

    async def messages(self) -> AsyncIterator[dict[str, Any]]:
        """Everything it says, until it is gone."""
        while True:
            try:
                line = await self._reader.readline()
            except OSError:
                return
            if not line.endswith(b"\n"):
                return
            yield json.loads(line)

    async def end(self) -> int:
        """Kill it, if it still runs: what is on the disk is as good as after a stop. Returns its exit code."""
        await self._close()
        self._child.kill()
        return await asyncio.to_thread(self._child.wait)

    async def exit_code(self) -> int:
        """After its last message."""
        code = await asyncio.to_thread(self._child.wait)
        await self._close()
        return code

    async def leave(self) -> None:
        """Let it go on without us."""
        self.send(after_close="go_on")
        await self._writer.drain()
        self._child.returncode = 0  # it is meant to outlive us: without this, `Popen` would warn that it still runs
        await self._close()

    async def _close(self) -> None:
        self._writer.close()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()


def _start() -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """Our end of the line, and the worker with the other end."""
    ours, theirs = socket.socketpair()
    try:
        child = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _CODE, str(_ROOT)],
            stdin=theirs.fileno(),
            stdout=theirs.fileno(),
            env=clean_env(),
            start_new_session=True,
        )
    except BaseException:
        ours.close()
        raise
    finally:
        theirs.close()
    return ours, child
