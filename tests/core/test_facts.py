"""What is read out of a log: real ones of 0.32 on a CPU, crafted ones of GPU builds from 0.8.5 to 0.33."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.engine.facts import GIB, LaunchFacts
from core.engine.facts_reader import GB, FactsReader, read_facts

LOGS = Path(__file__).parents[1] / "data" / "engine-logs"


def recorded(name: str) -> list[str]:
    return (LOGS / f"{name}.log").read_text("utf-8").splitlines()


def gib(amount: float) -> int:
    return round(amount * GIB)


def test_a_recorded_start_on_a_cpu() -> None:
    facts = read_facts(recorded("ok_eager_chat"))
    assert (facts.version, facts.engine, facts.architecture) == ("0.32.0", "V1", "LlamaForCausalLM")
    assert (facts.dtype, facts.quantization, facts.kv_cache_dtype, facts.device) == ("bfloat16", "", "auto", "cpu")
    assert (facts.max_model_len, facts.tensor_parallel, facts.served_name) == (2048, 1, "smollm2")
    assert (facts.enforce_eager, facts.prefix_caching, facts.runner) == (True, True, "V1")
    assert (facts.kv_tokens, facts.concurrency, facts.kv_bytes) == (46_592, 22.75, GIB)
    assert (facts.model_bytes, facts.graph_bytes, facts.offloaded_bytes) == (None, None, None)
    assert (facts.load_s, facts.init_s) == (0.79, 3.28)
    assert facts.was_accepted("max_model_len") == "2048"
    assert facts.was_accepted("max_num_seqs") is None


def test_a_compiled_start_and_one_with_an_offload_that_did_nothing() -> None:
    assert read_facts(recorded("ok_compiled")).enforce_eager is False
    facts = read_facts(recorded("offload_on_cpu"))
    assert facts.offloader == "UVAOffloader"  # said even though nothing was moved
    assert facts.offloaded_bytes is None
    assert facts.was_accepted("cpu_offload_gb") == "0.1"
    assert "UVAOffloader" in facts.lines("offloader")[0]


def test_the_offload_that_made_the_engine_exit() -> None:
    facts = read_facts(recorded("kvoffload_on_cpu"))
    assert (facts.kv_connector, facts.kv_offload_spec) == ("OffloadingConnector", "CPUOffloadingSpec")
    assert facts.kv_region_bytes is None


# One wording each of the versions that were read; the prefix varies as it does there.
V085 = """\
INFO 05-01 10:00:00 [api_server.py:1043] vLLM API server version 0.8.5
INFO 05-01 10:00:02 [core.py:58] Initializing a V1 LLM engine (v0.8.5) with config: model='m', dtype=torch.float16, \
max_seq_len=8192, tensor_parallel_size=1, quantization=awq_marlin, enforce_eager=False, kv_cache_dtype=auto, \
device_config=cuda, served_model_name=m, enable_prefix_caching=True, x
INFO 05-01 10:00:03 [cuda.py:221] Using Flash Attention backend on V1 engine.
INFO 05-01 10:00:09 [gpu_model_runner.py:1347] Model loading took 5.2013 GiB and 4.1 seconds
INFO 05-01 10:00:29 [monitor.py:33] torch.compile takes 18.01 s in total
INFO 05-01 10:00:31 [kv_cache_utils.py:634] GPU KV cache size: 112,464 tokens
INFO 05-01 10:00:31 [kv_cache_utils.py:637] Maximum concurrency for 8,192 tokens per request: 13.73x
INFO 05-01 10:00:51 [gpu_model_runner.py:1686] Graph capturing finished in 20 secs, took 0.54 GiB
INFO 05-01 10:00:51 [core.py:159] init engine (profile, create kv cache, warmup model) took 41.98 seconds"""
V021 = """\
(APIServer pid=1) INFO 05-01 10:00:00 [api_utils.py:1] vLLM API server version 0.21.0
(EngineCore pid=2) INFO 05-01 10:00:02 [core.py:1] Initializing a V1 LLM engine (v0.21.0) with config: model='m', \
dtype=torch.bfloat16, max_seq_len=32768, tensor_parallel_size=2, quantization=None, enforce_eager=False, \
kv_cache_dtype=fp8_e4m3, device_config=cuda, served_model_name=m, enable_prefix_caching=False, x
(Worker_TP0 pid=3) INFO 05-01 10:00:03 [cuda.py:3] Using FLASH_ATTN attention backend out of potential backends: []
(Worker_TP0 pid=3) INFO 05-01 10:00:03 [base.py:3] Offloader set to UVAOffloader
(Worker_TP0 pid=3) INFO 05-01 10:00:05 [uva.py:69] Total CPU offloaded parameters: 3.01
(Worker_TP1 pid=4) INFO 05-01 10:00:05 [uva.py:69] Total CPU offloaded parameters: 3.01
(Worker_TP0 pid=3) INFO 05-01 10:00:06 [uva.py:69] Total CPU offloaded parameters: 4.02
(Worker_TP1 pid=4) INFO 05-01 10:00:06 [uva.py:69] Total CPU offloaded parameters: 4.00
(Worker_TP0 pid=3) INFO 05-01 10:00:09 [r.py:1] Model loading took 5.70 GiB memory and 3.2 seconds
(Worker_TP1 pid=4) INFO 05-01 10:00:09 [r.py:1] Model loading took 5.68 GiB memory and 3.2 seconds
(Worker_TP0 pid=3) INFO 05-01 10:00:29 [monitor.py:33] torch.compile took 18.01 s in total
(Worker_TP0 pid=3) INFO 05-01 10:00:31 [gpu_worker.py:1] Available KV cache memory: 4.50 GiB
(Worker_TP1 pid=4) INFO 05-01 10:00:31 [gpu_worker.py:1] Available KV cache memory: 4.52 GiB
(EngineCore pid=2) INFO 05-01 10:00:31 [kv_cache_utils.py:1] GPU KV cache size: 1,048,576 tokens
(EngineCore pid=2) INFO 05-01 10:00:31 [kv_cache_utils.py:1] Maximum concurrency for 32,768 tokens per request: 32.00x
(Worker_TP0 pid=3) INFO 05-01 10:00:51 [r.py:1] Graph capturing finished in 20 secs, took 0.54 GiB
(EngineCore pid=2) INFO 05-01 10:00:51 [core.py:1] init engine (profile, create kv cache, warmup model) took 41.9 s \
(compilation: 18.01 s)"""
V033 = """\
(APIServer pid=1) INFO 11-01 10:00:00 [api_utils.py:347]  ▄▄ ▄█ █     █     █ ▀▄▀ █  version 0.33.0
(EngineCore pid=2) INFO 11-01 10:00:02 [core.py:1] Initializing a V1 LLM engine (v0.33.0) with config: model='m', x
(Worker pid=3) INFO 11-01 10:00:03 [gpu_worker.py:518] Using V2 Model Runner
(Worker pid=3) INFO 11-01 10:00:03 [cuda.py:446] Using AttentionBackendEnum.FLASHINFER backend.
(Worker pid=3) INFO 11-01 10:00:04 [p.py:381] [PrefetchOffloader] Initialized 12 modules. Total GPU memory saved: \
2.5000 GB, Static buffer pool: 0.2100 GB (group_size=4, num_in_group=1, prefetch_step=1, mode=x)
(Worker pid=3) INFO 11-01 10:00:04 [n.py:244] Initialized PLE embedding model.ple: quantization_method=Fp8, \
weight_dtype=torch.float8_e4m3fn, weight_device=cpu, pinned=True
(Worker pid=3) INFO 11-01 10:00:05 [factory.py:57] Creating offloading spec with name: CPUOffloadingSpec
(Worker pid=3) INFO 11-01 10:00:05 [s.py:143] Created mmap file /dev/shm/vllm_offload_ab12.mmap (8.59 GB)
(Worker pid=3) INFO 11-01 10:00:09 [r.py:1] Model loading took 10.01 GiB memory and 3.2 seconds
(EngineCore pid=2) INFO 11-01 10:00:31 [k.py:1] GPU KV cache size: 46,592 tokens, Maximum concurrency for 2,048 \
tokens per request: 22.75x
(Worker pid=3) WARNING 11-01 10:00:31 [k.py:1] Pinned memory is not available on this platform; falling back"""


def test_0_8_5_on_one_gpu() -> None:
    facts = read_facts(V085.splitlines())
    assert (facts.version, facts.dtype, facts.quantization) == ("0.8.5", "float16", "awq_marlin")
    assert (facts.attention_backend, facts.compile_s) == ("Flash Attention", 18.01)
    assert (facts.model_bytes, facts.graph_bytes) == (gib(5.2013), gib(0.54))
    assert (facts.kv_tokens, facts.concurrency, facts.init_s) == (112_464, 13.73, 41.98)


def test_0_21_on_two_gpus_counts_each_worker_once_and_its_last_word() -> None:
    facts = read_facts(V021.splitlines())
    assert (facts.version, facts.tensor_parallel, facts.kv_cache_dtype) == ("0.21.0", 2, "fp8_e4m3")
    assert (facts.quantization, facts.prefix_caching, facts.attention_backend) == ("", False, "FLASH_ATTN")
    assert [worker.name for worker in facts.workers] == ["Worker_TP0 pid=3", "Worker_TP1 pid=4"]
    assert facts.offloaded_bytes == gib(4.02) + gib(4.00)
    assert facts.model_bytes == gib(5.70) + gib(5.68)
    assert facts.kv_bytes == gib(4.50) + gib(4.52)
    assert (facts.kv_tokens, facts.concurrency, facts.compile_s, facts.init_s) == (1_048_576, 32.0, 18.01, 41.9)


def test_0_33_with_tables_a_region_and_prefetch() -> None:
    facts = read_facts(V033.splitlines())
    assert (facts.version, facts.runner, facts.attention_backend) == ("0.33.0", "V2", "FLASHINFER")
    assert facts.offloaded_bytes == round(2.5 * GB)
    assert (facts.ple_device, facts.ple_pinned) == ("cpu", True)
    assert (facts.kv_region_path, facts.kv_region_bytes) == ("/dev/shm/vllm_offload_ab12.mmap", round(8.59 * GB))
    assert (facts.kv_tokens, facts.concurrency) == (46_592, 22.75)
    assert facts.warnings == ("no_pinned_memory",)


BROKEN = [
    "(EngineCore pid=2) INFO 11-01 10:00:31 [k.py:1] GPU KV cache size: 1,046,592",
    "(EngineCore pid=2) INFO 11-01 10:00:31 [k.py:1] tokens, Maximum concurrency for 2,048 tokens per",
    "request: 22.75x",
]


@pytest.mark.parametrize("batch", [1, 2, 3])
def test_a_message_that_goes_on_in_the_next_line_even_in_another_batch(batch: int) -> None:
    reader = FactsReader()
    changed = [reader.feed(BROKEN[at : at + batch]) for at in range(0, len(BROKEN), batch)]
    assert any(changed)
    assert (reader.facts.kv_tokens, reader.facts.concurrency) == (1_046_592, 22.75)


def test_lines_that_say_nothing_change_nothing() -> None:
    reader = FactsReader()
    assert not reader.feed(recorded("badflag"))
    assert reader.facts == LaunchFacts()


def test_an_earlier_try_on_the_same_reader_does_not_count_twice() -> None:
    lines = recorded("ok_eager_chat")
    assert read_facts([*lines, *lines]).kv_bytes == GIB
    again = [line.replace("pid=", "pid=1") for line in V021.splitlines()]
    echo = "(APIServer pid=1) INFO 05-01 10:00:00 [api_utils.py:1] non-default args: {'model': 'm'}"
    assert read_facts([echo, *V021.splitlines(), echo, *again]).model_bytes == gib(5.70) + gib(5.68)
