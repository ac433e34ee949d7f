"""Where `dev.py` keeps things, and which Pythons it takes."""

from __future__ import annotations

import os
import sys
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


def clean_environment() -> dict[str, str]:
    """This process's environment without what would make another Python load this one's files, or make pip install
    somewhere else than into the environment."""
    leaks = ("PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__", "PIP_TARGET", "PIP_PREFIX", "PIP_USER")
    environment = {key: value for key, value in os.environ.items() if key not in leaks}
    environment["UV_PYTHON_DOWNLOADS"] = "never"
    environment["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
    environment["PYTHONUNBUFFERED" if not sys.stdout.isatty() else "PIP_NO_INPUT"] = "1"
    return environment
