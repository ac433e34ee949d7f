"""From a name on the Hub to an answer as one JSON object, in a terminal: the real model behind the loopback Hub, the
real engine."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.paths import Paths
from tests.fakes.fake_hub import FakeHub
from tests.fakes.hub_content import folder_files
from tests.support import survivors
from tests.support.hub import running_hub, sent_bytes
from tests.support.hub_cache import snapshot_download

ROOT = Path(__file__).parents[2]
MODEL = "HuggingFaceTB/SmolLM2-135M-Instruct"
QUESTION = "What is the capital of France? Answer in one sentence."
KEYS = {"answer", "prompt_tokens", "completion_tokens", "ttft_s", "decode_tokens_per_s", "engine", "model"}

pytestmark = pytest.mark.patient


@pytest.fixture
def hub(
    user_with_engine: Paths, starter_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[FakeHub]:  # the starter's checkpoint under its own name
    with running_hub() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        hub.add(MODEL, folder_files(starter_path))
        yield hub


def stowage(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "stowage_start.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)


def test_a_model_of_the_hub_is_fetched_and_answers(hub: FakeHub, starter_path: Path, tmp_path: Path) -> None:
    began = time.time()
    got = stowage("get", MODEL, "--json")
    assert got.returncode == 0, got.stderr
    path = Path(json.loads(got.stdout)["path"])
    assert snapshot_download(MODEL, cache=tmp_path / "huggingface" / "hub") == path
    weights = (starter_path / "model.safetensors").stat().st_size
    assert sent_bytes(hub, "model.safetensors") == weights
    hub.log.clear()
    wishes = ("--max-tokens", "24", "--system", "You are a helpful assistant.")
    asked = stowage("ask", MODEL.lower(), QUESTION, "--json", *wishes)
    assert asked.returncode == 0, asked.stderr
    answer = json.loads(asked.stdout)
    assert set(answer) >= KEYS
    assert "Paris" in answer["answer"]
    assert answer["model"] == MODEL
    assert 0 < answer["completion_tokens"] <= 24
    assert answer["prompt_tokens"] > 10
    assert answer["ttft_s"] > 0
    assert answer["decode_tokens_per_s"] > 0
    assert answer["exact"] is True
    assert hub.log.all() == []  # neither we nor vLLM asked the Hub again
    listed = json.loads(stowage("models", MODEL, "--json").stdout)["cache"]["repos"]
    assert [(repo["id"], repo["revisions"][0]["whole"]) for repo in listed] == [(MODEL, True)]
    assert listed[0]["last_used"] > began
    assert survivors.orphans_of(tmp_path) == set()
