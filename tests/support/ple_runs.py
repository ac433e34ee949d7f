"""Runs of the real engine with and without the plugin of `core/ple`: checkpoints with tables of a gigabyte, greedy
outputs (`ple_generate.py` in the engine's Python)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.engine.endpoint import Endpoint
from core.engine.ple_plugin import Placement, plugin_env, plugin_folder
from core.events import EngineInfo

ROOT = Path(__file__).parents[2]
MAKER = ROOT / "tests" / "support" / "tiny_checkpoints.py"
TABLE_BYTES = 49100 * 1856 * 6 * 2
ROW_BYTES = 1856 * 6 * 2
MAKE_DEADLINE_S = 200
RUN_DEADLINE_S = 280


@dataclass(frozen=True)
class Run:
    """Of one model; see `ple_generate.py`. `log` of the whole process, in which other models may have run too."""

    start_s: float
    private_bytes: int
    tokens: list[list[int]]
    again: list[list[int]]
    log: str


def make_checkpoint(engine: EngineInfo, starter: Path, folder: Path, name: str) -> Path:
    command = [engine.python, "-I", str(MAKER), str(starter), str(folder / name), name]
    subprocess.run(command, check=True, capture_output=True, timeout=MAKE_DEADLINE_S)
    return folder / name


def generate(
    engine: EngineInfo,
    scratch: Path,
    placement: Placement,
    models: Sequence[tuple[Path, Mapping[str, object]]],
    *,
    cache_mib: int,
) -> list[Run]:
    """One after another in one process that sees the plugin with `placement`."""
    scratch.mkdir()
    result = scratch / "result.json"
    env = plugin_env(plugin_folder(scratch / "cache"), placement, cache_mib=cache_mib, stats=scratch / "stats")
    env["PYTHONPATH"] += os.pathsep + str(stand_ins(scratch))
    env |= {"VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_NO_USAGE_STATS": "1", "HF_HUB_OFFLINE": "1"}
    # All in this process: then its private memory is the worker's.
    env["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"
    (scratch / "stats").mkdir()
    order = {"models": [{"folder": str(folder), "options": dict(options)} for folder, options in models]}
    command = [engine.python, str(ROOT / "tests" / "support" / "ple_generate.py"), str(result), json.dumps(order)]
    done = subprocess.run(
        command, env=os.environ | env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        timeout=RUN_DEADLINE_S,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:]
    found: list[dict[str, Any]] = json.loads(result.read_text())
    return [Run(**run, log=done.stdout) for run in found]


def complete(endpoint: Endpoint, prompt: Sequence[int], tokens: int) -> str:
    """The greedy completion of a server's model "m". Raises `urllib.error.HTTPError`."""
    body = {"model": "m", "prompt": list(prompt), "max_tokens": tokens, "temperature": 0, "ignore_eos": True}
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {endpoint.api_key}"}
    request = urllib.request.Request(f"{endpoint.base_url}/v1/completions", json.dumps(body).encode(), headers)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=120) as reply:
        return str(json.load(reply)["choices"][0]["text"])


def stand_ins(scratch: Path) -> Path:
    """A folder for the import path with a torchvision that can be imported."""
    folder = scratch / "stand-ins"
    (folder / "torchvision").mkdir(parents=True)
    shutil.copyfile(ROOT / "tests" / "fakes" / "fake_torchvision.py", folder / "torchvision" / "__init__.py")
    about = folder / "torchvision-0.28.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: torchvision\nVersion: 0.28.0\n")
    return folder
