"""`--ple` in the terminal, on a fake engine: written down, asked with, refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core import words
from core.paths import Paths
from tests.support.fake_engine import FakeEngine, make_checkpoint
from tests.support.launching import CONFIG

ROOT = Path(__file__).parents[2]
GEMMA = CONFIG | {
    "architectures": ["Gemma3nForCausalLM"], "model_type": "gemma3n_text", "head_dim": 16,
    "hidden_size_per_layer_input": 32, "vocab_size_per_layer_input": 64,
}  # fmt: skip


def stowage(*arguments: str, language: str = "C.UTF-8") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "stowage_start.py"), *arguments]
    env = os.environ | {"LC_ALL": language}
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=env)


@pytest.fixture
def engine(home: Paths, tmp_path: Path) -> FakeEngine:
    made = FakeEngine(tmp_path / "engine")
    made.behave("--counters")
    assert stowage("engine", "add", str(made.folder)).returncode == 0
    return made


@pytest.fixture
def gemma(engine: FakeEngine, tmp_path: Path) -> str:
    return str(make_checkpoint(tmp_path / "gemma", config=GEMMA))


def test_the_command_carries_the_plugin(gemma: str) -> None:
    shown = stowage("command", gemma, "--ple", "disk")
    assert shown.returncode == 0, shown.stderr
    before = shown.stdout.partition(" -m vllm")[0].split()
    env = dict(pair.split("=", 1) for pair in before if "=" in pair)
    assert env["STOWAGE_PLE"] == "disk"
    assert (Path(env["PYTHONPATH"]) / "stowage_ple" / "plugin.py").is_file()
    assert "STOWAGE_PLE" not in stowage("command", gemma, "--ple", "gpu").stdout
    assert "# STOWAGE_PLE=ram" in stowage("command", gemma, "--ple", "ram", "--yaml").stdout


def test_ask_tells_the_verdict_and_the_rows(gemma: str) -> None:
    asked = stowage("ask", gemma, "hello there", "--ple", "disk", "--context", "512")
    assert asked.returncode == 0, asked.stderr
    assert "Per-layer table on disk (5.25 GiB): took effect." in asked.stdout
    assert "50 % of them in its cache, 0.20 ms a lookup" in asked.stdout


def test_what_the_plugin_did_not_do_is_said(engine: FakeEngine, gemma: str) -> None:
    engine.behave("--counters", "--table", "silent")
    asked = stowage("ask", gemma, "hello", "--ple", "ram", "--context", "512", language="ru_RU.UTF-8")
    assert asked.returncode == 0, asked.stderr
    assert "Послойная таблица в ОЗУ: не подействовало. Плагин Stowage промолчал" in asked.stdout


@pytest.mark.parametrize("command", [("command",), ("ask", "hello"), ("serve",)])
def test_a_model_without_tables_refuses_at_once(engine: FakeEngine, tmp_path: Path, command: tuple[str, ...]) -> None:
    plain = str(make_checkpoint(tmp_path / "plain"))
    refused = stowage(command[0], plain, *command[1:], "--ple", "disk")
    assert refused.returncode == 1
    assert words.catalogue("en")["option.no_tables"]["title"] in refused.stderr
    assert refused.stdout == ""


def test_a_place_that_does_not_exist_is_a_slip(gemma: str) -> None:
    assert stowage("ask", gemma, "hello", "--ple", "tape").returncode == 2
    written = json.loads(stowage("command", gemma, "--ple", "device", "--json").stdout)
    assert written["notes"] == []
