"""The owner's end of the line to a guardian."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

from core.engine.command import LAUNCH_ENV
from core.engine.guardian_wire import Message, Spec, encode
from core.errors import AppError

_ROOT: Final = Path(__file__).resolve().parent.parent.parent
_LINE_LIMIT: Final = 32 * 1024 * 1024
_ATTACH_S: Final = 5.0
# -I: nothing of the app's environment (a leaked PYTHONHOME included) reaches it; -S: no site-packages, a faster start.
_CODE: Final = "import sys; sys.path.insert(0, sys.argv[1]); from core.engine.guardian import main; main()"


class GuardianLink:
    """A connection to a living guardian, from `spawn` or `attach`."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, hello: Message) -> None:
        self._reader = reader
        self._writer = writer
        self._child: subprocess.Popen[bytes] | None = None
        self.hello = hello
        self.killed_by: int | None = None  # the signal that ended the guardian itself, once that is known

    @classmethod
    async def spawn(cls, spec: Spec) -> GuardianLink:
        """Start a guardian with `spec`; the server is spawned when this returns.

        Raises:
            AppError: `server.spawn_failed`.
        """
        ours, child = _spawn_guardian(spec)
        try:
            reader, writer = await asyncio.open_connection(sock=ours, limit=_LINE_LIMIT)
        except BaseException:
            ours.close()
            child.wait()  # without a spec it leaves at once
            raise
        link = cls(reader, writer, {})
        link._child = child
        try:
            writer.write(spec.encode())
            link.hello = await link._next() or {"event": "spawn_failed", "reason": "the guardian ended at once"}
            if link.hello["event"] != "spawned":
                raise AppError("server.spawn_failed", path=spec.argv[0], reason=str(link.hello["reason"]))
        except BaseException:
            await link.close()
            raise
        return link

    @classmethod
    async def attach(cls, socket_path: str, launch_id: str) -> GuardianLink:
        """Become the owner of a guardian that outlived its last one.

        Raises:
            AppError: `server.attach_failed`; its reason is "owned" when another process owns it, "ending" when it is
                about to leave by itself.
        """
        try:
            async with asyncio.timeout(_ATTACH_S):
                reader, writer = await asyncio.open_unix_connection(socket_path, limit=_LINE_LIMIT)
                link = cls(reader, writer, {})
                link.send(do="attach", launch=launch_id)
                link.hello = await link._next() or {"event": "refused", "reason": "ending"}
        except (OSError, TimeoutError) as error:
            raise AppError("server.attach_failed", repr(error), reason=str(error) or "timeout") from error
        if link.hello["event"] != "hello":
            await link.close()
            raise AppError("server.attach_failed", str(link.hello), reason=str(link.hello["reason"]))
        return link

    @property
    def guardian_pid(self) -> int:
        return int(self.hello["guardian"])

    @property
    def server_pid(self) -> int:
        return int(self.hello["pid"])

    def send(self, **order: Any) -> None:
        if not self._writer.is_closing():
            self._writer.write(encode(order))

    async def messages(self) -> AsyncIterator[Message]:
        """Everything the guardian says, until it is gone."""
        while (message := await self._next()) is not None:
            yield message

    async def close(self) -> None:
        """Let go. Unless told to keep, the guardian then ends the server; a guardian that has ended is reaped."""
        self._writer.close()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()
        if self._child is not None:
            code = await asyncio.to_thread(self._child.wait)
            self.killed_by = -code if code < 0 else None
            self._child = None

    async def leave(self) -> None:
        """Let go of a guardian that lives on."""
        if self._child is not None:
            # It is meant to outlive us: without this, `Popen` would warn that it still runs.
            self._child.returncode = 0
            self._child = None
        await self.close()

    async def _next(self) -> Message | None:
        try:
            line = await self._reader.readline()
        except OSError:
            return None
        return json.loads(line) if line.endswith(b"\n") else None


def _spawn_guardian(spec: Spec) -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """Our end of the line, and the guardian with the other end as its stdin."""
    ours, theirs = socket.socketpair()
    try:
        child = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _CODE, str(_ROOT), spec.launch_id],
            stdin=theirs.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={LAUNCH_ENV: spec.launch_id, "PATH": os.defpath},
            cwd=spec.folder,
            start_new_session=True,
        )
    except OSError as error:
        ours.close()
        raise AppError("server.spawn_failed", str(error), path=sys.executable, reason=error.strerror) from error
    finally:
        theirs.close()
    return ours, child
