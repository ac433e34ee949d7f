"""A vLLM for CUDA where one is at hand: the Python that `STOWAGE_TEST_CUDA_PYTHON` names, else the newest such engine
that the user has in Stowage. Nothing is installed for it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections.abc import Mapping

from core.engine.environments import Environments
from core.events import EngineInfo, EngineState, EventBus
from core.paths import Paths
from core.settings import SettingsStore

ENV = "STOWAGE_TEST_CUDA_PYTHON"
LOOK_DEADLINE_S = 120
LOOK = (
    "import json, platform, torch, vllm;"
    "print(json.dumps({'version': vllm.__version__, 'python': platform.python_version(), 'torch': torch.__version__,"
    " 'cuda': torch.version.cuda is not None, 'cards': torch.cuda.device_count()}))"
)


class NoGpu(Exception):
    """There is none to run on; the text says what is missing."""


def find(paths: Paths, environ: Mapping[str, str] = os.environ) -> EngineInfo:
    """Raises: NoGpu."""
    python = environ.get(ENV) or _registered(paths)
    try:
        done = subprocess.run(
            [python, "-c", LOOK], check=False, capture_output=True, text=True, timeout=LOOK_DEADLINE_S
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise NoGpu(f"{python} cannot be used: {error}") from error
    if done.returncode != 0:
        raise NoGpu(f"{python} has no vLLM that can be imported: {done.stderr.strip().splitlines()[-1:]}")
    seen = json.loads(done.stdout.splitlines()[-1])
    if not seen["cuda"]:
        raise NoGpu(f"the vLLM of {python} is no build for CUDA")
    if not seen["cards"]:
        raise NoGpu("no CUDA device is here")
    return EngineInfo(
        "cuda", EngineState.READY, seen["version"], "cuda", python, seen["python"], ours=False, torch=seen["torch"]
    )


def _registered(paths: Paths) -> str:
    engines = asyncio.run(Environments(paths, SettingsStore(paths.settings_file), EventBus()).list())
    for engine in engines:
        if engine.platform == "cuda" and engine.state is EngineState.READY:
            return engine.python
    raise NoGpu(f"no engine for CUDA: set {ENV} to the Python of one, or install one in Stowage")
