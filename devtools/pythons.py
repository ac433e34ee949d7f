"""Finding a Python to build the environment with."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from devtools.places import NEWEST, OLDEST, clean_environment
from devtools.speech import Stop

# A name on PATH proves nothing (a version manager's shim may stand for a Python that is not there): it is asked.
_ASK = "import sys; print(sys.version_info[0], sys.version_info[1], sys.executable)"
_NAMES = ("python3.13", "python3.12", "python3.11", "python3.14", "python3", "python")


def find_python() -> Path:
    """This interpreter when it is new enough, else the first on PATH that really runs and is.

    Raises:
        Stop: there is none.
    """
    if OLDEST <= sys.version_info[:2] <= NEWEST and sys.executable:
        return Path(sys.executable)
    seen = [f"{sys.version_info[0]}.{sys.version_info[1]}"]
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        for name in _NAMES:
            candidate = Path(folder) / name
            if not (folder and os.access(candidate, os.X_OK)):
                continue
            version = version_of(candidate)
            if version is None:
                continue
            if OLDEST <= version <= NEWEST:
                return candidate
            seen.append(f"{version[0]}.{version[1]}")
    found = ", ".join(dict.fromkeys(seen))
    raise Stop(
        f"Python {OLDEST[0]}.{OLDEST[1]} to {NEWEST[0]}.{NEWEST[1]} is needed; only {found} was found here.",
        "Install Python 3.12 (on Debian or Ubuntu: apt-get install python3.12 python3.12-venv; Fedora: dnf install "
        "python3.12), then run the same command again.",
    )


def version_of(python: Path) -> tuple[int, int] | None:
    """(major, minor) that `python` itself reports; None when it does not run."""
    try:
        answer = subprocess.run(
            [str(python), "-c", _ASK], capture_output=True, text=True, timeout=20, env=clean_environment(), check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    words = answer.stdout.split(maxsplit=2)
    if answer.returncode != 0 or len(words) < 2 or not (words[0].isdigit() and words[1].isdigit()):
        return None
    return int(words[0]), int(words[1])
