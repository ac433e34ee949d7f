"""The plugin's parts in the engine's own Python, where torch is: rows, cache, faults of the file."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from core.events import EngineInfo

ROOT = Path(__file__).parents[2]
CHECKS = ROOT / "tests" / "support" / "ple_checks.py"
NAMES = re.findall(r"^def (check_\w+)", CHECKS.read_text("utf-8"), re.MULTILINE)


@pytest.fixture(scope="module")
def results(real_engine: EngineInfo, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    command = [real_engine.python, str(CHECKS), str(tmp_path_factory.mktemp("ple"))]
    env = os.environ | {"PYTHONPATH": str(ROOT / "core" / "ple")}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("name", NAMES)
def test_check(results: dict[str, str], name: str) -> None:
    assert results[name] == "", results[name]
