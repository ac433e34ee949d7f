"""How fast RAM can be read: every usable core searches its own buffer for a byte that is not in it.

The C library's memchr runs on the widest vector unit and, called through ctypes, without Python's lock. Buffers are
written first (unwritten pages are all the same zero page, which sits in cache) and are together several times the
last-level cache.
"""

from __future__ import annotations

import ctypes
import mmap
import sys
import threading
import time
from dataclasses import dataclass
from typing import Final

from core.machine.model import Machine
from core.machine.reading import Known, Reading, Unknown, Why
from core.machine.tree import Tree

MEASURE_S: Final = 1.5
_MOST_BYTES: Final = 2 << 30
_LEAST_BYTES: Final = 64 << 20
_USUAL_BYTES: Final = 512 << 20
# One call: short enough to be cancelled within some milliseconds.
_PIECE: Final = 8 << 20


@dataclass(frozen=True, slots=True)
class RamRate:
    read_gb_s: Reading[float]
    threads: int


def measure_ram(machine: Machine, tree: Tree, stop: threading.Event, seconds: float = MEASURE_S) -> RamRate:
    """Blocking; takes `seconds` and as long again at most for the writing. Returns early when `stop` is set."""
    threads = max(1, int(machine.cpu.usable_cores.or_none() or 1))
    available = machine.ram.available_bytes.or_none() or 0
    wanted = min(_MOST_BYTES, max(_USUAL_BYTES, 4 * last_level_cache(tree)), available // 4)
    each = wanted // threads // _PIECE * _PIECE
    if wanted < _LEAST_BYTES or each < _PIECE:
        return RamRate(Unknown(Why.FAILED, f"only {available} bytes of RAM are available"), 0)
    counts = [0] * threads
    start = threading.Barrier(threads + 1)
    clock = [0.0]

    def search(number: int) -> None:
        with mmap.mmap(-1, each) as buffer:
            view = (ctypes.c_char * each).from_buffer(buffer)
            address = ctypes.addressof(view)
            for offset in range(0, each, _PIECE):
                if not stop.is_set():
                    ctypes.memset(address + offset, 1, _PIECE)
            start.wait()
            until = time.perf_counter() + seconds
            offset = 0
            while not stop.is_set() and time.perf_counter() < until:
                _memchr(address + offset, 0, _PIECE)
                counts[number] += _PIECE
                offset = (offset + _PIECE) % each
            clock[0] = max(clock[0], time.perf_counter())
            del view  # a mapping that is still pointed at cannot be closed

    workers = [threading.Thread(target=search, args=(number,), name=f"probe-ram-{number}") for number in range(threads)]
    for worker in workers:
        worker.start()
    start.wait()
    began = time.perf_counter()
    for worker in workers:
        worker.join()
    elapsed = clock[0] - began
    if stop.is_set() or elapsed <= 0:
        return RamRate(Unknown(Why.NOT_YET, "stopped"), threads)
    return RamRate(Known(round(sum(counts) / elapsed / 1e9, 2)), threads)


def last_level_cache(tree: Tree) -> int:
    """Bytes of the largest cache of the first CPU; 32 MiB where the system does not tell."""
    largest = 0
    for name in tree.names("/sys/devices/system/cpu/cpu0/cache"):
        size = tree.text(f"/sys/devices/system/cpu/cpu0/cache/{name}/size").or_none() or ""
        unit = {"K": 1 << 10, "M": 1 << 20}.get(size[-1:], 1)
        digits = size.rstrip("KM")
        largest = max(largest, int(digits) * unit if digits.isdecimal() else 0)
    return largest or 32 << 20


def _c_library() -> ctypes.CDLL:
    return ctypes.CDLL("msvcrt" if sys.platform == "win32" else None)


_memchr = _c_library().memchr
_memchr.argtypes = (ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t)
_memchr.restype = ctypes.c_void_p
