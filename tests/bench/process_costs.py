"""What a tree of processes costs: its CPU time, and its memory with a fair share of what several processes share."""

from __future__ import annotations

import psutil


def cpu_s(pid: int) -> float:
    """Seconds of user and system time of the living tree under `pid`."""
    return sum(sum(process.cpu_times()[:2]) for process in _tree(pid))


def pss_mib(pid: int) -> float:
    """Proportional set size of the tree under `pid`."""
    return sum(process.memory_full_info().pss for process in _tree(pid)) / 2**20


def _tree(pid: int) -> list[psutil.Process]:
    root = psutil.Process(pid)
    return [root, *root.children(recursive=True)]
