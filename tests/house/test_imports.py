"""What is loaded when: `core` never brings Qt or an engine's packages, and the version costs neither Qt nor HTTP."""

from __future__ import annotations

import os
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
IN_THE_ENGINE = ("core.engine.starter_convert", "core.engine.inspect_engine", "core.engine.in_engine.", "core.ple.")

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
    done = python(IMPORT_ALL, *[name for name in MODULES if not name.startswith(IN_THE_ENGINE)])
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


@pytest.mark.parametrize(("language", "said"), [("C", "There is no screen"), ("ru_RU.UTF-8", "Окно негде открыть")])
def test_without_a_screen_words_instead_of_an_abort(language: str, said: str) -> None:
    screens = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    environment = {name: value for name, value in os.environ.items() if name not in screens}
    command = [sys.executable, str(ROOT / "stowage_start.py")]
    environment |= {"LC_ALL": language, "PYTHONUTF8": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(said)
    assert len(done.stderr.splitlines()) == 3


def test_a_missing_library_is_said_in_words(tmp_path: Path) -> None:
    """A Qt whose library the loader does not find, as on a system without libGL."""
    qt = tmp_path / "PySide6"
    qt.mkdir()
    (qt / "__init__.py").write_text(
        "raise ImportError('libGL.so.1: cannot open shared object file: No such file or directory')\n"
    )
    command = [sys.executable, "-c", "import stowage_start, sys; sys.exit(stowage_start.window())"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)]), "LC_ALL": "C"}
    environment |= {"QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 1
    assert "libGL.so.1" in done.stderr
    assert "Traceback" not in done.stderr
    assert "dev.py run" in done.stderr
