"""The processor: cores that we may use, vector units that the CPU engine cares about, NUMA nodes."""

from __future__ import annotations

import os
import platform
import re
from typing import Final

import psutil

from core.machine.model import Cpu, NumaNode
from core.machine.mounts import read_mounts
from core.machine.reading import NOT_PRESENT, Known, Reading, Unknown
from core.machine.tree import Tree

# The kernel's spelling -> ours.
_FEATURES: Final = {
    "avx2": "avx2",
    "avx512f": "avx512f",
    "avx512_bf16": "avx512_bf16",
    "avx512_vnni": "avx512_vnni",
    "avx_vnni": "avx_vnni",
    "amx_tile": "amx_tile",
    "amx_bf16": "amx_bf16",
    "amx_int8": "amx_int8",
    "asimd": "asimd",
    "bf16": "bf16",
    "i8mm": "i8mm",
    "sve": "sve",
}
_FLAGS = re.compile(r"^(?:flags|Features)\s*:\s*(.*)$", re.MULTILINE)
_NAME = re.compile(r"^(?:model name|Model|Hardware)\s*:\s*(.*)$", re.MULTILINE)
_NODE_TOTAL = re.compile(r"MemTotal:\s+(\d+) kB")


def read_cpu(tree: Tree) -> Cpu:
    """Costs a few milliseconds; nothing in it changes while the computer runs except the cores we may use."""
    info = tree.text("/proc/cpuinfo").or_none() or ""
    flags = _FLAGS.search(info)
    name = _NAME.search(info)
    present = set(flags[1].split()) if flags else set[str]()
    return Cpu(
        name=name[1].strip() if name else platform.processor() or platform.machine(),
        architecture=platform.machine(),
        physical_cores=_physical(tree),
        logical_cores=_logical(tree),
        usable_cores=usable_cores(tree),
        features=frozenset(ours for kernel, ours in _FEATURES.items() if kernel in present),
        numa=_numa(tree),
    )


def _logical(tree: Tree) -> Reading[int]:
    online = tree.text("/sys/devices/system/cpu/online").or_none()
    if online:
        return Known(len(listed(online)))
    count = psutil.cpu_count() if tree.real else None
    return NOT_PRESENT if count is None else Known(count)


def _physical(tree: Tree) -> Reading[int]:
    cores: set[tuple[str, str]] = set()
    for number in listed(tree.text("/sys/devices/system/cpu/online").or_none() or ""):
        topology = f"/sys/devices/system/cpu/cpu{number}/topology"
        core = tree.text(f"{topology}/core_id").or_none()
        package = tree.text(f"{topology}/physical_package_id").or_none()
        if core is None or package is None:
            break
        cores.add((package, core))
    if cores:
        return Known(len(cores))
    count = psutil.cpu_count(logical=False) if tree.real else None
    return NOT_PRESENT if count is None else Known(count)


def usable_cores(tree: Tree) -> Reading[float]:
    """Cores after CPU affinity and the tightest cgroup quota."""
    allowed = re.search(r"^Cpus_allowed_list:\s*(\S+)", tree.text("/proc/self/status").or_none() or "", re.MULTILINE)
    if allowed:
        count: float = len(listed(allowed[1]))
    elif tree.real:
        count = os.cpu_count() or 0
    else:
        return NOT_PRESENT
    quota = _quota(tree)
    count = count if quota is None else min(count, quota)
    return Known(count) if count else NOT_PRESENT


def _quota(tree: Tree) -> float | None:
    """cpu.max of cgroup v2 or cpu.cfs_quota_us of v1, at our cgroup and everything above it that is visible."""
    quotas: list[float] = []
    lines = (tree.text("/proc/self/cgroup").or_none() or "").splitlines()
    for mount in read_mounts(tree):
        if mount.filesystem == "cgroup2":
            path = next((line[3:] for line in lines if line.startswith("0::")), "")
        elif mount.filesystem == "cgroup" and "cpu" in mount.options:
            path = next((line.split(":", 2)[2] for line in lines if "cpu" in line.split(":")[1].split(",")), "")
        else:
            continue
        inside = path.removeprefix(mount.root.rstrip("/")).rstrip("/")
        folder = mount.point + inside if tree.exists(mount.point + inside) else mount.point
        while len(folder) >= len(mount.point):
            quotas += _quota_in(folder, tree)
            folder = folder.rpartition("/")[0]
    return min(quotas, default=None)


def _quota_in(folder: str, tree: Tree) -> list[float]:
    both = (tree.text(f"{folder}/cpu.max").or_none() or "").split()
    if len(both) == 2 and both[0].isdecimal():
        return [int(both[0]) / int(both[1])]
    quota = tree.integer(f"{folder}/cpu.cfs_quota_us").or_none()
    period = tree.integer(f"{folder}/cpu.cfs_period_us").or_none()
    return [quota / period] if quota and period and quota > 0 else []


def _numa(tree: Tree) -> tuple[NumaNode, ...]:
    nodes: list[NumaNode] = []
    for number in listed(tree.text("/sys/devices/system/node/online").or_none() or ""):
        text = tree.text(f"/sys/devices/system/node/node{number}/meminfo")
        found = None if isinstance(text, Unknown) else _NODE_TOTAL.search(text.value)
        total = NOT_PRESENT if found is None else Known(int(found[1]) * 1024)
        nodes.append(NumaNode(number, total))
    return tuple(nodes)


def listed(text: str) -> list[int]:
    """The kernel's list format: "0-3,8" -> [0, 1, 2, 3, 8]."""
    numbers: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if first.isdecimal() and (not dash or last.isdecimal()):
            numbers += range(int(first), int(last or first) + 1)
    return numbers
