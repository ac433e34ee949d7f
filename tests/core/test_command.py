"""The command line and the environment of a launch."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.engine.command import LaunchRequest, build_command
from core.events import EngineInfo, EngineState

CPU = EngineInfo("cpu-0.32.0", EngineState.READY, "0.32.0", "cpu", "/engines/cpu/venv/bin/python", "3.11", ours=True)
CUDA = EngineInfo("cuda-0.33.0", EngineState.READY, "0.33.0", "cuda", "/engines/cuda/bin/python", "3.12", ours=True)


def test_argv() -> None:
    request = LaunchRequest("starter", "/models/starter", CPU, max_model_len=2048, extra_args=("--seed", "1"))
    assert build_command(request, 8123, "key", {}).argv == (
        "/engines/cpu/venv/bin/python", "-m", "vllm.entrypoints.openai.api_server",
        "--model", "/models/starter", "--host", "127.0.0.1", "--port", "8123", "--served-model-name", "starter",
        "--max-model-len", "2048", "--enforce-eager", "--seed", "1",
    )  # fmt: skip


def test_the_models_own_context_and_no_eager() -> None:
    argv = build_command(LaunchRequest("m", "/m", CUDA, enforce_eager=False), 1, "key", {}).argv
    assert "--max-model-len" not in argv
    assert "--enforce-eager" not in argv


def test_the_environment(tmp_path: Path) -> None:
    request = LaunchRequest("m", str(tmp_path), CPU, cpu_kv_cache_gib=3)
    env = build_command(request, 1, "the-key", {"PATH": "/usr/bin", "HOME": "/home/user", "HTTP_PROXY": "http://p"}).env
    assert env == {
        "PATH": "/engines/cpu/venv/bin:/usr/bin",
        "HOME": "/home/user",
        "HTTP_PROXY": "http://p",
        "NO_PROXY": "127.0.0.1,localhost",
        "no_proxy": "127.0.0.1,localhost",
        "VLLM_API_KEY": "the-key",
        "VLLM_NO_USAGE_STATS": "1",
        "DO_NOT_TRACK": "1",
        "VLLM_LOGGING_COLOR": "0",
        "NO_COLOR": "1",
        "PYTHONUNBUFFERED": "1",
        "HF_HUB_OFFLINE": "1",
        "VLLM_CPU_KVCACHE_SPACE": "3",
    }


def test_a_hub_model_may_use_the_network_and_a_gpu_needs_no_cpu_cache() -> None:
    env = build_command(LaunchRequest("m", "owner/name-that-is-no-folder", CUDA), 1, "key", {}).env
    assert "HF_HUB_OFFLINE" not in env
    assert "VLLM_CPU_KVCACHE_SPACE" not in env


@pytest.mark.parametrize("name", ["PYTHONHOME", "PYTHONPATH", "LD_LIBRARY_PATH", "LD_PRELOAD", "QT_PLUGIN_PATH",
                                  "QT_QPA_PLATFORM", "VIRTUAL_ENV", "VLLM_LOGGING_LEVEL", "STOWAGE_HOME"])  # fmt: skip
def test_what_belongs_to_the_app_stays_with_it(name: str) -> None:
    assert name not in build_command(LaunchRequest("m", "/m", CPU), 1, "key", {name: "x"}).env


def test_an_old_key_of_the_user_is_replaced() -> None:
    env = build_command(LaunchRequest("m", "/m", CPU), 1, "new", {"VLLM_API_KEY": "old"}).env
    assert env["VLLM_API_KEY"] == "new"
