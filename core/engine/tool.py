"""Runs one short-lived tool (pip, uv, a Python that inspects) so that nothing of it can be left behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
from collections import deque
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import psutil

T = TypeVar("T")

TIED: Final = Path(__file__).with_name("tied.py")
KEPT_LINES: Final = 400
_MAX_LINE: Final = 20_000
_CREDENTIALS = re.compile(r"(?<=//)[^/@\s]+@")


@dataclass(frozen=True, slots=True)
class ToolResult:
    """`lines` are the last ones of stdout and stderr together, oldest first, without credentials of index URLs."""

    exit_code: int
    lines: tuple[str, ...]

    @property
    def tail(self) -> str:
        return "\n".join(self.lines[-30:])


async def run_tool(
    command: Sequence[str],
    *,
    python: str,
    env: Mapping[str, str],
    cwd: Path,
    on_line: Callable[[str], None] = lambda _line: None,
    keep_open: tuple[int, ...] = (),
) -> ToolResult:
    """Run `command` to its end. Cancelling kills its whole process group and waits until the group is gone.

    Args:
        python: an interpreter for the small launcher that ties the tool to this process.
        keep_open: file descriptors that the tool inherits (a lock that must hold while any of its processes lives).

    Raises:
        OSError: the launcher could not be started.
    """
    child = await _start(
        [python, "-I", str(TIED), *command],
        env=env,
        cwd=cwd,
        stdin=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        keep_open=keep_open,
    )
    try:
        lines = await _read(child.process, on_line)
        code = await child.process.wait()
    finally:
        await to_the_end(_end(child))
    return ToolResult(code, lines)


async def answer_of(command: Sequence[str], *, env: Mapping[str, str], timeout_s: float) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a program that answers at once. It is killed when it does not, or on cancel.

    Raises:
        OSError: it could not be started.
        TimeoutError: no answer within `timeout_s`.
    """
    root = Path(os.path.abspath(os.sep))
    pipe, none = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    child = await _start(command, env=env, cwd=root, stdin=none, stderr=pipe)
    try:
        async with asyncio.timeout(timeout_s):
            out, err = await child.process.communicate()
        return await child.process.wait(), out.decode(errors="replace"), err.decode(errors="replace")
    finally:
        await to_the_end(_end(child))


@dataclass(frozen=True, slots=True)
class _Child:
    """A process that leads a group, with the transport that holds its pipes."""

    process: asyncio.subprocess.Process
    transport: asyncio.SubprocessTransport


async def _start(
    command: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path,
    stdin: int,
    stderr: int,
    keep_open: tuple[int, ...] = (),
) -> _Child:
    """Start a process in a group of its own. A cancellation in the middle of it does not lose a child that exists."""
    loop = asyncio.get_running_loop()

    async def start() -> _Child:
        transport, protocol = await loop.subprocess_exec(
            lambda: asyncio.subprocess.SubprocessStreamProtocol(limit=65536, loop=loop), *command,
            stdin=stdin, stdout=asyncio.subprocess.PIPE, stderr=stderr,
            env=dict(env), cwd=cwd, start_new_session=True, pass_fds=keep_open,
        )  # fmt: skip
        return _Child(asyncio.subprocess.Process(transport, protocol, loop), transport)

    async def take_and_end(starting: asyncio.Future[_Child]) -> None:
        await _end(await starting)

    task = asyncio.ensure_future(start())
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        with contextlib.suppress(OSError):
            await to_the_end(take_and_end(task))
        raise


async def to_the_end(work: Coroutine[Any, Any, T]) -> T:
    """Finish `work` even when cancelled meanwhile; the cancellation is delivered afterwards."""
    task = asyncio.ensure_future(work)
    cancelled = False
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                raise
            cancelled = True
    if cancelled:
        raise asyncio.CancelledError
    return task.result()


async def _read(process: asyncio.subprocess.Process, on_line: Callable[[str], None]) -> tuple[str, ...]:
    assert process.stdout is not None
    kept: deque[str] = deque(maxlen=KEPT_LINES)
    rest = b""
    while chunk := await process.stdout.read(65536):
        *whole, rest = re.split(rb"[\r\n]+", rest + chunk)
        if len(rest) > _MAX_LINE:
            whole, rest = [*whole, rest[:_MAX_LINE]], b""
        for raw in whole:
            _take(raw, kept, on_line)
    _take(rest, kept, on_line)
    return tuple(kept)


def _take(raw: bytes, kept: deque[str], on_line: Callable[[str], None]) -> None:
    line = _CREDENTIALS.sub("[hidden]@", raw.decode("utf-8", errors="replace")).rstrip()
    if not line:
        return
    if not line.startswith("Progress "):
        kept.append(line)
    on_line(line)


async def _end(child: _Child) -> None:
    """Kill what is left of the group and wait for it. A zombie that nobody reaps (no init) counts as gone."""
    group = child.process.pid
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
    await child.process.wait()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(10.0):
            while _alive(group):  # noqa: ASYNC110 (the kernel offers no event for the end of a group)
                await asyncio.sleep(0.02)
    child.transport.close()
    await asyncio.sleep(0)  # the pipes close in the loop's next round


def _alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, ProcessLookupError):
            if os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE:
                return True
    return False
