"""The guard that every test stands under really catches what a test leaves behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).parents[2]

LEAVES_A_CHILD = """
    child = subprocess.Popen(["sleep", "3607.25"])
    child.returncode = 0  # keeps Python from warning
"""
LEAVES_AN_ORPHAN = """
    script = "cd '%s' && (setsid sleep 3608.25 >/dev/null 2>&1 </dev/null &)" % tmp_path
    subprocess.run(["sh", "-c", script], check=True)
"""
LEAVES_NOTHING = """
    subprocess.run(["true"], check=True)
"""


def run_inner(tmp_path: Path, body: str) -> subprocess.CompletedProcess[str]:
    """One test with `body`, run by a pytest of its own with this project's conftest and a short deadline."""
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "test_inner.py").write_text(f"import subprocess\n\n\ndef test_inner(tmp_path):{body}")
    (inner / "conftest.py").write_text(
        "import tests.conftest\nfrom tests.conftest import *\ntests.conftest.SURVIVORS_DEADLINE_S = 1.0\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", str(ROOT / "pyproject.toml")]
    command += ["--rootdir", str(inner), "--basetemp", str(tmp_path / "inner-tmp"), str(inner)]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=dict(os.environ), check=False)


@pytest.mark.parametrize("body", [LEAVES_A_CHILD, LEAVES_AN_ORPHAN], ids=["child", "orphan"])
def test_a_process_left_behind_fails_the_test_and_is_ended(tmp_path: Path, body: str) -> None:
    done = run_inner(tmp_path, body)
    assert done.returncode == 1, done.stdout
    assert "processes were left behind" in done.stdout
    assert "sleep" in done.stdout
    sleepers = [
        p for p in psutil.process_iter(["cmdline"]) if p.info["cmdline"] in (["sleep", "3607.25"], ["sleep", "3608.25"])
    ]
    assert sleepers == []


def test_a_clean_test_passes(tmp_path: Path) -> None:
    done = run_inner(tmp_path, LEAVES_NOTHING)
    assert done.returncode == 0, done.stdout
