"""What is loaded when: `core` never brings Qt or an engine's packages, and the version costs neither Qt nor HTTP."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from core.version import __version__

ROOT = Path(__file__).parents[2]
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in (ROOT / "core").rglob("*.py")
)
# Programs started by path in an engine's own Python, where these packages are.
IN_THE_ENGINE = {"core.engine.starter_convert", "core.engine.inspect_engine"}

IMPORT_ALL = """
import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
    loaded = sorted({"PySide6", "shiboken6", "vllm", "torch", "transformers"} & set(sys.modules))
    if loaded:
        sys.exit(f"{name} loads {loaded}")
"""

START = """
import sys
sys.argv = ["stowage", *sys.argv[1:]]
import stowage_start
try:
    code = stowage_start.main()
except SystemExit as end:
    code = end.code
loaded = sorted({"PySide6", "httpx2", "psutil"} & set(sys.modules))
sys.exit(f"loaded {loaded}" if loaded else code)
"""


def python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, cwd=ROOT, check=False
    )


def test_core_loads_neither_qt_nor_an_engine() -> None:
    done = python(IMPORT_ALL, *[name for name in MODULES if name not in IN_THE_ENGINE])
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("argument", ["--version", "--help"])
def test_the_version_and_the_help_load_neither_qt_nor_http(argument: str) -> None:
    done = python(START, argument)
    assert done.returncode == 0, done.stderr
    assert (f"stowage {__version__}" if argument == "--version" else "ask") in done.stdout


def test_the_installed_command_starts() -> None:
    """`dev.py` puts the project into its environment, so that `stowage` is a command there."""
    command = Path(sys.executable).with_name("stowage")
    if not command.exists():
        pytest.skip("the project is not installed here")
    done = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"stowage {__version__}\n"
