"""The main job in a terminal, whole: the real command, the real engine, the real model, and nothing left behind."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.paths import Paths
from tests.support import survivors

ROOT = Path(__file__).parents[2]
QUESTION = "What is the capital of France? Answer in one sentence."

pytestmark = pytest.mark.patient


def _command(*arguments: str) -> list[str]:
    return [sys.executable, str(ROOT / "stowage_start.py"), *arguments]


def test_ask_prints_the_answer_and_its_speed_and_leaves_nothing(user_with_engine: Paths, tmp_path: Path) -> None:
    done = subprocess.run(
        _command("ask", "starter", QUESTION), capture_output=True, text=True, timeout=280, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Paris" in done.stdout
    stats = r"^First token \d+\.\d\d s · \d+\.\d tok/s · \d+ prompt tokens · \d+ answer tokens"
    assert re.search(stats, done.stdout, re.MULTILINE)
    assert re.search(r"^Prompt read at [\d,]+ tok/s", done.stdout, re.MULTILINE)
    assert re.search(r"^Between tokens \d+\.\d ms \(median\), \d+\.\d ms", done.stdout, re.MULTILINE)
    assert "Not compared" not in done.stdout
    assert survivors.orphans_of(tmp_path) == set()
    assert list(user_with_engine.launches.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_while_vllm_starts_nothing_is_left(
    user_with_engine: Paths, tmp_path: Path, number: signal.Signals
) -> None:
    command = _command("serve", "starter", "--log")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stderr is not None
        seen = any("non-default args" in line for line in child.stderr)
        began = time.monotonic()
        child.send_signal(number)
        _out, err = child.communicate(timeout=60)
    assert seen
    assert child.returncode == 130
    assert "nothing is left running" in err
    assert time.monotonic() - began < 30
    assert survivors.orphans_of(tmp_path) == set()
    assert list(user_with_engine.launches.iterdir()) == []


def test_ask_with_the_table_on_disk_says_that_it_took_effect(
    user_with_engine: Paths, gemma4_path: Path, tmp_path: Path
) -> None:
    question = ("ask", str(gemma4_path), "Hello", "--ple", "disk", "--max-tokens", "8", "--context", "512", "--json")
    done = subprocess.run(_command(*question), capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    proof, rows = told["table"]["proof"], told["table"]["rows"]
    assert (proof["option"], proof["verdict"]) == ("ple_disk", "took_effect")
    assert "0.04 GiB kept off the device: placement=disk" in proof["evidence"][0]
    # What was put for the proof, and the question with its answer.
    assert rows["rows"] >= told["prompt_tokens"] + told["completion_tokens"] - 1
    assert rows["read_bytes"] == (rows["unique_rows"] - rows["hits"]) * 64 * 6 * 2 > 0
    history = json.loads(
        subprocess.run(_command("history", "--json"), capture_output=True, text=True, check=True).stdout
    )
    assert history["launches"][0]["proof"]["ple_disk"] == "took_effect"
    assert survivors.orphans_of(tmp_path) == set()
