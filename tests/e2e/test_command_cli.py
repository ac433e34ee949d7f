"""`stowage command` and `stowage engine capabilities` through the real command, on an engine of a few files."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from core import words
from core.paths import Paths
from tests.support import small_vllm
from tests.support.fake_engine import FakeEngine, make_checkpoint

ROOT = Path(__file__).parents[2]


def stowage(*arguments: str, stdin: str = "", language: str = "C.UTF-8") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "stowage_start.py"), *arguments]
    return subprocess.run(
        command, input=stdin, capture_output=True, text=True, timeout=120, check=False,
        env=os.environ | {"LC_ALL": language},
    )  # fmt: skip


@pytest.fixture
def model(home: Paths, tmp_path: Path) -> str:
    """A checkpoint, and an engine of one's own that was never verified: nothing here may import it."""
    engine = FakeEngine(tmp_path / "engine")
    (site,) = engine.folder.glob("lib/python3*/site-packages")
    small_vllm.package(site)
    added = stowage("engine", "add", str(engine.folder))
    assert added.returncode == 0, added.stderr
    return str(make_checkpoint(tmp_path / "a model"))


def test_a_launch_written_down(model: str) -> None:
    done = stowage("command", model, "--context", "1024", "--", "--count", "2")
    assert done.returncode == 0, done.stderr
    found = shlex.split(done.stdout)
    assert found[found.index("--model") + 1] == model
    assert found[found.index("--max-model-len") + 1] == "1024"
    assert found[-2:] == ["--count", "2"]
    assert "VLLM_API_KEY" not in done.stdout
    read = msgspec.yaml.decode(stowage("command", model, "--yaml", "--context", "1024").stdout)
    assert (read["model"], read["max-model-len"], read["enforce-eager"]) == (model, 1024, True)
    unit = stowage("command", model, "--unit").stdout
    assert "[Service]" in unit
    assert f'"{model}"' in unit


def test_notes_and_refusals(model: str) -> None:
    noted = stowage("command", model, "--offload", "4", "--context", "99999999", "--leave", "500MiB", "--json")
    told = json.loads(noted.stdout)
    codes = ["option.offload_cpu_build", "preflight.refused", "option.gpu_only"]
    assert [note["code"] for note in told["notes"]] == codes
    assert "--cpu-offload-gb" not in told["text"]
    for extra, code in (
        ("--coun 2", "option.abbreviated"),
        ("--eager true", "option.switch_value"),
        ("--port 1", "option.ours"),
    ):
        refused = stowage("command", model, "--", *extra.split())
        assert refused.returncode == 1
        assert words.catalogue("en")[code]["title"] in refused.stderr
        assert refused.stdout == ""


def test_flags_of_an_article(model: str) -> None:
    text = "vllm serve org/name --cpu-offload-size 40GB --count 3 --num-gpu-blocks 7 --gpu-mem-util 0.8"
    done = stowage("command", model, "--import", "-", stdin=text)
    assert done.returncode == 0, done.stderr
    assert "--count 3" in done.stdout
    assert "--cpu-offload-size" not in done.stdout
    assert "37.25" in done.stderr
    assert "--num-gpu-blocks" in done.stderr
    assert f"--gpu-memory-utilization: {words.catalogue('en')['option.gpu_only']['sentence']}" in done.stderr
    russian = stowage("command", model, "--import", "-", stdin=text, language="ru_RU.UTF-8")
    assert "Такого параметра в vLLM нет" in russian.stderr
    broken = stowage("command", model, "--import", "/no/such/file")
    assert words.catalogue("en")["option.unreadable_text"]["title"] in broken.stderr


def test_what_an_engine_can_do(model: str) -> None:
    (engine,) = json.loads(stowage("engine", "list", "--json").stdout)["engines"]
    done = stowage("engine", "capabilities")
    assert done.returncode == 0, done.stderr
    assert "config/model.py:" in done.stdout
    assert "OneForCausalLM" in done.stdout
    assert words.term("noop", "says_so", "en") in done.stdout
    whole = json.loads(stowage("engine", "capabilities", engine["id"], "--json").stdout)
    assert whole["version"] == "0.32.0"
    assert {option["flag"] for option in whole["options"]} >= {"--dtype", "--quantization"}
    some = json.loads(stowage("engine", "capabilities", "--json", "--search", "half").stdout)
    assert {row["name"] for row in some["rows"]} <= {"--dtype"}
    assert "Nothing in it holds “no-such”." in stowage("engine", "capabilities", "--search", "no-such").stdout
    same = json.loads(stowage("engine", "capabilities", "--diff", engine["id"], engine["id"], "--json").stdout)
    assert same["options"] == []
    assert stowage("engine", "capabilities", "no-such").returncode == 1


def test_profiles_come_from_a_file_and_go_into_one(model: str, home: Paths, tmp_path: Path) -> None:
    assert stowage("profiles").stdout.startswith("No profile is saved yet.")
    file = tmp_path / "in.json"
    choices = {"context": 1024, "more": {"extra": ["--swap-space", "4"]}}
    file.write_text(json.dumps({"profiles": [{"name": "mine", "choices": choices}]}), encoding="utf-8")
    done = stowage("profiles", "--import", str(file), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["profiles"][0]["choices"]["more"] == {"extra": ["--swap-space", "4"]}
    out = tmp_path / "out.json"
    done = stowage("profiles", model, "--export", str(out))
    assert done.stdout == "mine  ·  every model\n"
    assert json.loads(out.read_text(encoding="utf-8"))["format"] == "stowage-profiles"
    done = stowage("serve", model, "--profile", "other")
    assert done.returncode != 0
    assert "No profile is called other. There are: mine." in done.stderr
    home.profiles_file.write_text("{", encoding="utf-8")
    damaged = stowage("profiles", "--json")
    assert json.loads(damaged.stdout) == {"profiles": []}
    assert words.catalogue("en")["profiles.corrupt"]["title"] in damaged.stderr
