"""One launch as its owner sees it: a guardian, the server below it, its lines, its end."""

from __future__ import annotations

import asyncio
import enum
import logging
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from core.engine.guardian_link import GuardianLink
from core.engine.guardian_wire import Message
from core.engine.health import health, listens
from core.engine.ledger import Entry
from core.engine.log_lines import Tail
from core.engine.log_parser import says_it_serves
from core.engine.orphans import sweep
from core.engine.process_tree import descendants
from core.errors import AppError

log = logging.getLogger(__name__)

_POLL_S: Final = 0.25
_FAST_POLL_S: Final = 0.05
_STALL_LOOK_S: Final = 5.0
# Below this share of one core a tree does nothing: an idle event loop stays under a thousandth.
_IDLE_SHARE: Final = 0.01
_LOG_LINES: Final = 2000
_LOG_CHARS: Final = 4 * 1024 * 1024
_GUARDIAN_EXIT_S: Final = 5.0
_STOP_MARGIN_S: Final = 25.0

OnLines = Callable[[tuple[str, ...], int], None]


@dataclass(frozen=True, slots=True)
class Gone:
    """How a server ended: with an exit code, or by a signal (its own, or the one that killed its guardian). `left` are
    pids that could not be killed; `tail` its final lines, oldest first."""

    code: int | None = None
    signal_name: str | None = None
    left: tuple[int, ...] = ()
    tail: tuple[str, ...] = field(default=(), repr=False)


class Verdict(enum.Enum):
    """How a start turned out while the server lives."""

    ANSWERS = "answers"
    STALLED = "stalled"


class ServerProcess:
    """Owns a `GuardianLink`, reads it to the end, and answers the questions about the tree behind it."""

    def __init__(self, link: GuardianLink, entry: Entry, api_key: str, on_lines: OnLines) -> None:
        self.entry = entry
        self.api_key = api_key
        self.log = Tail(_LOG_LINES, _LOG_CHARS)
        self._link = link
        self._on_lines = on_lines
        self._kept = asyncio.Event()
        self._synced = asyncio.Event()
        self._hint = asyncio.Event()
        self._last_line = time.monotonic()
        self._serves = False
        self._reader = asyncio.get_running_loop().create_task(self._read(), name=f"server {entry.launch_id}")

    # ---- its end ---------------------------------------------------------------------------------------------------

    async def gone(self) -> Gone:
        """Wait until nothing of the server is left."""
        return await asyncio.shield(self._reader)

    @property
    def ended(self) -> bool:
        return self._reader.done()

    async def stop(self, grace_s: float) -> Gone:
        """TERM, `grace_s` later KILL, to the whole tree; returns when nothing of it is left."""
        self._link.send(do="stop", grace_s=grace_s)
        try:
            async with asyncio.timeout(grace_s + _STOP_MARGIN_S):
                return await self.gone()
        except TimeoutError:
            # A guardian that does not answer: without its line it either ends the tree itself or is swept away below.
            await self._link.close()
            return await self.gone()

    async def keep(self, timeout_s: float = 5.0) -> None:
        """Let the server outlive us, and let go of it.

        Raises:
            AppError: `server.not_running` when it ended meanwhile.
        """
        await self._ask("keep", self._kept, timeout_s)
        if not self._kept.is_set():
            raise AppError("server.not_running")
        self._reader.cancel()
        await asyncio.wait({self._reader})
        await self._link.leave()

    async def sync(self, timeout_s: float = 1.0) -> None:
        """Have every line that the server has written so far. (They come in batches, so `/health` may be ahead.)"""
        self._synced.clear()
        await self._ask("sync", self._synced, timeout_s)

    async def _ask(self, verb: str, answer: asyncio.Event, timeout_s: float) -> None:
        self._link.send(do=verb)
        waiter = asyncio.ensure_future(answer.wait())
        try:
            await asyncio.wait({waiter, self._reader}, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiter.cancel()

    def tell(self, **card: object) -> None:
        """What the guardian hands to its next owner."""
        self._link.send(do="card", card=card)

    # ---- its start -------------------------------------------------------------------------------------------------

    async def settles(self, stall_s: float) -> Gone | Verdict:
        """Wait for whichever comes first: it answers, it stands still for `stall_s` seconds, it ended."""
        answers = asyncio.create_task(self._answers())
        stalls = asyncio.create_task(self._stalls(stall_s))
        gone = asyncio.create_task(self.gone())
        try:
            await asyncio.wait({answers, stalls, gone}, return_when=asyncio.FIRST_COMPLETED)
            if gone.done():
                return gone.result()
            first, verdict = (answers, Verdict.ANSWERS) if answers.done() else (stalls, Verdict.STALLED)
            first.result()  # raises what went wrong in it, if anything did
            return verdict
        finally:
            for task in (answers, stalls, gone):
                task.cancel()
            await asyncio.wait({answers, stalls, gone})

    async def _answers(self) -> None:
        """Wait until `/health` says 200 *and* the listening socket belongs to our tree. No deadline."""
        while not (await health(self.entry.port) == 200 and await asyncio.to_thread(self._listens)):
            self._hint.clear()
            pause = _FAST_POLL_S if self._serves else _POLL_S
            try:
                async with asyncio.timeout(pause):
                    await self._hint.wait()
            except TimeoutError:
                pass

    async def _stalls(self, after_s: float) -> None:
        """Wait until the server has written no line and used no CPU for `after_s` seconds."""
        pause = min(_STALL_LOOK_S, after_s / 4)
        busy_at = time.monotonic()
        used = await asyncio.to_thread(self._cpu_s)
        while time.monotonic() - max(busy_at, self._last_line) < after_s:
            await asyncio.sleep(pause)
            now_used = await asyncio.to_thread(self._cpu_s)
            if abs(now_used - used) > _IDLE_SHARE * pause:
                busy_at = time.monotonic()
            used = now_used

    def _listens(self) -> bool:
        return listens((process.pid for process in descendants(self.entry.guardian_pid)), self.entry.port)

    def _cpu_s(self) -> float:
        return sum(process.cpu_s for process in descendants(self.entry.guardian_pid))

    # ---- its line --------------------------------------------------------------------------------------------------

    async def _read(self) -> Gone:
        """Everything the guardian says, to the end; then nothing of the server is left, come what may."""
        self.log.extend(self._link.hello.get("tail", ()))
        last: Message = {}
        async for message in self._link.messages():
            if message["event"] == "lines":
                self._take(message["lines"], message["dropped"])
            elif message["event"] == "kept":
                self._kept.set()
            elif message["event"] == "synced":
                self._synced.set()
            elif message["event"] in ("exited", "gone"):
                last = message
        gone = last.get("event") == "gone"
        left = tuple(last.get("left", ())) if gone else ()
        if not gone:
            log.warning("the guardian %s ended without a word; sweeping", self.entry.guardian_pid)
        await self._link.close()
        await self._guardian_left()
        if not gone or left:
            left = tuple(await sweep(self.entry.mark))
            Path(self.entry.socket).unlink(missing_ok=True)
        number = last.get("signal") or self._link.killed_by
        return Gone(
            code=last.get("code"),
            signal_name=signal.Signals(number).name if number is not None else None,
            left=left,
            tail=tuple(last.get("tail", ())) or tuple(self.log),
        )

    async def _guardian_left(self) -> None:
        """One that an earlier app started is not our child: nobody tells us, so look. It has nothing more to do."""
        end = time.monotonic() + _GUARDIAN_EXIT_S
        while self.entry.guardian_alive and time.monotonic() < end:  # noqa: ASYNC110 - nor does the kernel offer an event
            await asyncio.sleep(0.01)

    def _take(self, lines: list[str], dropped: int) -> None:
        self._last_line = time.monotonic()
        self.log.extend(lines)
        if not self._serves and any(says_it_serves(line) for line in lines):
            self._serves = True
        if self._serves:
            self._hint.set()
        self._on_lines(tuple(lines), dropped)
