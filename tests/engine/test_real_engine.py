"""The engine and the model that every other engine test stands on."""

from __future__ import annotations

import subprocess
from pathlib import Path

from core.checkpoint.folder import inspect_folder
from core.engine.recipes import CPU
from core.events import EngineInfo, EngineState


def test_the_engine_is_a_vllm_that_imports(real_engine: EngineInfo) -> None:
    assert (real_engine.id, real_engine.state, real_engine.platform) == (CPU.id, EngineState.READY, "cpu")
    code = "import vllm, torch; print(torch.ones(3).sum().item())"
    done = subprocess.run([real_engine.python, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "3.0"


def test_the_starter_is_a_whole_checkpoint(starter_path: Path) -> None:
    model = inspect_folder(starter_path)
    assert model.error is None
    assert model.architecture == "LlamaForCausalLM"
    assert model.size_bytes > 250_000_000
