"""The server's life: idle -> starting(phase) -> ready -> stopping -> idle, or failed(code).

The only writer of `ServerStatus`. The work is done by a guardian process (see `guardian`), so that nothing of the
server outlives a crash of the app.
"""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from core.engine.cancellation import being_cancelled, cancel_and_wait, uninterrupted
from core.engine.command import HOST, LaunchRequest
from core.engine.endpoint import Endpoint
from core.engine.failures import as_info, later_failure, start_failure
from core.engine.health import health, max_model_len
from core.engine.launch_events import LaunchFixed
from core.engine.ledger import Entry, Ledger
from core.engine.log_parser import PhaseTracker, last_words, port_taken
from core.engine.oom import OomWatch
from core.engine.reattach import adopt, clean
from core.engine.relaunch import Attempts
from core.engine.server_process import Gone, ServerProcess, Verdict
from core.engine.spawn import card, free_port, new_launch_id, spawn_server
from core.errors import AppError
from core.events import ErrorInfo, EventBus, LogLines, Notice, Phase, ServerState, ServerStatus
from core.paths import Paths
from core.runtime import Tasks

log = logging.getLogger(__name__)

PORT_TRIES: Final = 4
_WATCH_S: Final = 2.0
_ENGINE_DEAD_GRACE_S: Final = 3.0
_BUSY_STATES: Final = (ServerState.STARTING, ServerState.READY, ServerState.STOPPING)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait, in seconds. `grace_s`: from TERM to KILL; `stall_s`: no line and no CPU while starting."""

    grace_s: float = 10.0
    stall_s: float = 300.0


class Supervisor:
    """Owner of the server. `status` is a snapshot; `endpoint` is set while the server is ready.

    `start` from idle or failed; `stop` from any state (it aborts a start); `keep` from ready; `close` from any.
    """

    def __init__(self, paths: Paths, bus: EventBus, patience: Patience | None = None) -> None:
        self._paths = paths
        self._bus = bus
        self._patience = patience or Patience()
        self._ledger = Ledger(paths.launches)
        self._tasks = Tasks()
        self._server: ServerProcess | None = None
        self._launch: asyncio.Task[Endpoint] | None = None
        self._watch: asyncio.Task[None] | None = None
        self._tracker = PhaseTracker()
        self._last_log: tuple[str, ...] = ()
        self._oom = OomWatch()
        self.request: LaunchRequest | None = None
        """What the present server, or the last one, was really started with; None for one that was taken back."""
        self.status = ServerStatus()
        self.endpoint: Endpoint | None = None

    @property
    def running(self) -> bool:
        """Whether a server of ours exists, in whatever state."""
        return self.status.state in _BUSY_STATES

    @property
    def roots(self) -> frozenset[int]:
        """Pids of the first processes of the present server: its guardian and vLLM's own first one; empty without."""
        if self._server is None:
            return frozenset()
        return frozenset({self._server.entry.guardian_pid, self._server.entry.server_pid})

    @property
    def folder(self) -> Path | None:
        """The present server's own folder; None without one."""
        return Path(self._server.entry.folder) if self._server is not None else None

    def log_tail(self) -> tuple[str, ...]:
        """The newest lines of the present server, or of the last one."""
        return tuple(self._server.log) if self._server is not None else self._last_log

    # ---- verbs -----------------------------------------------------------------------------------------------------

    async def start(self, request: LaunchRequest) -> Endpoint:
        """Start a server and return when it is ready. Cancelling this ends the launch and leaves nothing.

        Raises:
            AppError: `server.busy`; `server.spawn_failed`; `engine.fail.*` where the root cause is known, else
                `server.start_failed`, `server.killed`: it ended (the detail holds its last words); `server.port_taken`:
                the wanted port, or four free ones in a row;
                `server.stalled`; `server.cancelled`: `stop` was called meanwhile.
        """
        if self.running:
            raise AppError("server.busy", model=self.status.model)
        launch = asyncio.create_task(self._start(request), name="launch")
        self._launch = launch
        self._last_log = ()
        self._set(
            ServerStatus(
                ServerState.STARTING,
                launch_id=new_launch_id(),
                model=request.model_id,
                engine=request.engine.id,
                phases=PhaseTracker().phases,
                started_monotonic=time.monotonic(),
                expected=request.expected,
            )
        )
        try:
            return await asyncio.shield(launch)
        except asyncio.CancelledError:
            if launch.cancelled() and not being_cancelled():
                raise AppError("server.cancelled", phase=self._tracker.phases[-1].phase) from None
            await cancel_and_wait(launch)
            await self.stop()  # it may have become ready in this very moment
            raise

    async def stop(self) -> None:
        """End the server, or the launch in progress, and return when nothing of it is left.

        Raises:
            AppError: `server.stop_failed` with the processes that even KILL did not end.
        """
        if self._launch is not None and not self._launch.done():
            await cancel_and_wait(self._launch)
        elif self._server is not None:
            await uninterrupted(self._stop())

    async def keep(self) -> None:
        """Let a ready server outlive us, and let go of it; `reattach` of a later run takes it back. Does nothing when
        no server is ready."""
        if self._server is None or self.status.state is not ServerState.READY:
            return
        await self._halt_watch()
        try:
            await self._server.keep()
        except BaseException:
            self._begin_watch(self._server)
            raise
        self._let_go()
        self._set(replace(self.status, state=ServerState.IDLE, kept=True))

    async def reattach(self) -> bool:
        """Look into the ledger: take back a server that was kept, end what a crash left, leave alone what another
        living Stowage owns. True when a server is ours and ready afterwards.

        Raises:
            AppError: `server.attach_failed` when a kept server did not answer any more (it is ended then).
        """
        if self.running:
            return False
        for entry in await self.clean_up():
            if self._server is None:
                adopted = await adopt(entry, self._emit_lines)
                if adopted is not None:
                    await self._take_back(*adopted)
        return self.status.state is ServerState.READY

    async def clean_up(self) -> tuple[Entry, ...]:
        """End what a crash left, as the ledger tells. Gives the servers that are guarded still, ours or not."""
        guarded: list[Entry] = []
        for entry in await asyncio.to_thread(self._ledger.entries):
            if entry.guardian_alive:
                guarded.append(entry)
            elif left := await clean(entry, self._ledger):
                error = AppError("server.stop_failed", pids=", ".join(map(str, left)))
                self._bus.emit(Notice(ErrorInfo.of(error)))
        return tuple(guarded)

    async def close(self) -> None:
        """End whatever runs. A server that was kept is no longer ours and stays."""
        await self.stop()

    # ---- a start ---------------------------------------------------------------------------------------------------

    async def _start(self, request: LaunchRequest) -> Endpoint:
        try:
            server = await self._until_it_runs(request)
            await server.sync()
            length = await max_model_len(server.entry.port, server.api_key, request.model_id)
        except AppError as error:
            self._fail(error)
            raise
        except BaseException:
            self._set(replace(self.status, state=ServerState.STOPPING))
            await uninterrupted(self._end())
            self._set(ServerStatus())
            raise
        self._tracker.enter(Phase.READY, self._elapsed_s())
        self._become_ready(server, replace(self.status, phases=self._tracker.phases, max_model_len=length))
        assert self.endpoint is not None
        return self.endpoint

    async def _until_it_runs(self, request: LaunchRequest) -> ServerProcess:
        """A server that is ready; a failure that a change can mend without loss is mended (see `relaunch`)."""
        attempts = Attempts()
        while True:
            self.request = request
            try:
                return await self._first_that_binds(request)
            except AppError as error:
                again = attempts.next(error, request)
                if again is None:
                    raise
                fix, request = again
                self._say(f"Stowage: {error.code}; trying again with {fix.kind}.")
                self._bus.emit(LaunchFixed(self.status.launch_id, as_info(error, self._last_log), fix))

    async def _first_that_binds(self, request: LaunchRequest) -> ServerProcess:
        """A server that is ready. Another program may take the port between our choice and vLLM's bind; then another
        port is tried, unless this one was asked for."""
        port = 0
        for _ in range(PORT_TRIES):
            port = request.port or free_port()
            self._tracker = PhaseTracker()
            self._oom = OomWatch()
            self._set(replace(self.status, port=port, phases=self._tracker.phases))
            server = await spawn_server(self._paths, self._ledger, request, self.status.launch_id, port, self._on_lines)
            self._server = server
            news = await server.settles(self._patience.stall_s)
            if news is Verdict.ANSWERS:
                return server
            if news is Verdict.STALLED:
                raise await self._stalled(server)
            self._let_go(news.tail)
            if not port_taken(news.tail):
                raise start_failure(news, self._oom.kills(), self._oom.limit_bytes)
            if request.port is not None:
                break
            self._say(f"Stowage: port {port} was taken by another program meanwhile; trying another one.")
        raise AppError("server.port_taken", port=port)

    async def _stalled(self, server: ServerProcess) -> AppError:
        words = last_words(tuple(server.log))
        await uninterrupted(self._end())
        minutes = round(self._patience.stall_s / 60, 1)
        return AppError("server.stalled", "\n".join(words), minutes=minutes)

    # ---- ready -----------------------------------------------------------------------------------------------------

    def _become_ready(self, server: ServerProcess, status: ServerStatus) -> None:
        self._server = server
        self.endpoint = Endpoint(f"http://{HOST}:{server.entry.port}", status.model, server.api_key)
        server.tell(
            **card(status.model, status.engine, server.entry.port, server.api_key),
            max_model_len=status.max_model_len,
            started_monotonic=status.started_monotonic,
            phases=[[p.phase, p.began_s, p.ended_s, p.fraction] for p in status.phases],
        )
        self._begin_watch(server)
        self._set(replace(status, state=ServerState.READY))

    def _begin_watch(self, server: ServerProcess) -> None:
        self._watch = self._tasks.start(self._watch_over(server), "watch the server")

    async def _watch_over(self, server: ServerProcess) -> None:
        """Ends when the server does: by itself, or by us once it says that its engine is dead (503)."""
        gone = asyncio.create_task(server.gone())
        engine_died = False
        try:
            while not gone.done():
                await asyncio.wait({gone}, timeout=_WATCH_S)
                if not gone.done() and await health(server.entry.port) == 503:
                    engine_died = True
                    await server.stop(_ENGINE_DEAD_GRACE_S)
        finally:
            gone.cancel()
        end = await server.gone()
        self._let_go(end.tail)
        self._fail(later_failure(end, engine_died, self._oom.kills(), self._oom.limit_bytes))

    async def _take_back(self, server: ServerProcess, status: ServerStatus) -> None:
        self._server = server
        self._oom = OomWatch()
        self.request = None
        if await health(server.entry.port) == 200:
            self._become_ready(server, status)
            return
        tail = tuple(server.log)
        await uninterrupted(self._end())
        error = AppError("server.attach_failed", "\n".join(last_words(tail)), reason="/health")
        self._fail(error)
        raise error

    # ---- the end ---------------------------------------------------------------------------------------------------

    async def _stop(self) -> None:
        await self._halt_watch()
        if self._server is None:  # it ended by itself in this moment
            return
        self._set(replace(self.status, state=ServerState.STOPPING))
        gone = await self._end()
        if gone is not None and gone.left:
            error = AppError("server.stop_failed", pids=", ".join(map(str, gone.left)))
            self._fail(error)
            raise error
        self._set(ServerStatus())

    async def _end(self) -> Gone | None:
        if self._server is None:
            return None
        self.endpoint = None
        gone = await self._server.stop(self._patience.grace_s)
        self._let_go(gone.tail)
        return gone

    async def _halt_watch(self) -> None:
        if self._watch is not None:
            await cancel_and_wait(self._watch)
            self._watch = None

    def _let_go(self, tail: tuple[str, ...] | None = None) -> None:
        """The server is no longer ours, or no longer at all. Its guardian has cleared its traces; one that was killed
        could not, so this does it again."""
        if self._server is not None:
            self._last_log = tuple(self._server.log) if tail is None else tail
            if tail is not None:
                self._ledger.remove(self._server.entry.launch_id)
        self._server = None
        self.endpoint = None

    def _fail(self, error: AppError) -> None:
        self._set(replace(self.status, state=ServerState.FAILED, error=as_info(error, self._last_log)))

    # ---- what the outside hears ------------------------------------------------------------------------------------

    def _set(self, status: ServerStatus) -> None:
        if status != self.status:
            self.status = status
            log.info("server: %s %s port %s", status.state, status.phase or "", status.port)
            self._bus.emit(status)

    def _on_lines(self, lines: tuple[str, ...], dropped: int) -> None:
        """Lines of a server that is starting or running."""
        if self.status.state is ServerState.STARTING and self._tracker.feed(lines, self._elapsed_s()):
            self._set(replace(self.status, phases=self._tracker.phases))
        self._emit_lines(lines, dropped)

    def _emit_lines(self, lines: tuple[str, ...], dropped: int) -> None:
        self._bus.emit(LogLines(self.status.launch_id, lines, dropped))

    def _say(self, text: str) -> None:
        log.warning("%s", text)
        self._emit_lines((text,), 0)

    def _elapsed_s(self) -> float:
        return time.monotonic() - self.status.started_monotonic
