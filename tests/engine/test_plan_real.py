"""The plan against real launches on the CPU: what the server's own log says of weights and KV cache, and what was said
before it started."""

from __future__ import annotations

import asyncio
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from core.checkpoint.load import load_checkpoint
from core.checkpoint.tensors import Part
from core.engine.command import LaunchRequest
from core.engine.supervisor import Supervisor
from core.events import EngineInfo, EventBus
from core.paths import Paths
from core.planner.amounts import Certainty
from core.planner.options import GIB
from core.planner.plan import make_plan
from tests.support.plans import request

CONTEXT = 1024
MAKER = Path(__file__).parents[1] / "support" / "tiny_checkpoints.py"

Make = Callable[[str], Path]

pytestmark = pytest.mark.timeout(240)


@pytest.fixture
def make(real_engine: EngineInfo, starter_path: Path, tmp_path: Path) -> Make:
    """The starter, or a small random checkpoint made by the engine's own Python."""

    def made(name: str) -> Path:
        if name == "starter":
            return starter_path
        command = [real_engine.python, "-I", str(MAKER), str(starter_path), str(tmp_path / name), name]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        return tmp_path / name

    return made


def log_of_a_start(home: Paths, engine: EngineInfo, model: Path) -> str:
    """What a server says until it is ready; it is stopped then."""
    home.ensure()

    async def main() -> str:
        supervisor = Supervisor(home, EventBus())
        try:
            await supervisor.start(LaunchRequest("model", str(model), engine, max_model_len=CONTEXT))
            return "\n".join(supervisor.log_tail())
        finally:
            await supervisor.close()

    return asyncio.run(main())


@pytest.mark.parametrize("name", ["starter", "qwen3", "gemma3", "gemma3n"])
def test_weights_and_kv_tokens_are_what_the_server_says(
    home: Paths, real_engine: EngineInfo, make: Make, name: str
) -> None:
    model = make(name)
    version = tuple(int(part) for part in real_engine.version.split("."))
    plan = make_plan(
        load_checkpoint(model), request(version=version, platform="cpu", avail=GIB, context=CONTEXT, enforce_eager=True)
    )
    log = log_of_a_start(home, real_engine, model)

    tokens = re.search(r"KV cache size: ([\d,]+) tokens", log)
    assert tokens is not None, log
    assert plan.kv.capacity_tokens == int(tokens[1].replace(",", ""))
    concurrency = re.search(r"Maximum concurrency for 1,024 tokens per request: ([\d.]+)x", log)
    assert concurrency is not None, log
    assert f"{plan.kv.concurrency:.2f}" == concurrency[1]
    on_disk = re.search(r"Checkpoint size: ([\d.]+) GiB", log)
    assert on_disk is not None, log
    loaded = sum(file.stat().st_size for file in model.glob("*.safetensors"))
    assert f"{loaded / GIB:.2f}" == on_disk[1]
    # What vLLM makes by itself (rope caches, scale factors) is not in the file; a safetensors header is not in memory.
    own = plan.weights.by_part[Part.BUFFERS]
    assert plan.weights.bytes - own == pytest.approx(loaded, rel=0.001)
    assert plan.weights.amount.certainty is Certainty.EXACT
