"""The server's counters at one moment, out of its `/metrics` page, and what happened between two of them. Pure.

Names: vLLM 0.32; up to 0.8.5 the prefix cache's begin with `gpu_`. A counter that a build does not have is 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from core.engine.metrics import GENERATED, RUNNING, Metrics, kv_used
from core.engine.ple_proof import Counted

WAITING: Final = "vllm:num_requests_waiting"
PROMPT: Final = "vllm:prompt_tokens_total"
PREEMPTIONS: Final = "vllm:num_preemptions_total"
CACHE_CONFIG: Final = "vllm:cache_config_info"


@dataclass(frozen=True, slots=True)
class Counters:
    """Tokens and bytes since the server began; `running`, `waiting` and `kv_used` (0-1) are of the moment.

    `kv_stored_bytes`, `kv_loaded_bytes`: KV cache that went to RAM and came back. `at_s`: when it was read, on any one
    clock. `table`: lookups in a per-layer table that Stowage's plugin keeps, None where there is none.
    """

    at_s: float = 0.0
    prefix_queries: float = 0.0
    prefix_hits: float = 0.0
    outer_queries: float = 0.0
    outer_hits: float = 0.0
    kv_stored_bytes: float = 0.0
    kv_loaded_bytes: float = 0.0
    prompt_tokens: float = 0.0
    generated_tokens: float = 0.0
    preemptions: float = 0.0
    running: int = 0
    waiting: int = 0
    kv_used: float | None = None
    table: Counted | None = None


def counters_of(metrics: Metrics, at_s: float) -> Counters:
    def value(*names: str) -> float:
        found = (metrics.value(name) for name in names)
        return next((number for number in found if number is not None), 0.0)

    return Counters(
        at_s=at_s,
        prefix_queries=value("vllm:prefix_cache_queries_total", "vllm:gpu_prefix_cache_queries_total"),
        prefix_hits=value("vllm:prefix_cache_hits_total", "vllm:gpu_prefix_cache_hits_total"),
        outer_queries=value("vllm:external_prefix_cache_queries_total"),
        outer_hits=value("vllm:external_prefix_cache_hits_total"),
        kv_stored_bytes=value("vllm:kv_offload_store_bytes_total", "vllm:kv_offload_store_bytes"),
        kv_loaded_bytes=value("vllm:kv_offload_load_bytes_total", "vllm:kv_offload_load_bytes"),
        prompt_tokens=value(PROMPT),
        generated_tokens=value(GENERATED),
        preemptions=value(PREEMPTIONS),
        running=int(value(RUNNING)),
        waiting=int(value(WAITING)),
        kv_used=kv_used(metrics),
    )


def cache_config(metrics: Metrics) -> dict[str, str]:
    """The labels of `vllm:cache_config_info`: what the engine's cache really is ("enable_prefix_caching": "True")."""
    return next((dict(sample.labels) for sample in metrics.samples if sample.name == CACHE_CONFIG), dict[str, str]())
