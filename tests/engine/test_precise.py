"""Precise mode against engines that fail in every way: real children, and what is remembered of their answers."""

from __future__ import annotations

import asyncio
import json
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from core.engine.precise import Precise, PreciseMode, PreciseTask
from core.errors import AppError
from core.events import EngineInfo, EngineState
from core.paths import Paths
from tests.support.serving import until

FAKE = Path(__file__).parents[1] / "fakes" / "fake_precise.py"
KV = {"bytes_per_block": 1024, "blocks_per_request": 4, "bytes_one_request": 4096, "num_blocks": 9}
FIGURES = {
    "weight_bytes": 1000,
    "context": 64,
    "max_num_seqs": 2,
    "max_num_batched_tokens": 64,
    "kv": KV | {"capacity_tokens": 144, "refused": None},
    "offload": {"offloaded_bytes": 10, "pinned_bytes": 16},
}
PLANNED = "STOWAGE " + json.dumps({"outcome": "planned"} | FIGURES)
TASK = PreciseTask(
    {"config.json": '{"architectures": ["X"]}'}, "cuda", (8, 6), 12 << 30, 1 << 30, {"max_model_len": 64}
)


class Engine:
    """An engine whose Python is the fake; `behave` sets what its next run does."""

    def __init__(self, folder: Path) -> None:
        self._log = folder / "runs.jsonl"
        self._python = folder / "bin" / "python"
        self._python.parent.mkdir(parents=True)
        self.info = EngineInfo("fake-1.0", EngineState.READY, "1.0", "cpu", str(self._python), "3.11", ours=False)
        self.behave("--say", PLANNED)

    def behave(self, *switches: str) -> None:
        command = shlex.join([sys.executable, str(FAKE), "--log", str(self._log), *switches, "--"])
        self._python.write_text(f'#!/bin/sh\nexec {command} "$@"\n', "utf-8")
        self._python.chmod(0o755)

    @property
    def runs(self) -> list[dict[str, Any]]:
        """What each run of the program was given."""
        if not self._log.exists():
            return []
        return [json.loads(line) for line in self._log.read_text("utf-8").splitlines() if line.endswith("}")]


@pytest.fixture
def engine(home: Paths, tmp_path: Path) -> Engine:
    return Engine(tmp_path / "an engine")


def run(paths: Paths, engine: EngineInfo, task: PreciseTask = TASK, timeout_s: float = 60) -> Precise:
    return asyncio.run(PreciseMode(paths, timeout_s=timeout_s).run(engine, task))


def fails(paths: Paths, engine: Engine, code: str, timeout_s: float = 60, task: PreciseTask = TASK) -> AppError:
    with pytest.raises(AppError) as caught:
        run(paths, engine.info, task, timeout_s)
    assert caught.value.code == code
    assert not list(paths.cache.glob("precise/*"))
    return caught.value


def test_the_figures_and_what_the_program_is_given(
    home: Paths, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HF_TOKEN", "VLLM_ATTENTION_BACKEND", "PYTHONPATH", "STOWAGE_X"):
        monkeypatch.setenv(name, "secret")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    task = replace(TASK, files={"config.json": "{}", "hf_quant_config.json": "{}"})
    found = run(home, engine.info, task)
    assert found.as_json().items() >= (FIGURES | {"engine": "fake-1.0", "version": "1.0", "cached": False}).items()
    (given,) = engine.runs
    assert given["files"] == ["config.json", "hf_quant_config.json"]
    asked = {name: given["task"][name] for name in ("platform", "capability", "vram_bytes", "kv_bytes", "arguments")}
    assert asked == {
        "platform": "cuda", "capability": [8, 6], "vram_bytes": 12 << 30, "kv_bytes": 1 << 30,
        "arguments": {"max_model_len": 64},
    }  # fmt: skip
    assert not {"HF_TOKEN", "VLLM_ATTENTION_BACKEND", "PYTHONPATH", "STOWAGE_X"} & set(given["env"])
    assert (given["env"]["CUDA_VISIBLE_DEVICES"], given["env"]["HF_HUB_OFFLINE"]) == ("", "1")
    assert not Path(given["task"]["model"]).exists(), "the working folder stays"
    assert Path(given["env"]["TMPDIR"]) == Path(given["task"]["model"]).parent


def test_a_known_answer_starts_nothing(home: Paths, engine: Engine) -> None:
    started: list[str] = []

    def ask() -> Precise:
        return asyncio.run(PreciseMode(home).run(engine.info, TASK, lambda: started.append("now")))

    first = ask()
    assert started == ["now"]
    engine.behave("--die", "3")
    again = ask()
    assert started == ["now"]
    assert (first.cached, again.cached) == (False, True)
    assert again == replace(first, cached=True)
    assert len(engine.runs) == 1


@pytest.mark.parametrize(
    "task",
    [
        replace(TASK, files={"config.json": '{"architectures": ["Y"]}'}),
        replace(TASK, arguments={"max_model_len": 128}),
        replace(TASK, kv_bytes=2 << 30),
        replace(TASK, capability=(9, 0)),
        replace(TASK, platform="cpu"),
    ],
)
def test_another_question_runs_anew(home: Paths, engine: Engine, task: PreciseTask) -> None:
    run(home, engine.info)
    assert not run(home, engine.info, task).cached
    assert len(engine.runs) == 2


@pytest.mark.parametrize("changes", [{"version": "1.1"}, {"id": "fake-2.0"}])
def test_another_engine_runs_anew(home: Paths, engine: Engine, changes: dict[str, str]) -> None:
    run(home, engine.info)
    found = run(home, replace(engine.info, **changes))
    assert (found.cached, len(engine.runs)) == (False, 2)
    assert (found.engine, found.version) == (changes.get("id", "fake-1.0"), changes.get("version", "1.0"))


def test_a_damaged_memory_is_asked_anew(home: Paths, engine: Engine) -> None:
    run(home, engine.info)
    (kept,) = home.cache.glob("precise/*.json")
    kept.write_text('{"seconds": 1', "utf-8")
    assert not run(home, engine.info).cached
    assert run(home, engine.info).cached


def test_a_cache_that_cannot_be_written_costs_only_time(home: Paths, engine: Engine) -> None:
    home.cache.parent.mkdir(parents=True)
    home.cache.write_text("in the way", "utf-8")
    assert not run(home, engine.info).cached
    assert not run(home, engine.info).cached


def test_vllm_refuses_the_options(home: Paths, engine: Engine) -> None:
    engine.behave("--say", "STOWAGE " + json.dumps({"outcome": "refused", "reason": "max_model_len is too long"}))
    found = run(home, engine.info)
    assert (found.figures, found.refused) == (None, "max_model_len is too long")
    assert run(home, engine.info).cached


def test_an_architecture_that_this_vllm_does_not_know(home: Paths, engine: Engine) -> None:
    answer = {"outcome": "unsupported", "reason": "Model architectures ['X'] are not supported", "trace": "line 1"}
    engine.behave("--say", "STOWAGE " + json.dumps(answer))
    error = fails(home, engine, "precise.unsupported")
    assert error.facts["reason"] == answer["reason"]
    assert error.detail == "line 1"


def test_a_program_that_dies(home: Paths, engine: Engine) -> None:
    engine.behave("--die", "3")
    error = fails(home, engine, "precise.failed")
    assert error.facts["reason"] == "ImportError: libsomething.so.1: cannot open"


@pytest.mark.parametrize(
    "line",
    [
        "STOWAGE {not json",
        "STOWAGE []",
        'STOWAGE {"outcome": "planned"}',
        'STOWAGE {"outcome": "guessed"}',
        "STOWAGE " + json.dumps({"outcome": "planned"} | FIGURES | {"weight_bytes": "many"}),
        "no answer at all",
    ],
)
def test_a_program_that_says_nonsense(home: Paths, engine: Engine, line: str) -> None:
    engine.behave("--say", line)
    assert fails(home, engine, "precise.failed").facts["reason"]


def test_a_program_that_hangs_is_stopped(home: Paths, engine: Engine) -> None:
    engine.behave("--hang")
    assert fails(home, engine, "precise.timeout", timeout_s=2).facts["seconds"] == 2
    assert len(engine.runs) == 1


def test_cancelling_stops_the_program(home: Paths, engine: Engine) -> None:
    engine.behave("--hang")

    async def cancel_it() -> None:
        task = asyncio.create_task(PreciseMode(home).run(engine.info, TASK))
        await until(lambda: len(engine.runs) == 1, "the program runs")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel_it())
    assert _is_gone(engine.runs[0]["pid"])
    assert not Path(engine.runs[0]["task"]["model"]).exists()


def _is_gone(pid: int) -> bool:
    """Or dead and not reaped, where the computer has no init."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_an_engine_whose_python_is_gone(home: Paths, engine: Engine) -> None:
    Path(engine.info.python).unlink()
    assert "python" in str(fails(home, engine, "precise.failed").facts["reason"])


@pytest.mark.parametrize(
    ("platform", "task"),
    [("cuda", replace(TASK, platform="cpu")), ("cpu", replace(TASK, arguments={"tensor_parallel_size": 2}))],
)
def test_what_cannot_be_pretended_starts_nothing(home: Paths, engine: Engine, platform: str, task: PreciseTask) -> None:
    engine.info = replace(engine.info, platform=platform)
    fails(home, engine, "precise.unsupported", task=task)
    assert engine.runs == []
