"""The plugin as somebody without Stowage has it: installed by pip beside vLLM and turned on by a variable; with a LoRA
adapter on top."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from core.engine.ple_proof import kept_off
from core.events import EngineInfo
from tests.support.ple_runs import ROOT, Order, Run, generate_with, make_checkpoint

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def installed(real_engine: EngineInfo, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A Python that sees the engine's packages and, installed in its own folder, the plugin."""
    folder = tmp_path_factory.mktemp("installed")
    source = shutil.copytree(ROOT / "core" / "ple", folder / "ple")  # building leaves files in it
    _run(real_engine.python, "-m", "venv", "--without-pip", str(folder / "venv"))
    python = str(folder / "venv" / "bin" / "python")
    _packages(python).joinpath("engine.pth").write_text(f"{_packages(real_engine.python)}\n")
    # Built with the engine's setuptools instead of one that would be downloaded.
    _run(python, "-m", "pip", "install", "--no-deps", "--no-build-isolation", "--no-index", str(source))
    return python


def _packages(python: str) -> Path:
    return Path(_run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())


def _run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout


@pytest.fixture(scope="module")
def runs(
    real_engine: EngineInfo,
    starter_path: Path,
    gemma4_path: Path,
    installed: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Run]:
    folder = tmp_path_factory.mktemp("runs")
    adapter = make_checkpoint(real_engine, starter_path, folder, "gemma4-lora")
    order = [Order(gemma4_path, {"enable_lora": True, "max_lora_rank": 8}, prompts=16, adapter=adapter)]

    def asked(name: str, python: str, **env: str) -> Run:
        (folder / name).mkdir()
        return generate_with(python, env, folder / name, order)[0]

    return {
        "without": asked("without", real_engine.python),
        "off": asked("off", installed),
        "disk": asked("disk", installed, STOWAGE_PLE="disk"),
    }


def test_what_is_installed_does_nothing_unless_told(runs: dict[str, Run]) -> None:
    assert "stowage-ple" in runs["disk"].log
    assert "stowage-ple" not in runs["off"].log
    assert runs["off"].tokens == runs["without"].tokens


def test_the_variable_alone_moves_the_table(runs: dict[str, Run]) -> None:
    (said,) = kept_off(runs["disk"].log.splitlines())
    assert (said.placement, said.rows) == ("disk", 49100)
    assert runs["disk"].tokens == runs["without"].tokens


def test_an_adapter_answers_as_without_the_plugin(runs: dict[str, Run]) -> None:
    changed = [a != b for a, b in zip(runs["without"].tokens, runs["without"].again, strict=True)]
    assert sum(changed) > 12
    assert runs["disk"].again == runs["without"].again
