"""Who uses the RAM, by name, cheaply: a full look at `/proc` only as often as it may cost, our own server's at every
sample.

A process is counted with its anonymous memory (`statm`: resident - shared). File-backed pages are cache and are counted
as available; shared memory belongs to several processes, so it is counted only for the server's own tree, and there
once.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import psutil

from core.machine.tree import Tree

# Smaller processes are not named: 1,000 of them are still below what one bar can show.
NAMED_FROM_BYTES: Final = 8 << 20
# A full look may take this share of one core; between two looks pass at least 1 s and at most 30 s.
_SHARE: Final = 0.002
_SHORTEST_S: Final = 1.0
_LONGEST_S: Final = 30.0
# The kernel walks all of a process's pages for `smaps_rollup`: 0.1 % of a core for each, at most every 10 s.
_ROLLUP_SHARE: Final = 0.001
_ROLLUP_S: Final = (10.0, 600.0)
_SHARE_OF: Final = re.compile(rb"^Pss_Anon:\s+(\d+) kB", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ProcessUse:
    """One process and the RAM that only it holds, in bytes."""

    pid: int
    name: str
    bytes: int
    ours: bool = False


@dataclass(frozen=True, slots=True)
class _Identity:
    """`started` is the kernel's start time: with the pid it names a process for good."""

    started: str
    name: str
    parent: int
    session: int


class ProcessScan:
    """`read` gives the processes worth naming. Not thread-safe.

    The server's tree is found by session (the supervisor starts a server in a session of its own, pid = session id) and
    by parent, so an `EngineCore` that outlived its API server still counts as ours.
    """

    def __init__(
        self,
        tree: Tree,
        clock: Callable[[], float] = time.monotonic,
        cpu_clock: Callable[[], float] = time.thread_time,
    ) -> None:
        self._tree = tree
        self._clock = clock
        self._cpu_clock = cpu_clock
        self._page = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
        self._known: dict[int, _Identity] = {}
        self._found: dict[int, ProcessUse] = {}
        self._next = 0.0
        self._forked: dict[int, tuple[float, int]] = {}
        self._roots: frozenset[int] = frozenset()
        self._portable = tree.real and not tree.exists("/proc/self/statm")

    def read(self, roots: frozenset[int] = frozenset()) -> tuple[ProcessUse, ...]:
        """Args: roots: pids of the server's first processes; none when no server runs."""
        now = self._clock()
        if now >= self._next or roots != self._roots:
            self._roots = roots
            began = self._cpu_clock()
            self._found = self._portable_scan() if self._portable else self._scan()
            cost = self._cpu_clock() - began
            self._next = now + min(_LONGEST_S, max(_SHORTEST_S, cost / _SHARE))
        if roots and not self._portable:
            self._refresh_ours()
        return tuple(self._found.values())

    def named(self, pid: int) -> ProcessUse:
        """A process that a driver mentioned, also a small one. The name is "" when it is gone."""
        known = self._found.get(pid)
        if known is not None:
            return known
        identity = self._identity(pid)
        return ProcessUse(
            pid, identity.name if identity else "", 0, identity is not None and self._is_ours(pid, identity)
        )

    def _scan(self) -> dict[int, ProcessUse]:
        # Filled in place: a child's parent, which has the lower pid, is looked up in it.
        found: dict[int, ProcessUse] = {}
        self._found = found
        alive = [int(name) for name in self._tree.names("/proc") if name.isdecimal()]
        for pid in sorted(alive):
            size = self._anonymous(pid)
            # The server's own first process counts also when nearly all that it holds is shared.
            if size < NAMED_FROM_BYTES and pid not in self._roots:
                continue
            identity = self._identity(pid)
            if identity is not None:
                found[pid] = ProcessUse(pid, identity.name, size, self._is_ours(pid, identity))
        self._known = {pid: identity for pid, identity in self._known.items() if pid in found}
        self._forked = {pid: looked for pid, looked in self._forked.items() if pid in found}
        return found

    def _refresh_ours(self) -> None:
        shared_at_most = 0
        largest: ProcessUse | None = None
        for process in [process for process in self._found.values() if process.ours]:
            status = self._resident(process.pid)
            if status is None:
                del self._found[process.pid]
                continue
            own, shared = status
            own -= min(own, self._counted_elsewhere(process.pid, own))
            self._found[process.pid] = current = ProcessUse(process.pid, process.name, own, True)
            shared_at_most = max(shared_at_most, shared)
            if largest is None or own > largest.bytes:
                largest = current
        if largest is not None and shared_at_most:
            # The tree's shared memory (a KV offload region in /dev/shm) is one region mapped by several processes.
            self._found[largest.pid] = ProcessUse(largest.pid, largest.name, largest.bytes + shared_at_most, True)

    def _counted_elsewhere(self, pid: int, anonymous: int) -> int:
        """Bytes of `anonymous` that are the other processes' share, since fork copies a page only when it is written.
        Such pages get fewer slowly, so an old figure will do."""
        now = self._clock()
        next_look, elsewhere = self._forked.get(pid, (now, 0))
        if now < next_look:
            return elsewhere
        began = self._cpu_clock()
        try:
            found = _SHARE_OF.search(self._tree.bytes(f"/proc/{pid}/smaps_rollup"))
        except OSError:
            found = None  # an old kernel, or a process that just ended
        elsewhere = max(0, anonymous - int(found[1]) * 1024) if found else 0
        cost = self._cpu_clock() - began
        self._forked[pid] = (now + min(_ROLLUP_S[1], max(_ROLLUP_S[0], cost / _ROLLUP_SHARE)), elsewhere)
        return elsewhere

    def _anonymous(self, pid: int) -> int:
        """Bytes; 0 for a kernel thread or a process that is gone."""
        try:
            fields = self._tree.bytes(f"/proc/{pid}/statm").split(b" ", 3)
            return (int(fields[1]) - int(fields[2])) * self._page
        except (OSError, ValueError, IndexError):
            return 0

    def _resident(self, pid: int) -> tuple[int, int] | None:
        """Anonymous and shared bytes, from `status`."""
        try:
            lines = self._tree.bytes(f"/proc/{pid}/status").splitlines()
        except OSError:
            return None
        figures = dict(line.split(b":", 1) for line in lines if line.startswith(b"Rss"))
        try:
            return _kib(figures[b"RssAnon"]) * 1024, _kib(figures[b"RssShmem"]) * 1024
        except (KeyError, ValueError, IndexError):
            return (own, 0) if (own := self._anonymous(pid)) else None

    def _identity(self, pid: int) -> _Identity | None:
        """From `stat` (proc_pid_stat(5)): the name stands in parentheses and may itself hold some."""
        try:
            text = self._tree.bytes(f"/proc/{pid}/stat").decode("utf-8", "replace")
            head, _, tail = text.rpartition(")")
            fields = tail.split()
            parent, session, started = int(fields[1]), int(fields[3]), fields[19]
        except (OSError, ValueError, IndexError):
            return None
        known = self._known.get(pid)
        if known is None or known.started != started or known.parent != parent:
            known = _Identity(started, self._program(pid) or head.partition("(")[2], parent, session)
            self._known[pid] = known
        return known

    def _program(self, pid: int) -> str:
        """The executable's name: `comm` is cut at 15 characters and differs for each of a browser's processes
        ("Isolated Web Co"). vLLM's children are told apart by their title, so for a Python the title counts."""
        program = (self._tree.link(f"/proc/{pid}/exe") or "").removesuffix(" (deleted)").rpartition("/")[2]
        return "" if program.startswith("python") else program

    def _is_ours(self, pid: int, identity: _Identity) -> bool:
        if not self._roots:
            return False
        if pid in self._roots or identity.session in self._roots or identity.parent in self._roots:
            return True
        parent = self._found.get(identity.parent)
        return parent is not None and parent.ours

    def _portable_scan(self) -> dict[int, ProcessUse]:
        """Windows and macOS: psutil's resident size of each; memory that processes share is then counted more than
        once, and the ledger cuts it to what is really in use."""
        found: dict[int, ProcessUse] = {}
        parents: dict[int, int] = {}
        for process in psutil.process_iter(["name", "memory_info", "ppid"]):
            info = process.info
            parents[process.pid] = info.get("ppid") or 0
            memory = info.get("memory_info")
            if memory is None or memory.rss < NAMED_FROM_BYTES:
                continue
            ours, ancestor = False, process.pid
            while ancestor and not ours:
                ours = ancestor in self._roots
                ancestor = parents.get(ancestor, 0) if parents.get(ancestor, 0) != ancestor else 0
            found[process.pid] = ProcessUse(process.pid, info.get("name") or "", memory.rss, ours)
        return found


def _kib(field: bytes) -> int:
    return int(field.split()[0])
