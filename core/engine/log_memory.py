"""How much memory vLLM took, from its log. Pure functions of text.

Wordings: the CPU worker's "Explicitly set (1.0/15.96) GiB for KV cache on node 0." (0.32 CPU build, as recorded in
`tests/data/engine-logs`; "Auto set" where no size was asked for). The GPU worker's "Model loading took 5.70 GiB memory
and 3.2 seconds", "Available KV cache memory: 4.50 GiB", which it takes whole, and "Graph capturing finished in 20 secs,
took 0.54 GiB" (0.32, `v1/worker/gpu_worker.py` and `gpu_model_runner.py`; the same in 0.10 to 0.33 but for " memory").
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

GIB: Final = 1 << 30
_ON_CPU: Final = re.compile(r"(?:Explicitly|Auto) set \(([\d.]+)/[\d.]+\) GiB for KV cache(?: on node (\d+))?")
_KV: Final = re.compile(r"Available KV cache memory: ([\d.]+) GiB")
_WEIGHTS: Final = re.compile(r"Model loading took ([\d.]+) GiB")
_GRAPHS: Final = re.compile(r"Graph capturing finished in [\d.]+ secs, took ([\d.]+) GiB")
_WORKER: Final = re.compile(r"^\(([^)]*)\)")


@dataclass(frozen=True, slots=True)
class OnGpu:
    """One GPU worker's bytes: its KV cache, and all that it told of (weights, KV cache, graphs; not CUDA's own)."""

    kv_bytes: int
    stated_bytes: int


@dataclass(frozen=True, slots=True)
class MemorySaid:
    """Bytes: `ram_kv_bytes` set aside by a CPU worker, over all NUMA nodes; `gpus` in the log's order."""

    ram_kv_bytes: int = 0
    gpus: tuple[OnGpu, ...] = ()


def memory_said(lines: Iterable[str]) -> MemorySaid:
    """What the workers of one start said. A worker that says it again has thought better of it: the last one counts."""
    on_nodes: dict[str, int] = {}
    on_gpus: dict[str, dict[str, int]] = {}
    for line in lines:
        if "GiB" not in line:
            continue
        worker = _WORKER.match(line)
        name = worker[1] if worker else ""
        if match := _ON_CPU.search(line):
            on_nodes[f"{name} {match[2]}"] = _bytes(match[1])
        for part, pattern in (("kv", _KV), ("weights", _WEIGHTS), ("graphs", _GRAPHS)):
            if match := pattern.search(line):
                on_gpus.setdefault(name, {})[part] = _bytes(match[1])
    gpus = tuple(OnGpu(parts["kv"], sum(parts.values())) for parts in on_gpus.values() if "kv" in parts)
    return MemorySaid(sum(on_nodes.values()), gpus)


def _bytes(gib: str) -> int:
    return round(float(gib) * GIB)
