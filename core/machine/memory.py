"""RAM, swap, limits and pressure, from `/proc` and the cgroup files; psutil where there is no `/proc`."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from dataclasses import replace

import psutil

from core.machine.cgroup import CgroupMemory
from core.machine.model import Ram
from core.machine.reading import NOT_YET, Known, Reading, Unknown, Why
from core.machine.tree import Tree

_MEMINFO = re.compile(rb"^(MemTotal|MemFree|MemAvailable|Buffers|Cached|SwapTotal|SwapFree):\s+(\d+) kB", re.MULTILINE)
_SWAPS = re.compile(rb"^(pswpin|pswpout) (\d+)", re.MULTILINE)
_PRESSURE = re.compile(r"^(some|full) avg10=([0-9.]+)", re.MULTILINE)
_MEMLOCK = re.compile(r"^Max locked memory\s+(\S+)", re.MULTILINE)


class MemoryReader:
    """Keeps what never changes and the last swap counters; `read` costs a few file reads. Not thread-safe."""

    def __init__(self, tree: Tree, clock: Callable[[], float] = time.monotonic) -> None:
        self._tree = tree
        self._clock = clock
        self._cgroup = CgroupMemory(tree)
        self._pressure_file = self._cgroup.pressure_file()
        self._memlock = _memlock(tree)
        self._page = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
        self._swapped: tuple[float, int, int] | None = None

    def read(self) -> Ram:
        """One moment. A figure that the system does not give is unknown; nothing is raised."""
        try:
            figures = {name: int(kib) * 1024 for name, kib in _MEMINFO.findall(self._tree.bytes("/proc/meminfo"))}
        except OSError as error:
            return _portable_ram() if self._tree.real else Ram(total_bytes=Unknown(Why.NOT_PRESENT, str(error)))
        total, available = _figure(figures, b"MemTotal"), _available(figures)
        ram = Ram(
            total_bytes=total,
            available_bytes=available,
            physical_total_bytes=total,
            physical_available_bytes=available,
            limit=self._cgroup.read(),
            swap_total_bytes=_figure(figures, b"SwapTotal"),
            swap_free_bytes=_figure(figures, b"SwapFree"),
            memlock_bytes=self._memlock,
        )
        return self._with_shm(self._with_pressure(self._with_swap_rates(_limited(ram))))

    def counts(self, pid: int, ram: Ram) -> bool:
        """Whether a process's memory is part of `ram`. Under a cgroup limit only those in that cgroup are."""
        limit = ram.limit.or_none()
        return limit is None or ram.total_bytes == ram.physical_total_bytes or self._cgroup.holds(pid, limit)

    def _with_swap_rates(self, ram: Ram) -> Ram:
        if ram.swap_total_bytes == Known(0):
            return replace(ram, swap_in_bytes_per_s=Known(0.0), swap_out_bytes_per_s=Known(0.0))
        try:
            counts = {name: int(value) for name, value in _SWAPS.findall(self._tree.bytes("/proc/vmstat"))}
            now = (self._clock(), counts[b"pswpin"], counts[b"pswpout"])
        except (OSError, KeyError) as error:
            unknown = Unknown(Why.NOT_PRESENT, f"/proc/vmstat: {error}")
            return replace(ram, swap_in_bytes_per_s=unknown, swap_out_bytes_per_s=unknown)
        before, self._swapped = self._swapped, now
        if before is None or now[0] <= before[0]:
            return ram
        rates = [(new - old) * self._page / (now[0] - before[0]) for new, old in zip(now[1:], before[1:], strict=True)]
        return replace(
            ram, swap_in_bytes_per_s=Known(max(0.0, rates[0])), swap_out_bytes_per_s=Known(max(0.0, rates[1]))
        )

    def _with_pressure(self, ram: Ram) -> Ram:
        text = self._tree.text(self._pressure_file)
        if isinstance(text, Unknown):
            return replace(ram, pressure_some_percent=text, pressure_full_percent=text)
        found = {kind: float(value) for kind, value in _PRESSURE.findall(text.value)}
        missing = Unknown(Why.NOT_SUPPORTED, self._pressure_file)
        return replace(
            ram,
            pressure_some_percent=Known(found["some"]) if "some" in found else missing,
            pressure_full_percent=Known(found["full"]) if "full" in found else missing,
        )

    def _with_shm(self, ram: Ram) -> Ram:
        space = self._tree.space("/dev/shm")
        if isinstance(space, Unknown):
            return replace(ram, shm_total_bytes=space, shm_free_bytes=space)
        return replace(
            ram, shm_total_bytes=Known(space.value.total_bytes), shm_free_bytes=Known(space.value.free_bytes)
        )


def _figure(figures: dict[bytes, int], name: bytes) -> Reading[int]:
    return Known(figures[name]) if name in figures else Unknown(Why.NOT_PRESENT, f"/proc/meminfo: {name.decode()}")


def _available(figures: dict[bytes, int]) -> Reading[int]:
    """MemAvailable; kernels before 3.14 and some sandboxes lack it: free plus cache is then the best guess."""
    if b"MemAvailable" in figures or b"MemFree" not in figures:
        return _figure(figures, b"MemAvailable")
    return Known(figures[b"MemFree"] + figures.get(b"Buffers", 0) + figures.get(b"Cached", 0))


def _limited(ram: Ram) -> Ram:
    """The cgroup limit wins where it is tighter than the computer. A limit above the RAM is none."""
    limit, total = ram.limit, ram.total_bytes.or_none()
    if isinstance(limit, Unknown) or (total is not None and limit.value.limit_bytes >= total):
        return ram
    room = max(0, limit.value.limit_bytes - limit.value.used_bytes)
    available = ram.available_bytes.or_none()
    return replace(
        ram,
        total_bytes=Known(limit.value.limit_bytes),
        available_bytes=Known(room if available is None else min(room, available)),
    )


def _memlock(tree: Tree) -> Reading[int | None]:
    """The soft limit, in bytes."""
    text = tree.text("/proc/self/limits")
    if isinstance(text, Unknown):
        return text
    found = _MEMLOCK.search(text.value)
    if found is None:
        return Unknown(Why.NOT_PRESENT, "/proc/self/limits")
    return Known(int(found[1])) if found[1].isdecimal() else Known(None)


def _portable_ram() -> Ram:
    """Windows and macOS."""
    memory = psutil.virtual_memory()
    total, available = Known(int(memory.total)), Known(int(memory.available))
    try:
        swap = psutil.swap_memory()
        swap_total: Reading[int] = Known(int(swap.total))
        swap_free: Reading[int] = Known(int(swap.free))
    except (OSError, RuntimeError) as error:
        swap_total = swap_free = Unknown(Why.FAILED, str(error))
    return Ram(
        total_bytes=total,
        available_bytes=available,
        physical_total_bytes=total,
        physical_available_bytes=available,
        swap_total_bytes=swap_total,
        swap_free_bytes=swap_free,
        swap_in_bytes_per_s=NOT_YET,
        swap_out_bytes_per_s=NOT_YET,
    )
