"""How much memory vLLM took, from its log, as the budget of the computer counts it. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from core.engine.facts_reader import read_facts


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
    """What the workers of one start said."""
    facts = read_facts(lines)
    gpus = tuple(
        OnGpu(worker.kv_bytes, worker.kv_bytes + (worker.model_bytes or 0) + (worker.graph_bytes or 0))
        for worker in facts.workers
        if worker.kv_bytes is not None
    )
    return MemorySaid(facts.ram_kv_bytes, gpus)
