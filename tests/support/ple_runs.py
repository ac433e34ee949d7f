"""Runs of the real engine with and without the plugin of `core/ple`: checkpoints with tables of a gigabyte, greedy
outputs (`ple_generate.py` in the engine's Python)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.engine.endpoint import Endpoint
from core.engine.ple_plugin import Placement, plugin_env, plugin_folder
from core.engine.ple_proof import read_counters
from core.events import EngineInfo

ROOT = Path(__file__).parents[2]
MAKER = ROOT / "tests" / "support" / "tiny_checkpoints.py"
TABLE_BYTES = 49100 * 1856 * 6 * 2
ROW_BYTES = 1856 * 6 * 2
MAKE_DEADLINE_S = 200
RUN_DEADLINE_S = 400


@dataclass(frozen=True)
class Run:
    """Of one model; see `ple_generate.py`. `log` of the whole process, in which other models may have run too."""

    start_s: float
    private_bytes: int
    device_bytes: int
    tokens: list[list[int]]
    again: list[list[int]]
    log: str


def make_checkpoint(engine: EngineInfo, starter: Path, folder: Path, name: str) -> Path:
    command = [engine.python, "-I", str(MAKER), str(starter), str(folder / name), name]
    subprocess.run(command, check=True, capture_output=True, timeout=MAKE_DEADLINE_S)
    return folder / name


@dataclass(frozen=True)
class Order:
    """A model and options of `vllm.LLM`; `adapter`: a folder with a LoRA, which is asked the second time."""

    folder: Path
    options: Mapping[str, object] = field(default_factory=dict[str, object])
    prompts: int = 50
    adapter: Path | None = None

    def told(self) -> dict[str, object]:
        """As `ple_generate.py` takes it."""
        return {
            "folder": str(self.folder),
            "options": dict(self.options),
            "prompts": self.prompts,
            "adapter": str(self.adapter or ""),
        }


def generate(
    engine: EngineInfo,
    scratch: Path,
    placement: Placement,
    models: Sequence[Order],
    *,
    cache_mib: int,
    deadline_s: int = RUN_DEADLINE_S,
) -> list[Run]:
    """One after another in one process that sees the plugin with `placement`."""
    env = plugin_env(plugin_folder(scratch / "cache"), placement, cache_mib=cache_mib, stats=scratch / "stats")
    if engine.platform == "cpu":
        env["PYTHONPATH"] += os.pathsep + str(stand_ins(scratch))
    (scratch / "stats").mkdir()
    return generate_with(engine.python, env, scratch, models, deadline_s)


def generate_with(
    python: str, env: Mapping[str, str], scratch: Path, models: Sequence[Order], deadline_s: int = RUN_DEADLINE_S
) -> list[Run]:
    """One after another in one process of that Python, `env` beside its own environment."""
    result = scratch / "result.json"
    quiet = {"VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_NO_USAGE_STATS": "1", "HF_HUB_OFFLINE": "1"}
    # All in this process: then its private memory is the worker's.
    quiet["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"
    order = [model.told() for model in models]
    program = ROOT / "tests" / "support" / "ple_generate.py"
    done = subprocess.run(
        [python, str(program), str(result), json.dumps({"models": order})], env=os.environ | quiet | dict(env),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=deadline_s,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:]
    found: list[dict[str, Any]] = json.loads(result.read_text())
    return [Run(**run, log=done.stdout) for run in found]


def check_same_answers(found: Run, expected: Run) -> None:
    """Bit for bit, the second time (out of the prefix cache) too, and not one answer to everything."""
    assert len({tuple(answer) for answer in expected.tokens}) > len(expected.tokens) // 2
    assert found.tokens == expected.tokens
    assert found.again == expected.again


def check_read_once(stats: Path, cache_mib: int) -> None:
    """Nothing is read twice within a lookup, and a cache so small does not hold it all."""
    counted = read_counters(stats)
    assert counted.rows > counted.unique_rows > counted.hits > 0
    assert counted.read_bytes == (counted.unique_rows - counted.hits) * ROW_BYTES
    assert counted.unique_rows - counted.hits > (cache_mib << 20) // ROW_BYTES


def complete(endpoint: Endpoint, prompt: Sequence[int], tokens: int) -> str:
    """The greedy completion of a server's model "m". Raises `urllib.error.HTTPError`."""
    body = {"model": "m", "prompt": list(prompt), "max_tokens": tokens, "temperature": 0, "ignore_eos": True}
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {endpoint.api_key}"}
    request = urllib.request.Request(f"{endpoint.base_url}/v1/completions", json.dumps(body).encode(), headers)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=120) as reply:
        return str(json.load(reply)["choices"][0]["text"])


def stand_ins(scratch: Path) -> Path:
    """A folder for the import path with a torchvision and a timm that can be imported."""
    folder = scratch / "stand-ins"
    for name, version in (("torchvision", "0.28.0"), ("timm", "1.0.20")):
        (folder / name).mkdir(parents=True)
        shutil.copyfile(ROOT / "tests" / "fakes" / f"fake_{name}.py", folder / name / "__init__.py")
        about = folder / f"{name}-{version}.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    return folder
