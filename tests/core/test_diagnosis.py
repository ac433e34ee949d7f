# ruff: noqa: E501 - log lines stay as vLLM writes them
"""Root causes: of recorded failures, of every kind of public report (groups B, C), of every wording of the dossier."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.codes import CODES
from core.engine.causes.cause import GIB
from core.engine.diagnosis import CAUSES, PREFIX, Diagnosis, Ending, diagnose
from core.errors import Fact

LOGS = Path(__file__).parents[1] / "data" / "engine-logs"
WORKER = "(Worker_TP0 pid=7) ERROR 11-01 10:00:00 [w.py:1] "
CORE = "(EngineCore pid=5) ERROR 11-01 10:00:00 [core.py:1] "
# What follows every failure, whatever it was.
ECHO = [
    CORE + "EngineCore failed to start.",
    "Traceback (most recent call last):",
    '  File "/engine/vllm/v1/engine/utils.py", line 1431, in wait_for_engine_startup',
    "    raise RuntimeError(",
    "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}",
]


def recorded(name: str) -> list[str]:
    return (LOGS / f"{name}.log").read_text("utf-8").splitlines()


def cause_of(*lines: str, ending: Ending | None = None) -> tuple[str, dict[str, Fact]]:
    found = diagnose([*lines, *ECHO], ending)
    assert found is not None, lines
    return found.code.removeprefix(PREFIX), dict(found.facts)


@pytest.mark.parametrize(
    ("name", "code", "facts", "evidence"),
    [
        ("badflag", "unknown_flag", {"flag": "--swap-space"}, "unrecognized arguments: --swap-space"),
        ("badpath", "model_not_found", {"model": "./nope"}, "Repo id must use alphanumeric chars"),
        ("hub_offline", "not_cached", {}, "Cannot find an appropriate cached snapshot folder"),
        ("kvoffload_on_cpu", "kv_offload_unsupported", {}, "only supported on CUDA-alike and XPU GPUs"),
        ("kvsmall", "whole_gib", {"value": "0.01"}, "invalid literal for int()"),
        (
            "kvtiny",
            "kv_too_small",
            {"context": 8192, "needed_bytes": round(0.18 * GIB), "available_bytes": round(0.02 * GIB), "largest": 1152},
            "To serve at least one request",
        ),
        (
            "shardmissing",
            "shard_missing",
            {"file": "model-00002-of-00002.safetensors"},
            "referenced in index but missing",
        ),
        ("toolong", "context_too_long", {"context": 999_999, "limit": 8192}, "User-specified max_model_len (999999)"),
    ],
)
def test_recorded_failures(name: str, code: str, facts: dict[str, Fact], evidence: str) -> None:
    found = diagnose(recorded(name))
    assert found is not None
    assert (found.code, found.facts) == (PREFIX + code, facts)
    assert evidence in found.evidence[0]


def test_a_recorded_port_that_was_taken() -> None:
    found = diagnose(recorded("portbusy"))
    assert found is not None
    assert found.code == "server.port_taken"


@pytest.mark.parametrize("name", ["ok_compiled", "ok_eager_chat", "offload_on_cpu"])
def test_a_server_that_ran_and_was_stopped_has_no_cause(name: str) -> None:
    assert diagnose(recorded(name)) is None


KV = "ValueError: To serve at least one request with the model"


@pytest.mark.parametrize(
    ("line", "code", "facts"),
    [
        # --- B: memory
        (
            "ValueError: Free memory on device cuda:0 (30.12/31.84 GiB) on startup is less than desired GPU memory"
            " utilization (0.95, 30.25 GiB). Decrease GPU memory utilization",
            "gpu_busy",
            {
                "free_bytes": round(30.12 * GIB),
                "total_bytes": round(31.84 * GIB),
                "wanted_bytes": round(30.25 * GIB),
            },
        ),
        (
            f"{KV}s's max seq len (262144), (24.0 GiB KV cache is needed, which is larger than the available KV cache memory"
            " (3.18 GiB). Based on the available memory, the estimated maximum model length is 34736. Try",
            "kv_too_small",
            {
                "context": 262_144,
                "needed_bytes": 24 * GIB,
                "available_bytes": round(3.18 * GIB),
                "largest": 34_736,
            },
        ),
        (
            f"{KV}'s max seq len (196608), 23.25 GiB KV cache is needed, which is larger than the available KV cache memory"
            " (22.5 GiB). Based on the available memory, the estimated maximum model length is 190,272.",
            "kv_too_small",
            {
                "context": 196_608,
                "needed_bytes": round(23.25 * GIB),
                "available_bytes": round(22.5 * GIB),
                "largest": 190_272,
            },
        ),
        (
            "ValueError: The model's max seq len (32768) is larger than the maximum number of tokens that can be stored in KV"
            " cache (9,104). Try increasing",
            "kv_too_small",
            {"context": 32_768, "largest": 9104},
        ),
        ("ValueError: No available memory for the cache blocks. Try increasing", "no_kv_room", {}),
        ("ValueError: Cannot auto-fit max_model_len: not even one token", "no_kv_room", {}),
        (
            "AssertionError: Error in memory profiling. Initial free memory 30.3 GiB, current free memory 30.3 GiB. This",
            "gpu_memory_moved",
            {},
        ),
        ("ValueError: The worker already uses 9.1 GiB, which is less than requested memory for kv", "cpu_kv_room", {}),
        (
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 136.00 MiB. GPU 0 has a total capacity of 15.6",
            "gpu_memory",
            {"wanted": "136.00 MiB"},
        ),
        ("RuntimeError: Failed to load model - not enough GPU memory. Try", "gpu_memory", {}),
        ("RuntimeError: Insufficient space in /dev/shm for CPU KV offload shared region", "shm_small", {}),
        ("RuntimeError: [enforce fail at alloc_cpu.cpp:118] DefaultCPUAllocator: not enough memory", "ram_refused", {}),
        ("RuntimeError: Too large swap space. 8.00 GiB out of the 9.7 GiB total CPU memory", "swap_too_large", {}),
        # --- B: options
        (
            "ValueError: User-specified max_model_len (131072) is greater than the derived max_model_len"
            " (max_position_embeddings=8192 or model_max_length=None in model's config.json).",
            "context_too_long",
            {"context": 131_072, "limit": 8192},
        ),
        ("api_server.py: error: unrecognized arguments: --swap-space 4", "unknown_flag", {"flag": "--swap-space"}),
        (
            "api_server.py: error: argument --max-num-seqs: invalid int value: 'many'",
            "bad_value",
            {"option": "--max-num-seqs", "reason": "invalid int value: 'many'"},
        ),
        ("AssertionError: Cannot re-initialize the input batch when CPU weight offloading is enabled", "offload_hybrid", {}),
        ("RuntimeError: b_q_weight is not on GPU", "offload_quantized", {}),
        ("ValueError: EngramConfig requires a model with supported Engram embeddings", "ple_not_this_model", {}),
        ("RuntimeError: Engram CPU offload requires UVA support", "ple_no_uva", {}),
        ('ValueError: kv_offload_backend="disk" requires disk_path to be set.', "kv_disk_path", {}),
        (
            "ValueError: max_num_batched_tokens (2048) is smaller than max_model_len (131072). This",
            "batch_too_small",
            {"batch": 2048, "context": 131_072},
        ),
        (
            "ValueError: Total number of attention heads (14) must be divisible by tensor parallel size (4).",
            "parallel_heads",
            {"heads": 14, "parallel": 4},
        ),
        (
            "ValueError: World size (2) is larger than the number of available GPUs (1) in this node.",
            "too_few_gpus",
            {"wanted": 2, "found": 1},
        ),
        (
            "ValueError: Quantization method specified in the model config (awq) does not match the quantization method"
            " specified in the `quantization` argument (gptq).",
            "quantization_mismatch",
            {"config": "awq", "argument": "gptq"},
        ),
        ("ValueError: No valid attention backend found for cuda with", "no_attention_backend", {}),
        # --- B: model
        (
            "ValueError: Model architectures ['Qwen3ForCausalLM'] are not supported for now. Supported",
            "architecture_unknown",
            {"architecture": "Qwen3ForCausalLM"},
        ),
        (
            "ValueError: Model architectures ['LlamaForCausalLM'] failed to be inspected. Please check the logs",
            "architecture_broken",
            {"architecture": "LlamaForCausalLM"},
        ),
        (
            "ValueError: Model architecture MPTForCausalLM was supported in vLLM until v0.12.0, and is not supported anymore",
            "architecture_removed",
            {"architecture": "MPTForCausalLM", "version": "0.12.0"},
        ),
        (
            "ValueError: Unrecognized model in Qwen/Qwen3-0.6B-GGUF. Should have a `model_type` key in its config.json",
            "gguf_plugin",
            {},
        ),
        (
            "ValueError: The checkpoint you are trying to load has model type `qwen9` but Transformers does not recognize this"
            " architecture.",
            "architecture_unknown",
            {"architecture": "qwen9"},
        ),
        (
            "OSError: Cannot access gated repo for url https://huggingface.co/meta-llama/Llama-3.1-8B/resolve/main/config.json",
            "gated",
            {"model": "meta-llama/Llama-3.1-8B"},
        ),
        ("requests.exceptions.HTTPError: 401 Client Error: Unauthorized for url", "unauthorized", {}),
        ("OSError: nope/none is not a local folder and is not a valid model identifier", "model_not_found",
         {"model": "nope/none"}),
        ("OSError: We couldn't connect to 'https://huggingface.co' to load the files", "not_cached", {}),
        (
            "FileNotFoundError: [Errno 2] No such file or directory: '/m/model-00002-of-00003.safetensors'",
            "shard_missing",
            {"file": "/m/model-00002-of-00003.safetensors"},
        ),
        ("RuntimeError: Cannot find any model weights with `/models/x`", "weights_missing", {"path": "/models/x"}),
        ("safetensors_rust.SafetensorError: Error while deserializing header: MetadataIncompleteBuffer",
         "weights_broken", {}),
        ("KeyError: 'model.layers.0.self_attn.q_proj.weight'", "weights_mismatch",
         {"name": "model.layers.0.self_attn.q_proj.weight"}),
        ("ValueError: x contains custom code which must be executed; set `trust_remote_code=True`", "remote_code", {}),
        ("OSError: Can't load tokenizer for '/m'.", "tokenizer", {}),
        ("ValueError: As of transformers v4.44, default chat template is no longer allowed", "no_chat_template", {}),
        (
            "ValueError: The quantization method fp8 is not supported for the current GPU. Minimum capability: 90. Current"
            " capability: 86.",
            "quantization_gpu",
            {"method": "fp8", "needed": 90, "found": 86},
        ),
        ("ValueError: Unknown quantization method: bitsandbytes. Must be one of", "quantization_unknown",
         {"method": "bitsandbytes"}),
        ("ValueError: Bfloat16 is only supported on GPUs with compute capability of at least 8.0.", "bf16_gpu", {}),
        ("ValueError: The model type 'gemma3' does not support float16. Reason: Numerical", "fp16_model",
         {"model": "gemma3"}),
        # --- B: the computer
        ("RuntimeError: Failed to infer device type, please set", "no_gpu", {}),
        ("RuntimeError: No CUDA GPUs are available", "no_gpu", {}),
        ("AssertionError: Torch not compiled with CUDA enabled", "no_gpu", {}),
        ("RuntimeError: UVA is not available", "uva_missing", {}),
        ("RuntimeError: CPU tensor must be pinned", "uva_missing", {}),
        ("AssertionError: V1 CPU offloading requires uva (pin memory) support", "uva_missing", {}),
        ("/tmp/x.c:1:10: fatal error: Python.h: No such file or directory", "no_headers", {}),
        ("RuntimeError: Failed to find C compiler. Please specify via CC environment variable", "no_compiler", {}),
        ("RuntimeError: Could not find nvcc and default cuda_home='/usr/local/cuda' doesn't exist", "no_nvcc", {}),
        ("/bin/sh: 1: /usr/local/cuda-12.8/bin/nvcc: not found", "no_nvcc", {}),
        ("RuntimeError: CUDA error: no kernel image is available for execution on the device", "gpu_not_built_for", {}),
        ("RuntimeError: The NVIDIA driver on your system is too old (found version 12080). Please", "driver_old",
         {"found": 12_080}),
        ("ImportError: libcudart.so.13: cannot open shared object file: No such file", "cuda_library",
         {"file": "libcudart.so.13"}),
        ("ModuleNotFoundError: No module named 'uvloop'", "windows", {"module": "uvloop"}),
        ("ModuleNotFoundError: No module named 'resource'", "windows", {"module": "resource"}),
        ("RuntimeError: NCCL error: unhandled system error", "nccl", {}),
        ("TimeoutError: Timed out waiting for engine core processes to start. This is often caused", "engine_timeout", {}),
        ("RuntimeError: operator torchvision::nms does not exist", "torch_mismatch", {}),
        ("ModuleNotFoundError: No module named 'sentencepiece'", "module_missing", {"module": "sentencepiece"}),
        ("OSError: [Errno 28] No space left on device", "disk_full", {}),
        ("stowage_ple.file_rows.TableReadError: row 7 of /m/a b.safetensors: Input/output error", "table_unread",
         {"path": "/m/a b.safetensors"}),
        ("stowage_ple.file_rows.TableReadError: /m/x.safetensors changed while the model was running: restart",
         "table_unread", {"path": "/m/x.safetensors"}),
        ("stowage_ple.file_rows.TableReadError: /m/x.safetensors ends before row 9: it was cut while", "table_unread",
         {"path": "/m/x.safetensors"}),
        ("OSError: [Errno 24] Too many open files", "too_many_files", {}),
        ("PermissionError: [Errno 13] Permission denied: '/m/config.json'", "no_permission", {"path": "/m/config.json"}),
        ("torch._inductor.exc.InductorError: CppCompileError: C++ compile error", "compile_failed", {}),
        ("RuntimeError: CUDA error: an illegal memory access was encountered", "gpu_fault", {}),
        # --- C: processes and devices
        ("RuntimeError: cudaSetDevice err: 999", "gpu_lost", {}),
        ("OSError: [Errno 98] error while attempting to bind on address ('127.0.0.1', 8000)", "server.port_taken",
         {"port": None}),
        ("RuntimeError: scheduler died during initialization (exit code: -7)", "bus_error", {}),
        ("ERROR: Worker proc VllmWorker-0 died unexpectedly (exit code: -4), shutting down", "illegal_instruction", {}),
        ("ERROR: Engine core proc EngineCore_DP0 died unexpectedly (exit code: -9)", "engine_killed", {}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("prefix", ["", WORKER, "ERROR 05-01 10:00:00 [w.py:1] "])
def test_each_sentence_names_its_cause(prefix: str, line: str, code: str, facts: dict[str, Fact]) -> None:
    named, found = cause_of(prefix + line)
    assert named == code
    assert {name: value for name, value in found.items() if value is not None} == {
        name: value for name, value in facts.items() if value is not None
    }


def test_every_cause_of_the_table_can_be_named() -> None:
    assert {cause.code if cause.code in CODES else PREFIX + cause.code for cause in CAUSES} <= set(CODES)


def test_the_first_of_two_causes_wins_and_an_echo_never() -> None:
    lines = [
        WORKER + "ValueError: No available memory for the cache blocks.",
        CORE + "RuntimeError: CUDA error: out of memory",
        *ECHO,
    ]
    assert cause_of(*lines)[0] == "no_kv_room"
    assert cause_of(*reversed(lines[:2]), *ECHO)[0] == "gpu_memory"
    # a package that is missing is often only what is left of another failure
    assert cause_of("ModuleNotFoundError: No module named 'x'", WORKER + "RuntimeError: UVA is not available")[0] == (
        "uva_missing"
    )


@pytest.mark.parametrize("prefix", ["", WORKER])
def test_a_sentence_that_was_broken_over_lines(prefix: str) -> None:
    lines = [
        prefix
        + "ValueError: To serve at least one request with the models's max seq len (40960), (4.38 GiB KV cache is",
        prefix + "  needed, which is larger than the available KV cache memory (4.00 GiB). Based on the",
        prefix + "available memory, the estimated maximum model length is 37376.",
    ]
    code, facts = cause_of(*lines)
    assert (code, facts["largest"], facts["context"]) == ("kv_too_small", 37_376, 40_960)
    found = diagnose(lines)
    assert found is not None
    assert found.evidence == tuple(lines)


@pytest.mark.parametrize(
    ("signal_name", "code"),
    [("SIGILL", "illegal_instruction"), ("SIGBUS", "bus_error"), ("SIGSEGV", "crashed"), ("SIGABRT", "crashed")],
)
def test_signals_without_a_word(signal_name: str, code: str) -> None:
    found = diagnose([], Ending(signal_name=signal_name))
    assert found == Diagnosis(PREFIX + code, {"signal": signal_name})


def test_a_kill_is_for_lack_of_memory_only_when_the_kernel_counted_one() -> None:
    killed = Ending(signal_name="SIGKILL")
    assert diagnose([], killed) is None
    found = diagnose([], Ending(signal_name="SIGKILL", oom_kills=1, limit_bytes=2 * GIB))
    assert found == Diagnosis(PREFIX + "out_of_ram", {"limit_bytes": 2 * GIB})
    # the engine was killed, the server behind it only reports that
    line = "ERROR: Engine core proc EngineCore_DP0 died unexpectedly (exit code: -9)"
    assert cause_of(line, ending=Ending(exit_code=1, oom_kills=1))[0] == "out_of_ram"
    assert cause_of(line, ending=Ending(exit_code=1))[0] == "engine_killed"
    # somebody else's process was killed meanwhile: ours ended of itself
    assert (
        cause_of("ValueError: No available memory for the cache blocks", ending=Ending(1, oom_kills=3))[0]
        == "no_kv_room"
    )


def test_what_is_only_announced_is_no_cause() -> None:
    assert (
        diagnose(["(APIServer pid=1) INFO 11-29 20:47:20 [a.py:286] non-default args: {'x': 'CUDA out of memory'}"])
        is None
    )
    assert diagnose(["(A pid=1) INFO 11-29 20:47:20 [a.py:1] No available memory for the cache blocks"]) is None
    assert diagnose(["all is well"]) is None


def test_evidence_is_short() -> None:
    found = diagnose(["ValueError: No available memory for the cache blocks" + "x" * 5000])
    assert found is not None
    assert all(len(line) <= 600 for line in found.evidence)
