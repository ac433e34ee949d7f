"""How much memory vLLM set aside for the KV cache, from its log. Pure functions of text.

Wordings: the CPU worker's "Explicitly set (1.0/15.96) GiB for KV cache on node 0." (0.32 CPU build, as recorded in
`tests/data/engine-logs`; "Auto set" where no size was asked for), and the GPU worker's "Available KV cache memory:
4.50 GiB" (0.10 to 0.33 as read in `v1/worker/gpu_worker.py`), which it takes whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

GIB: Final = 1 << 30
_ON_CPU: Final = re.compile(r"(?:Explicitly|Auto) set \(([\d.]+)/[\d.]+\) GiB for KV cache(?: on node (\d+))?")
_ON_GPU: Final = re.compile(r"Available KV cache memory: ([\d.]+) GiB")
_WORKER: Final = re.compile(r"^\(([^)]*)\)")


@dataclass(frozen=True, slots=True)
class KvReserved:
    """Bytes: `ram_bytes` by a CPU worker, over all NUMA nodes; `gpu_bytes` one figure per GPU worker, in the log's
    order."""

    ram_bytes: int = 0
    gpu_bytes: tuple[int, ...] = ()


def kv_reserved(lines: Iterable[str]) -> KvReserved:
    """What the workers of one start said. A worker that says it again has thought better of it: the last one counts."""
    on_nodes: dict[str, int] = {}
    on_workers: dict[str, int] = {}
    for line in lines:
        if "KV cache" not in line:
            continue
        worker = _WORKER.match(line)
        name = worker[1] if worker else ""
        if match := _ON_CPU.search(line):
            on_nodes[f"{name} {match[2]}"] = round(float(match[1]) * GIB)
        elif match := _ON_GPU.search(line):
            on_workers[name] = round(float(match[1]) * GIB)
    return KvReserved(sum(on_nodes.values()), tuple(on_workers.values()))
