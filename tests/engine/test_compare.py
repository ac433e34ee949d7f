"""Comparisons through the product's services: real servers that play vLLM."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

from core.errors import AppError
from core.events import ComparisonChanged, Progress, ServerState, ServerStatus
from core.experiment.result import Result
from core.experiment.run import JOB
from core.experiment.spec import Comparison, Order, variant
from core.paths import Paths
from core.planning.choices import Choices
from core.services import Services
from tests.support import survivors
from tests.support.launching import Launching, make_launching
from tests.support.serving import until

ROOT = Path(__file__).parents[2]
BASE = Choices(context=512, enforce_eager=True)
PROMPTS = ("one two three four", "five six seven eight nine")


@pytest.fixture
def launching(home: Paths, tmp_path: Path) -> Launching:
    made = make_launching(home, tmp_path)
    made.engine.behave(FAKE_TOKENS_PER_S="60")
    return made


def comparison(
    launching: Launching, *, a: str = "--max-num-seqs 4", b: str = "", order: Order = Order.AB
) -> Comparison:
    return Comparison(
        str(launching.model), variant("A", a, BASE), variant("B", b, BASE), prompts=PROMPTS, repeats=2, order=order
    )


def compared(launching: Launching, asked: Comparison, folder: Path) -> Result:
    async def work(services: Services) -> Result:
        result, written = await services.experiments.compare(asked, str(folder))
        assert written == str(folder)
        assert services.server_status.state is not ServerState.READY
        return result

    return launching.run(work)


def test_both_sides_are_asked_alike_and_everything_is_kept(launching: Launching, tmp_path: Path) -> None:
    result = compared(launching, comparison(launching), tmp_path / "out")
    assert result.state == "done"
    assert [run.label for run in result.runs] == ["A", "B"]
    for run in result.runs:
        assert [(answer.prompt, answer.repeat) for answer in run.answers] == [(0, 1), (1, 1), (0, 2), (1, 2)]
        assert all(answer.text == f"echo: {PROMPTS[answer.prompt]}" for answer in run.answers)
        assert 20 < statistics.median(result.rates(run.label)) < 150, "the fake writes 60 tokens/s"
        assert run.ready_s is not None
        assert run.kv_tokens == 46592
        assert dict(run.phases)
        log = (tmp_path / "out" / run.log).read_text("utf-8")
        assert "non-default args" in log
    a, b = result.runs
    assert "--max-num-seqs 4" in a.command
    assert "--max-num-seqs" not in b.command
    assert result.differences() == ()
    data = json.loads((tmp_path / "out" / "result.json").read_text("utf-8"))
    assert data["state"] == "done"
    assert len(data["runs"]) == 2
    assert "<svg" in (tmp_path / "out" / "report.html").read_text("utf-8")
    assert (tmp_path / "out" / "report.md").read_text("utf-8").startswith("# Two launches compared")
    steps = [event for event in launching.heard if isinstance(event, Progress) and event.job == JOB]
    assert {event.step for event in steps} == {"compare_launch", "compare_ask"}
    assert steps[-1].note == "B 6/6"


def test_abba_launches_each_twice(launching: Launching, tmp_path: Path) -> None:
    result = compared(launching, comparison(launching, order=Order.ABBA), tmp_path / "out")
    assert [run.label for run in result.runs] == ["A", "B", "B", "A"]
    assert len(result.rates("A")) == len(result.rates("B")) == 8


def test_a_side_that_fails_ends_it_and_the_other_is_kept(launching: Launching, tmp_path: Path) -> None:
    result = compared(launching, comparison(launching, b="--die-in load"), tmp_path / "out")
    assert result.state == "failed"
    a, b = result.runs
    assert len(a.answers) == 4
    assert b.error is not None
    assert "the fake cause" in "\n".join(b.error.last_words)
    assert "the fake cause" in (tmp_path / "out" / b.log).read_text("utf-8")
    assert "B failed" in (tmp_path / "out" / "report.md").read_text("utf-8")


def test_cancelled_in_the_middle_nothing_runs_and_the_first_side_is_kept(launching: Launching, tmp_path: Path) -> None:
    asked = comparison(launching)

    async def work(services: Services) -> None:
        task = asyncio.create_task(services.experiments.compare(asked, str(tmp_path / "out")))
        await until(lambda: any(_answers_of_b(event) for event in launching.heard), "B has answered")
        await services.experiments.cancel()
        with pytest.raises(AppError) as caught:
            await task
        assert caught.value.code == "compare.cancelled"
        assert services.server_status.state is ServerState.IDLE

    launching.run(work)
    data = json.loads((tmp_path / "out" / "result.json").read_text("utf-8"))
    assert data["state"] == "cancelled"
    assert len(data["runs"][0]["answers"]) == 4
    assert 1 <= len(data["runs"][1]["answers"]) < 4
    last = [event for event in launching.heard if isinstance(event, ComparisonChanged)][-1]
    assert (last.result.state, last.folder) == ("cancelled", str(tmp_path / "out"))


def _answers_of_b(event: object) -> bool:
    return isinstance(event, ComparisonChanged) and any(run.label == "B" and run.answers for run in event.result.runs)


def test_it_waits_for_nobody(launching: Launching, tmp_path: Path) -> None:
    async def work(services: Services) -> str:
        await services.launch(str(launching.model), choices=BASE)
        with pytest.raises(AppError) as caught:
            await services.experiments.compare(comparison(launching), str(tmp_path / "out"))
        assert services.server_status.state is ServerState.READY, "the server that ran is left alone"
        return caught.value.code

    assert launching.run(work) == "server.busy"
    assert not (tmp_path / "out").exists()


def test_in_the_terminal_and_interrupted_there(launching: Launching, tmp_path: Path) -> None:
    launching.run(lambda services: services.list_engines())
    questions = tmp_path / "questions.txt"
    questions.write_text("one two three\n\nfour five six\n", "utf-8")
    command = [
        sys.executable, str(ROOT / "stowage_start.py"), "compare", str(launching.model), "--a", "--max-num-seqs 4",
        "--context", "512", "--prompts", str(questions), "--out", str(tmp_path / "out"), "--repeats", "2",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    assert "All greedy answers are equal." in done.stdout
    assert f"Report: {tmp_path / 'out'}/report.html" in done.stdout
    launching.engine.behave("--hang-in", "load")
    process = subprocess.Popen(
        [*command[:-1], "2", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ)
    )
    assert process.stderr is not None
    while "Loading" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert survivors.orphans_of(tmp_path) == set()


def test_status_events_are_those_of_ordinary_launches(launching: Launching, tmp_path: Path) -> None:
    compared(launching, comparison(launching), tmp_path / "out")
    launches = {event.launch_id for event in launching.heard if isinstance(event, ServerStatus) and event.launch_id}
    assert len(launches) == 2
