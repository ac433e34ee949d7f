"""What vLLM's log says, on logs of real starts and on the wordings of every version read."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.engine.log_parser import (
    ORDER,
    PhaseTracker,
    engine_death,
    last_words,
    phase_of,
    port_taken,
    root_cause,
    says_it_serves,
)
from core.events import Phase

LOGS = Path(__file__).parents[1] / "data" / "engine-logs"


def recorded(name: str) -> list[str]:
    """The log without its last line, which is the exit code."""
    return (LOGS / f"{name}.log").read_text("utf-8").splitlines()[:-1]


def phases_of(lines: list[str]) -> list[tuple[Phase, float | None]]:
    tracker = PhaseTracker()
    for number, line in enumerate(lines):
        tracker.feed([line], float(number))
    return [(p.phase, p.fraction) for p in tracker.phases]


E, L, C, K, W = Phase.ENVIRONMENT, Phase.LOAD, Phase.COMPILE, Phase.KV_CACHE, Phase.WARM_UP


@pytest.mark.parametrize(
    ("name", "phases"),
    [
        ("ok_compiled", [(E, None), (L, 1.0), (C, None), (K, None), (W, None)]),
        ("ok_eager_chat", [(E, None), (L, 1.0), (K, None), (W, None)]),
        ("kvtiny", [(E, None), (L, 1.0), (K, None)]),
        ("toolong", [(E, None)]),
        ("badflag", [(E, None)]),
        ("portbusy", [(E, None)]),
    ],
)
def test_phases_of_recorded_starts(name: str, phases: list[tuple[Phase, float | None]]) -> None:
    assert phases_of(recorded(name)) == phases


@pytest.mark.parametrize(
    ("line", "phase"),
    [
        # 0.8.5 to 0.33; the numbers and the prefix vary, the words are vLLM's own
        ("INFO 05-01 10:00:00 [gpu_model_runner.py:1329] Starting to load model Qwen/Qwen3-0.6B...", L),
        ("Loading safetensors checkpoint shards:  25% Completed | 1/4 [00:00<00:00,  7.71it/s]", L),
        ("Loading pt checkpoint shards:  50% Completed | 1/2 [00:00<00:00,  7.71it/s]", L),
        ("INFO [weight_utils.py:281] Time spent downloading weights for Qwen/Qwen3-0.6B: 9.1 seconds", L),
        ("INFO [loader.py:458] Loading weights took 0.44 seconds", L),
        ("INFO [gpu_model_runner.py:1347] Model loading took 1.1201 GiB and 1.02 seconds", L),
        ("(Worker pid=1) INFO [gpu_model_runner.py:3900] Model loading took 1.12 GiB memory and 1.02 seconds", L),
        ("INFO [backends.py:420] Using cache directory: /home/user/.cache/vllm/torch_compile_cache/a/b", C),
        ("INFO [backends.py:430] Dynamo bytecode transform time: 4.11 s", C),
        ("INFO [backends.py:136] Compiling a graph for general shape takes 15.2 s", C),
        ("INFO [monitor.py:33] torch.compile takes 19.3 s in total", K),
        ("(Worker pid=1) INFO [monitor.py:81] [backbone] torch.compile took 19.31 s in total", K),
        ("INFO [gpu_worker.py:227] Available KV cache memory: 17.40 GiB", K),
        ("(Worker pid=1) INFO [cpu_worker.py:260] Explicitly set (1.0/8.21) GiB for KV cache on node 0.", K),
        ("(Worker pid=1) INFO [cpu_worker.py:260] Auto set (4.0/8.21) GiB for KV cache on node 0.", K),
        ("INFO [kv_cache_utils.py:634] GPU KV cache size: 162,912 tokens", W),
        ("INFO [kv_cache_utils.py:637] Maximum concurrency for 40,960 tokens per request: 3.98x", W),
        ("Capturing CUDA graphs (mixed prefill-decode, PIECEWISE):  10%|#         | 7/67", W),
        ("INFO [gpu_model_runner.py:1686] Graph capturing finished in 21 secs, took 0.45 GiB", W),
        ("INFO [core.py:159] init engine (profile, create kv cache, warmup model) took 42.51 seconds", W),
        ("INFO [api_server.py:1090] Starting vLLM API server on http://127.0.0.1:8000", W),
        ("(APIServer pid=1) INFO [entry.py:140] Starting vLLM server on http://127.0.0.1:8765", W),
    ],
)
def test_wordings(line: str, phase: Phase) -> None:
    assert phase_of(line) is phase
    tracker = PhaseTracker()
    assert tracker.feed([line], 1.0)
    assert tracker.phases[-1].phase is phase


def test_a_running_server_is_in_no_phase() -> None:
    """Lines of every day neither look like a start nor cost a change."""
    lines = recorded("ok_eager_chat")
    start = lines.index("INFO:     Application startup complete.")
    assert [line for line in lines[start:] if phase_of(line)] == []


def test_phases_never_go_back_and_fractions_never_fall() -> None:
    tracker = PhaseTracker()
    tracker.feed(["Loading safetensors checkpoint shards:  50% Completed | 1/2"], 1.0)
    assert not tracker.feed(["Loading safetensors checkpoint shards:   0% Completed | 0/2"], 2.0)
    assert tracker.phases[-1].fraction == 0.5
    tracker.feed(["Available KV cache memory: 17.40 GiB"], 3.0)
    assert not tracker.feed(["Starting to load model drafter..."], 4.0)
    assert [(p.phase, p.began_s, p.ended_s) for p in tracker.phases] == [(E, 0.0, 1.0), (L, 1.0, 3.0), (K, 3.0, None)]


def test_ready_ends_the_last_phase_and_itself() -> None:
    tracker = PhaseTracker()
    assert tracker.enter(Phase.READY, 9.0)
    assert [(p.phase, p.began_s, p.ended_s) for p in tracker.phases] == [(E, 0.0, 9.0), (Phase.READY, 9.0, 9.0)]
    assert ORDER[-1] is Phase.READY


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("kvtiny", "ValueError: To serve at least one request with the model's max seq len (8192), (0.18 GiB KV cache"),
        ("kvoffload_on_cpu", "Exception: CPU Offloading is currently only supported on CUDA-alike and XPU GPUs"),
        (
            "toolong",
            "pydantic_core._pydantic_core.ValidationError: 1 validation error for ModelConfig: Value error, User-",
        ),
        (
            "kvsmall",
            "pydantic_core._pydantic_core.ValidationError: 1 validation error for VllmConfig: Value error, invalid",
        ),
        ("badflag", "api_server.py: error: unrecognized arguments: --swap-space"),
        ("badpath", "huggingface_hub.errors.HFValidationError: Repo id must use alphanumeric chars"),
        ("hub_offline", "huggingface_hub.errors.LocalEntryNotFoundError: Cannot find an appropriate cached snapshot"),
        ("portbusy", "OSError: [Errno 98] Address already in use"),
    ],
)
def test_the_first_real_exception_is_the_cause(name: str, cause: str) -> None:
    assert root_cause(recorded(name)).startswith(cause)


@pytest.mark.parametrize(
    ("lines", "cause"),
    [
        ([], ""),
        (["only this"], "only this"),
        (["(EngineCore_DP0 pid=9) ERROR 11-29 20:53:36 [core.py:1] ValueError: old prefix", "OSError: later"],
         "ValueError: old prefix"),
        (["KeyError: 'of the API server'", "(Worker pid=1) ERROR 11-29 20:53:36 [w.py:1] OSError: of the worker"],
         "OSError: of the worker"),
        (["(APIServer pid=1) ERROR 11-29 20:53:36 [a.py:1] no exception, just this", "words"],
         "no exception, just this"),
    ],
)  # fmt: skip
def test_causes_in_other_shapes(lines: list[str], cause: str) -> None:
    assert root_cause(lines) == cause


def test_a_taken_port_is_told_from_other_failures() -> None:
    assert port_taken(recorded("portbusy"))
    assert not any(port_taken(recorded(name)) for name in ("kvtiny", "toolong", "badflag", "ok_compiled"))


def test_the_death_of_an_engine_is_told() -> None:
    assert engine_death(recorded("kvtiny"))
    assert not engine_death(recorded("ok_eager_chat"))


def test_the_hint_that_it_serves() -> None:
    hints = [line for line in recorded("ok_eager_chat") if says_it_serves(line)]
    assert [line.split("] ")[-1] for line in hints] == [
        "Starting vLLM server on http://127.0.0.1:8766",
        "INFO:     Application startup complete.",
    ]


def test_last_words_leave_out_what_says_nothing() -> None:
    words = last_words(recorded("ok_compiled"))
    assert words[-1] == "INFO:     Application shutdown complete."
    assert len(words) == 40
    assert last_words(["a", "", "   ^^^^", "b"], 1) == ("b",)
