"""What a server's processes hold in RAM, from `/proc`. Linux only; elsewhere nothing is known."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from core.engine.process_tree import descendants

_FIELDS: Final = ("VmRSS", "VmLck", "VmPin", "VmSwap")
KIB: Final = 1024


@dataclass(frozen=True, slots=True)
class TreeMemory:
    """Bytes over all processes: resident (shared pages count once per process), locked or pinned, swapped out."""

    ram_bytes: int = 0
    pinned_bytes: int = 0
    swapped_bytes: int = 0


def tree_memory(root: int) -> TreeMemory:
    """The sum over every living process below `root`. Reads `/proc`: not for the loop's thread."""
    rows = [_status(process.pid) for process in descendants(root)]
    return TreeMemory(
        ram_bytes=sum(row["VmRSS"] for row in rows),
        pinned_bytes=sum(row["VmLck"] + row["VmPin"] for row in rows),
        swapped_bytes=sum(row["VmSwap"] for row in rows),
    )


def _status(pid: int) -> dict[str, int]:
    found: dict[str, int] = {name: 0 for name in _FIELDS}
    try:
        text = Path(f"/proc/{pid}/status").read_text("utf-8", "replace")
    except OSError:
        return found
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name in found:
            found[name] = int(value.split()[0]) * KIB
    return found
