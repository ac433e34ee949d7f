"""Where `dev.py` keeps things, and which Pythons it takes."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
WORK = ROOT / ".dev"
LOG = WORK / "setup.log"
REQUIREMENTS = ROOT / "requirements"

OLDEST = (3, 11)
NEWEST = (3, 14)

_BIN = VENV / ("Scripts" if os.name == "nt" else "bin")


def tool(name: str) -> Path:
    """A program of the environment."""
    return _BIN / (f"{name}.exe" if os.name == "nt" else name)


def venv_python() -> Path:
    return tool("python")


def app_environment() -> dict[str, str]:
    """This process's environment without what would make another Python load this one's files."""
    leaks = ("PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__")
    return {key: value for key, value in os.environ.items() if key not in leaks}


def clean_environment() -> dict[str, str]:
    """For the set-up's own children: also without what would make pip install somewhere else than it is told."""
    aside = ("PIP_TARGET", "PIP_PREFIX", "PIP_USER", "PIP_ROOT")
    environment = {key: value for key, value in app_environment().items() if key not in aside}
    return environment | {"UV_PYTHON_DOWNLOADS": "never", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}
