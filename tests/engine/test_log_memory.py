"""What vLLM says that it set aside for the KV cache, and how full it says that is."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.engine.log_memory import MemorySaid, OnGpu, memory_said
from core.engine.metrics import kv_used, parse

LOGS = Path(__file__).parents[1] / "data" / "engine-logs"
GIB = 1 << 30


@pytest.mark.parametrize("name", ["ok_eager_chat", "ok_compiled", "kvoffload_on_cpu"])
def test_recorded_starts_on_the_cpu_set_one_gib_aside(name: str) -> None:
    assert memory_said((LOGS / f"{name}.log").read_text("utf-8").splitlines()) == MemorySaid(GIB)


def test_a_start_that_failed_before_sets_nothing_aside() -> None:
    assert memory_said((LOGS / "badpath.log").read_text("utf-8").splitlines()) == MemorySaid()


def test_nodes_add_up_and_the_last_word_of_a_worker_counts() -> None:
    lines = [
        "(Worker pid=1) INFO 11-29 20:47:50 [cpu_worker.py:260] Auto set (4.5/15.96) GiB for KV cache on node 0.",
        "(Worker pid=2) INFO 11-29 20:47:50 [cpu_worker.py:260] Auto set (4.0/15.96) GiB for KV cache on node 1.",
        "(Worker pid=2) INFO 11-29 20:47:51 [cpu_worker.py:260] Auto set (3.5/15.96) GiB for KV cache on node 1.",
    ]
    assert memory_said(lines) == MemorySaid(8 * GIB)


def test_gpu_workers_each_have_their_own() -> None:
    lines = [
        "(Worker_TP0 pid=7) INFO 11-29 20:47:40 [r.py:1] Model loading took 5.75 GiB memory and 3.2 seconds",
        "(Worker_TP1 pid=8) INFO 11-29 20:47:40 [r.py:1] Model loading took 5.5 GiB and 3.2 seconds",
        "(Worker_TP0 pid=7) INFO 11-29 20:47:50 [gpu_worker.py:298] Available KV cache memory: 4.50 GiB",
        "(Worker_TP1 pid=8) INFO 11-29 20:47:50 [gpu_worker.py:298] Available KV cache memory: 4.25 GiB",
        "(EngineCore pid=9) INFO 11-29 20:47:50 [kv_cache_utils.py:864] GPU KV cache size: 46,592 tokens",
        "(Worker_TP0 pid=7) INFO 11-29 20:47:55 [r.py:1] Graph capturing finished in 5 secs, took 0.25 GiB",
    ]
    assert memory_said(lines) == MemorySaid(
        gpus=(OnGpu(round(4.5 * GIB), round(10.5 * GIB)), OnGpu(round(4.25 * GIB), round(9.75 * GIB)))
    )
    assert memory_said(lines[:2]) == MemorySaid(), "nothing is known before the KV cache is there"


def test_the_share_in_use_by_either_name_and_over_engines() -> None:
    assert kv_used(parse("vllm:gpu_cache_usage_perc 0.5\n")) == 0.5
    two = 'vllm:kv_cache_usage_perc{engine="0"} 0.2\nvllm:kv_cache_usage_perc{engine="1"} 0.4\n'
    assert kv_used(parse(two)) == pytest.approx(0.3)
    assert kv_used(parse("vllm:kv_cache_usage_perc 1.7\n")) == 1.0
    assert kv_used(parse("vllm:num_requests_running 1.0\n")) is None
