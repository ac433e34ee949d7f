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
    process = await _started(
        asyncio.create_subprocess_exec(
            python, "-I", str(TIED), *command,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
            env=dict(env), cwd=cwd, start_new_session=True, pass_fds=keep_open,
        )
    )  # fmt: skip
    try:
        lines = await _read(process, on_line)
        code = await process.wait()
    finally:
        await to_the_end(_end(process))
    return ToolResult(code, lines)


async def answer_of(command: Sequence[str], *, env: Mapping[str, str], timeout_s: float) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a program that answers at once. It is killed when it does not, or on cancel.

    Raises:
        OSError: it could not be started.
        TimeoutError: no answer within `timeout_s`.
    """
    process = await _started(
        asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            env=dict(env), cwd=os.path.abspath(os.sep), start_new_session=True,
        )
    )  # fmt: skip
    try:
        async with asyncio.timeout(timeout_s):
            out, err = await process.communicate()
        return await process.wait(), out.decode(errors="replace"), err.decode(errors="replace")
    finally:
        await to_the_end(_end(process))


async def _started(starting: Coroutine[Any, Any, asyncio.subprocess.Process]) -> asyncio.subprocess.Process:
    """Start a process. A cancellation in the middle of it must not lose a child that exists already."""
    task = asyncio.ensure_future(starting)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        with contextlib.suppress(OSError):
            await to_the_end(_take_and_end(task))
        raise


async def _take_and_end(task: asyncio.Future[asyncio.subprocess.Process]) -> None:
    await _end(await task)


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


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kill what is left of the group and wait for it. A zombie that nobody reaps (no init) counts as gone."""
    group = process.pid
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
    await process.wait()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(10.0):
            while _alive(group):  # noqa: ASYNC110 (the kernel offers no event for the end of a group)
                await asyncio.sleep(0.02)
            # To their ends, so that the transports close.
            for pipe in (process.stdout, process.stderr):
                while pipe is not None and await pipe.read(65536):
                    pass
    if process.stdin is not None:
        process.stdin.close()
        with contextlib.suppress(OSError):
            await process.stdin.wait_closed()


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
