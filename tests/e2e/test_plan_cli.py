"""`stowage plan` through the real command: vLLM's own numbers, computers that are not here, and bad input."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from core import words
from core.paths import Paths
from core.planner.options import GIB
from tests.support.fake_engine import FakeEngine
from tests.support.plans import DATA, answers

ROOT = Path(__file__).parents[2]
TRUTH = {row["config"]: row for row in answers("vllm_kv_truth_8k")["rows"]}
# Dense, tied, FP8 experts, quantized in 4 bits, latent, sliding, hybrid with states, NVFP4 with a file beside, towers.
CONFIGS = (
    "Qwen__Qwen3-8B",
    "HuggingFaceTB__SmolLM2-135M-Instruct",
    "Qwen__Qwen3-30B-A3B-FP8",
    "Qwen__Qwen2.5-7B-Instruct-AWQ",
    "deepseek-ai__DeepSeek-V2-Lite",
    "google__gemma-3-27b-it",
    "ibm-granite__granite-4.0-h-micro",
    "Qwen__Qwen3-Next-80B-A3B-Thinking",
    "Qwen__Qwen3.8-Flash-Next",
    "nvidia__Gemma-4-31B-IT-NVFP4",
    "openai__gpt-oss-20b",
)


def stowage(*arguments: str, language: str = "C.UTF-8") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "stowage_start.py"), "plan", *arguments]
    environment = os.environ | {"LC_ALL": language}
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environment)


def planned(*arguments: str) -> dict[str, Any]:
    done = stowage(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def config(name: str) -> str:
    return str(DATA / "configs" / f"{name}.json")


def alone(name: str, folder: Path) -> str:
    """The config as it is published, with ModelOpt's file beside it where there is one."""
    shutil.copy(config(name), folder / "config.json")
    beside = DATA / "configs" / "sidecar" / f"{name}.hf_quant_config.json"
    if beside.exists():
        shutil.copy(beside, folder / "hf_quant_config.json")
    return str(folder / "config.json")


# ---- numbers -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CONFIGS)
def test_the_numbers_are_those_of_vllm(home: Paths, tmp_path: Path, name: str) -> None:
    row = TRUTH[name]
    card = ("--vram", "24", "--cc", "8.9", "--ram", "64")
    options = ("--context", str(row["max_model_len"]), "--kv-budget-gib", "4", "--offload", "8", "--ple-in-vram")
    plan = planned(alone(name, tmp_path), *card, *options)
    assert plan["weight_bytes"] == row["weight_bytes"]
    kv = plan["kv"]
    assert kv["bytes_per_block"] == row["bytes_per_block"]
    assert kv["blocks_per_request"] == row["blocks_per_request"]
    assert kv["bytes_one_request"] == row["kv_bytes_one_request"]
    assert kv["capacity_tokens"] == row["capacity_tokens"]
    assert kv["refused"] is None
    assert plan["offload"]["offloaded_bytes"] == row["offload8gib"]["offloaded"]
    assert plan["offload"]["pinned_bytes"] == row["offload8gib"]["pinned_ram"]
    assert plan["max_num_batched_tokens"] == row["max_num_batched_tokens"]


def test_a_config_alone_makes_a_whole_plan_in_under_a_second(home: Paths) -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    plan = planned(config("Qwen__Qwen3-8B"), "--gpu", "RTX 3060", "--ram", "32", "--context", "8k")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    busy_s = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    assert busy_s < 1.0
    assert plan["model"] == {"name": "Qwen__Qwen3-8B", "path": config("Qwen__Qwen3-8B")}
    assert plan["hardware"]["gpus"][0]["name"] == "NVIDIA GeForce RTX 3060 12 GB"
    assert plan["verdict"] == plan["tiers"]["vram"]["verdict"] == "does not fit"
    assert set(plan["tiers"]) == {"vram", "ram", "disk"}
    assert plan["tiers"]["vram"]["parts"]["weights"]["certainty"] == "exact"
    assert plan["tiers"]["vram"]["parts"]["activations"]["certainty"] == "estimated"
    assert plan["speed"]["tokens_per_s"]["low"] < plan["speed"]["tokens_per_s"]["high"]
    assert plan["context"]["tokens"] == 8000
    assert "--max-model-len 8000" in plan["command"]["line"]
    moved = [lever for lever in plan["levers"] if lever["verdict"] == "fits"]
    assert [lever["id"] for lever in moved] == ["quantization", "cpu_offload_gb"]
    assert (plan["precise"], plan["precise_reason"], plan["solutions"]) == (None, None, [])


def test_the_options_come_into_the_plan(home: Paths) -> None:
    bare = planned(config("google__gemma-3-27b-it"), "--gpu", "RTX 4090", "--ram", "128")
    plan = planned(
        config("google__gemma-3-27b-it"),
        *("--gpu", "RTX 4090", "--tp", "2", "--ram", "128", "--context", "32K", "--max-seqs", "4"),
        *("--max-batched-tokens", "1024", "--kv-dtype", "fp8", "--kv-offload", "6", "--offload", "2.5GiB"),
        *("--eager", "--text-only", "--leave", "1.5", "--engine-version", "0.32.0"),
    )
    assert plan["engine"] == {"version": "0.32.0", "platform": "cuda"}
    assert len(plan["hardware"]["gpus"]) == 2
    assert plan["context"]["tokens"] == 32768
    assert (plan["max_num_seqs"], plan["max_num_batched_tokens"], plan["kv"]["dtype"]) == (4, 1024, "fp8")
    assert plan["weight_bytes"] < bare["weight_bytes"] // 2 + GIB
    assert "towers" not in plan["weights"]["parts"]
    assert "graphs" in bare["tiers"]["vram"]["parts"]
    assert plan["tiers"]["vram"]["parts"]["graphs"]["high_bytes"] == 0
    assert plan["tiers"]["ram"]["parts"]["kv_offload"]["likely_bytes"] == 6 * GIB
    assert plan["tiers"]["vram"]["limit_bytes"] <= 22.2 * GIB
    line = plan["command"]["line"]
    for part in (
        *("--max-num-seqs 4", "--max-num-batched-tokens 1024", "--kv-cache-dtype fp8", "--cpu-offload-gb 2.5"),
        *("--tensor-parallel-size 2", "--enforce-eager", "--language-model-only", "--kv-offloading-size 6"),
    ):
        assert part in line


def test_auto_takes_the_longest_context_that_fits(home: Paths) -> None:
    card = ("--gpu", "RTX 3090", "--ram", "64")
    whole = planned(config("Qwen__Qwen3-8B"), *card)
    auto = planned(config("Qwen__Qwen3-8B"), *card, "--context", "auto")
    assert whole["kv"]["refused"]
    assert auto["kv"]["refused"] is None
    assert 8192 < auto["context"]["tokens"] == whole["context"]["longest"] < whole["context"]["tokens"]
    assert f"--max-model-len {auto['context']['tokens']}" in auto["command"]["line"]
    small = planned(config("Qwen__Qwen3-0.6B"), *card, "--context", "auto")
    assert small["context"]["tokens"] == small["context"]["limit"]


def test_the_solver_finds_options_and_says_what_they_cost(home: Paths) -> None:
    card = ("--gpu", "RTX 3060", "--ram", "64")
    plan = planned(config("Qwen__Qwen3-8B"), *card, "--solve", "--context", "16K", "--leave", "1")
    assert plan["verdict"] in ("fits", "tight")
    assert plan["context"]["tokens"] == 16384
    assert plan["solutions"][0]["command"] == plan["command"]["line"]
    assert plan["solutions"][0]["gives_up"]
    strict = planned(config("Qwen__Qwen3-8B"), *card, "--solve", "--context", "16K", "--full-kv-precision")
    assert all("fp8" not in solution["command"] for solution in strict["solutions"])


# ---- this computer -------------------------------------------------------------------------------------------------


def test_this_computer_with_a_cpu_engine(home: Paths, tmp_path: Path) -> None:
    made = FakeEngine(tmp_path / "own engine")
    command = [sys.executable, str(ROOT / "stowage_start.py"), "engine", "add", str(made.folder)]
    subprocess.run(command, capture_output=True, check=True)
    plan = planned("starter")
    assert plan["engine"] == {"version": "0.32.0", "platform": "cpu"}
    assert "vram" not in plan["tiers"]
    assert set(plan["tiers"]["ram"]["parts"]) >= {"processes", "weights", "kv_cache"}
    assert plan["hardware"]["ram_total_bytes"] > 0
    assert "engine" not in plan["tiers"]["disk"]["parts"]
    assert plan["assumptions"] == []
    assert plan["tiers"]["ram"]["parts"]["kv_cache"]["likely_bytes"] == plan["kv"]["budget_bytes"] == GIB
    assert plan["command"]["env"] == {"VLLM_CPU_KVCACHE_SPACE": "1"}
    assert plan["kv"]["capacity_tokens"] >= plan["context"]["tokens"] == plan["context"]["limit"]
    less = planned("starter", "--ram", "2")
    assert less["verdict"] == "does not fit"
    assert less["hardware"]["ram_total_bytes"] == 2 * GIB


def test_on_a_cpu_auto_is_bounded_by_the_ram(home: Paths) -> None:
    plan = planned(config("Qwen__Qwen3-0.6B"), "--cpu", "--ram", "12", "--context", "auto")
    assert plan["verdict"] in ("fits", "tight")
    assert 8192 < plan["context"]["tokens"] < plan["context"]["limit"]
    space = plan["tiers"]["ram"]["parts"]["kv_cache"]["likely_bytes"]
    assert plan["command"]["env"] == {"VLLM_CPU_KVCACHE_SPACE": str(space // GIB)}
    assert plan["kv"]["bytes_one_request"] <= space


def test_without_an_engine_one_is_counted(home: Paths) -> None:
    plan = planned("starter", "--cpu")
    assert plan["engine"]["platform"] == "cpu"
    assert plan["tiers"]["disk"]["parts"]["engine"]["likely_bytes"] > GIB


def test_a_folder_of_the_user_by_its_name(home: Paths, tmp_path: Path) -> None:
    folder = tmp_path / "my model"
    folder.mkdir()
    alone("Qwen__Qwen3-0.6B", folder)
    by_path = planned(str(folder), "--vram", "12", "--cc", "8.6")
    assert by_path["weight_bytes"] == TRUTH["Qwen__Qwen3-0.6B"]["weight_bytes"]
    assert f"serve '{folder}'" in by_path["command"]["line"]
    home.settings_file.write_text(json.dumps({"model_folders": [str(folder)]}), "utf-8")
    assert planned("my model", "--vram", "12", "--cc", "8.6")["model"]["path"] == str(folder)


# ---- words ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        (
            "C.UTF-8",
            ("It fits.", "exact", "estimated", "Speed: about", "What limits it", "What one could change"),
        ),
        ("ru_RU.UTF-8", ("Помещается.", "точно", "оценка", "Скорость: около", "Что ограничивает", "Что можно", "веса")),
    ],
)
def test_the_table_in_both_languages(home: Paths, language: str, expected: tuple[str, ...]) -> None:
    done = stowage(config("Qwen__Qwen3-0.6B"), "--gpu", "RTX 3060", "--ram", "32", language=language)
    assert done.returncode == 0, done.stderr
    for text in (*expected, "RTX 3060", "vllm serve Qwen__Qwen3-0.6B"):
        assert text in done.stdout
    group = words.terms("en")["plan"]
    assert not re.search(r"\b(part|lever|tier|bound|figure)_\w+", done.stdout), "a term without words"
    if language.startswith("ru"):
        english = [group[name] for name in ("verdict_fits", "exact", "estimated", "part_weights", "levers", "command")]
        assert not [text for text in english if text in done.stdout]


@pytest.mark.parametrize(
    "name", ["google__gemma-4-26B-A4B", "Qwen__Qwen3.8-Flash-Next", "meta-llama__Llama-3.3-70B-Instruct"]
)
def test_what_does_not_fit_is_said_with_a_number(home: Paths, name: str) -> None:
    done = stowage(config(name), "--gpu", "RTX 3060", "--ram", "16")
    assert done.returncode == 0, done.stderr
    assert "It does not fit." in done.stdout
    assert re.search(r"VRAM lacks \d+\.\d GiB", done.stdout)


# ---- bad input -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("--gpu", "RTX 3061"), "plan.gpu_unknown", "RTX 3060"),
        (("--vram", "lots"), "plan.bad_size", "lots"),
        (("--vram", "0"), "plan.bad_size", "--vram"),
        (("--gpu", "RTX 3060", "--ram", "nan"), "plan.bad_size", "--ram"),
        (("--gpu", "RTX 3060", "--context", "32x"), "plan.bad_context", "32x"),
        (("--gpu", "RTX 3060", "--kv-dtype", "fp3"), "plan.bad_kv_dtype", "fp8_e4m3"),
        (("--gpu", "RTX 3060", "--engine-version", "new"), "plan.bad_version", "new"),
        (("--vram", "12", "--cc", "99"), "plan.bad_capability", "99"),
    ],
)
def test_nonsense_is_answered_in_words(home: Paths, arguments: tuple[str, ...], code: str, says: str) -> None:
    done = stowage(config("Qwen__Qwen3-0.6B"), *arguments)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith(words.catalogue("en")[code]["title"])
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    russian = stowage(config("Qwen__Qwen3-0.6B"), *arguments, "--json", language="ru_RU.UTF-8")
    error = json.loads(russian.stdout)["error"]
    assert (error["code"], error["title"]) == (code, words.catalogue("ru")[code]["title"])


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"{", "model.broken_file"),
        (b"\xff\xfe\x00", "model.broken_file"),
        (b"[1, 2]", "model.not_a_checkpoint"),
        (None, "model.folder_missing"),
    ],
)
def test_a_config_that_cannot_be_read(home: Paths, tmp_path: Path, content: bytes | None, code: str) -> None:
    path = tmp_path / "config.json"
    if content is not None:
        path.write_bytes(content)
    done = stowage(str(path), "--vram", "12", "--json")
    assert done.returncode == 1
    error = json.loads(done.stdout)["error"]
    assert error["code"] == code
    assert str(tmp_path) in error["message"]


def test_a_config_that_says_little_is_a_plan_with_reasons(home: Paths, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"architectures": ["NobodysForCausalLM"]}', "utf-8")
    plan = planned(str(tmp_path), "--vram", "12", "--cc", "8.6")
    assert plan["estimated"]
    assert plan["tiers"]["vram"]["parts"]["weights"]["certainty"] in ("unknown", "estimated")
    assert plan["verdict"] == "unknown"
    assert stowage(str(tmp_path), "--vram", "12").returncode == 0


def test_names_and_folders_that_are_no_model(home: Paths, tmp_path: Path) -> None:
    assert json.loads(stowage("no-such-model", "--json").stdout)["error"]["code"] == "model.unknown"
    assert json.loads(stowage(str(tmp_path), "--json").stdout)["error"]["code"] == "model.not_a_checkpoint"


@pytest.mark.parametrize(
    "arguments",
    [("--cc", "8.6"), ("--cpu", "--vram", "12"), ("--max-seqs", "0"), ("--tp", "many"), ("--full-kv-precision",), ()],
)
def test_a_wrong_call_is_a_usage_error(home: Paths, arguments: tuple[str, ...]) -> None:
    done = stowage(*((config("Qwen__Qwen3-0.6B"),) if arguments else ()), *arguments)
    assert done.returncode == 2
    assert "Usage" in done.stderr


# ---- precise mode --------------------------------------------------------------------------------------------------


def test_precise_without_an_engine_says_why(home: Paths) -> None:
    plan = planned(config("Qwen__Qwen3-0.6B"), "--gpu", "RTX 3060", "--precise")
    assert plan["precise"] is None
    assert plan["precise_reason"]["code"] == "engine.none"
    assert plan["weight_bytes"] == TRUTH["Qwen__Qwen3-0.6B"]["weight_bytes"]
    told = stowage(config("Qwen__Qwen3-0.6B"), "--gpu", "RTX 3060", "--precise").stdout
    assert words.catalogue("en")["engine.none"]["title"] in told


def test_precise_with_an_engine_that_gives_no_answer(home: Paths, tmp_path: Path) -> None:
    made = FakeEngine(tmp_path / "own engine")
    command = [sys.executable, str(ROOT / "stowage_start.py"), "engine", "add", str(made.folder)]
    subprocess.run(command, capture_output=True, check=True)
    plan = planned(config("Qwen__Qwen3-0.6B"), "--gpu", "RTX 3060", "--precise")
    assert plan["precise"] is None
    assert plan["precise_reason"]["code"] in ("precise.unsupported", "precise.failed")
    assert "torch" in plan["precise_reason"]["message"]


@pytest.mark.patient
def test_precise_with_the_real_engine(user_with_engine: Paths) -> None:
    arguments = (config("Qwen__Qwen3-0.6B"), "--gpu", "RTX 3060", "--ram", "32", "--context", "8K", "--precise")
    plan = planned(*arguments)
    precise = plan["precise"]
    assert precise["weight_bytes"] == plan["weight_bytes"]
    assert precise["kv"]["capacity_tokens"] == plan["kv"]["capacity_tokens"] > 0
    assert all(precise["equal"].values())
    assert precise["cached"] is False
    done = stowage(*arguments)
    assert "vLLM's own planner" in done.stdout
    assert "remembered" in done.stdout
    assert done.stdout.count("equal") == len(precise["equal"])
