"""The process between the app and vLLM. Owner of the server's tree and of its output.

It exists because the app may die at any moment (`kill -9`, a crash in a C library) and vLLM's children outlive their
parent: seen on 0.32, `VLLM::EngineCore` and `VLLM::Worker` stay for ever after a SIGKILL of the API server. So:
* it is a subreaper: whatever loses its parent below it becomes its child, and it can find, end and reap it;
* its line to the owner is a lifeline: when the owner is gone and did not say "keep", it ends the server;
* the API server gets SIGTERM from the kernel should the guardian itself be killed (PDEATHSIG follows the *thread* that
  spawned, hence one thread only, and hence not set from the app, which has many);
* it always reads the output, whether or not somebody listens, so the server never blocks on a full pipe.

Standard library only, one thread, no asyncio: it starts in a few hundredths of a second and has little to fail in.
Run as `python -I -S -c ... <project folder>` by `core.engine.guardian_link`; the protocol is in `guardian_wire`.
"""

from __future__ import annotations

import ctypes
import functools
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Final

from core.engine.guardian_output import Output
from core.engine.guardian_owner import OwnerLine, listen
from core.engine.guardian_wire import Message, Spec
from core.engine.process_tree import descendants, send_signal

_PR_SET_PDEATHSIG: Final = 1
_PR_SET_CHILD_SUBREAPER: Final = 36
_LOOK_S: Final = 0.02
LEFTOVER_GRACE_S: Final = 2.0
_GIVE_UP_S: Final = 20.0


class Guardian:
    """One launch. `run` returns when nothing of the server is left."""

    def __init__(self, spec: Spec, line: socket.socket, inbox: bytes) -> None:
        self._spec = spec
        self._selector = selectors.DefaultSelector()
        self._output = Output(spec, self._selector)
        self._card = dict(spec.card)
        self._kept = False
        self._owner: OwnerLine | None = OwnerLine(line, self._selector, self._on_order, self._on_owner_lost)
        self._early = inbox  # orders that came together with the spec
        self._server: subprocess.Popen[bytes] | None = None
        self._status: int | None = None  # of the server, as from waitpid
        self._ending = False
        self._kill_at = 0.0
        self._done = False
        self._left: list[int] = []
        self._wake, self._wake_writer = self._watch_signals()
        self._listener: socket.socket | None = None

    # ---- life ------------------------------------------------------------------------------------------------------

    def run(self) -> None:
        try:
            self._listener = listen(self._spec.socket_path, self._selector, self._on_connection)
            self._spawn()
            if self._owner is not None:
                self._owner.feed(self._early)
            while not self._done:
                for key, events in self._selector.select(self._wait_s()):
                    key.data(events)
                self._tick(time.monotonic())
        finally:
            self._end_at_any_price()

    def _spawn(self) -> None:
        assert self._owner is not None
        write_end = self._output.open()
        try:
            self._server = subprocess.Popen(
                self._spec.argv,
                env=dict(self._spec.env),
                cwd=self._spec.folder,
                stdin=subprocess.DEVNULL,
                stdout=write_end,
                stderr=write_end,
                process_group=0,
                preexec_fn=functools.partial(_die_with_parent, os.getpid()),
            )
        except OSError as error:
            self._owner.send(event="spawn_failed", reason=error.strerror or str(error))
            self._done = True
        finally:
            os.close(write_end)
        if self._server is not None:
            self._owner.send(event="spawned", pid=self._server.pid, guardian=os.getpid())

    def _wait_s(self) -> float | None:
        if self._ending:
            return _LOOK_S
        if self._output.waits and self._owner is not None and not self._owner.congested:
            return max(0.0, self._output.flush_at - time.monotonic())
        return None

    def _tick(self, now: float) -> None:
        if now >= self._output.flush_at:
            self._output.flush(self._owner, now)
        if not self._ending or self._done:
            return
        tree = descendants(os.getpid())
        if not tree or now >= self._kill_at + _GIVE_UP_S:
            self._finish([process.pid for process in tree])
        elif now >= self._kill_at:
            send_signal(tree, signal.SIGKILL)

    def _begin_end(self, grace_s: float) -> None:
        """TERM to everyone below us; KILL follows when `grace_s` is over. A second call can only shorten the grace."""
        kill_at = time.monotonic() + grace_s
        if self._ending:
            self._kill_at = min(self._kill_at, kill_at)
            return
        self._ending = True
        self._kill_at = kill_at
        group = self._server.pid if self._server is not None else 0
        tree = descendants(os.getpid())
        if group and self._status is None:
            os.killpg(group, signal.SIGTERM)
            tree = [process for process in tree if process.group != group]
        send_signal(tree, signal.SIGTERM)

    def _finish(self, left: list[int]) -> None:
        self._reap()
        self._output.drain()
        self._output.flush(self._owner, time.monotonic(), force=True)
        self._left = left
        self._done = True

    def _end_at_any_price(self) -> None:
        """Also after a bug in here: nothing below us survives, nothing on the disk claims that we live, and only then
        is the owner told."""
        deadline = time.monotonic() + LEFTOVER_GRACE_S
        while (tree := descendants(os.getpid())) and time.monotonic() < deadline:
            send_signal(tree, signal.SIGKILL)
            self._reap()
            time.sleep(_LOOK_S)
        for path in (self._spec.socket_path, self._spec.ledger_path):
            Path(path).unlink(missing_ok=True)
        shutil.rmtree(self._spec.folder, ignore_errors=True)
        self._output.close()
        if self._owner is not None:
            code, number = _outcome(self._status)
            self._owner.send(event="gone", code=code, signal=number, left=self._left, tail=list(self._output.tail))
            self._owner.finish(LEFTOVER_GRACE_S)

    # ---- the children ----------------------------------------------------------------------------------------------

    def _watch_signals(self) -> tuple[socket.socket, socket.socket]:
        """SIGCHLD and SIGTERM wake the selector; what a terminal or a logout sends is not for us."""
        inner, outer = socket.socketpair()
        for end in (inner, outer):
            end.setblocking(False)
        signal.set_wakeup_fd(outer.fileno(), warn_on_full_buffer=False)
        # Handlers that do nothing rather than SIG_IGN: that one would be inherited by vLLM through exec.
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, _only_wake)
        self._selector.register(inner, selectors.EVENT_READ, self._on_signal)
        return inner, outer

    def _on_signal(self, _events: int) -> None:
        numbers = self._wake.recv(4096)
        if signal.SIGTERM in numbers:
            self._begin_end(self._spec.orphan_grace_s)
        self._reap()

    def _reap(self) -> None:
        """Take the exit status of every dead child, adopted ones included."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if self._server is not None and pid == self._server.pid:
                self._status = status
                self._server.returncode = os.waitstatus_to_exitcode(status)
                code, number = _outcome(status)
                if self._owner is not None:
                    self._owner.send(event="exited", code=code, signal=number)
                self._begin_end(LEFTOVER_GRACE_S)

    # ---- the owner -------------------------------------------------------------------------------------------------

    def _on_order(self, line: OwnerLine, order: Message) -> None:
        if line is not self._owner:
            self._on_stranger(line, order)
        elif order["do"] == "stop":
            self._begin_end(float(order["grace_s"]))
        elif order["do"] == "keep":
            self._kept = True
            line.send(event="kept")
        elif order["do"] == "sync":
            self._output.catch_up()
            self._output.flush(line, time.monotonic(), force=True)
            line.send(event="synced")
        elif order["do"] == "card":
            self._card = order["card"]

    def _on_owner_lost(self, line: OwnerLine) -> None:
        if line is not self._owner:
            return
        self._owner = None
        if not self._kept:
            self._begin_end(self._spec.orphan_grace_s)

    def _on_connection(self, connection: socket.socket) -> None:
        stranger = OwnerLine(connection, self._selector, self._on_order, self._on_owner_lost)
        if stranger.peer_uid != os.getuid():
            stranger.close()

    def _on_stranger(self, line: OwnerLine, order: Message) -> None:
        if order.get("do") != "attach" or order.get("launch") != self._spec.launch_id:
            line.close()
        elif self._ending:
            line.send(event="refused", reason="ending", owner=None)
        elif self._owner is not None:
            line.send(event="refused", reason="owned", owner=self._owner.peer_pid)
        else:
            self._owner = line
            self._output.forget_pending()
            pid = self._server.pid if self._server is not None else None
            line.send(event="hello", pid=pid, guardian=os.getpid(), card=self._card, tail=list(self._output.tail))


def _only_wake(_number: int, _frame: FrameType | None) -> None:
    """The number arrives through the wake-up socket."""


def _outcome(status: int | None) -> tuple[int | None, int | None]:
    """Exit code or signal number from a wait status."""
    if status is None:
        return None, None
    code = os.waitstatus_to_exitcode(status)
    return (code, None) if code >= 0 else (None, -code)


_libc = ctypes.CDLL(None, use_errno=True)


def _die_with_parent(parent: int) -> None:
    """Runs between fork and exec, in the child of a process with one thread."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:  # it died before the line above
        os._exit(1)


def main() -> None:
    """Read the spec from the socket on stdin, then guard."""
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1)
    line = socket.socket(fileno=os.dup(0))
    inbox = b""
    while b"\n" not in inbox:
        data = line.recv(65536)
        if not data:
            sys.exit(0)  # the owner died before it said what to start
        inbox += data
    spec, _, rest = inbox.partition(b"\n")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    Guardian(Spec.decode(spec), line, rest).run()
