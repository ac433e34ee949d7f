"""The stamp: a file in the environment that says which set-up it holds, written last.

`started` is written before anything else, so an environment whose set-up was cut off is known as such.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass

from devtools.places import REQUIREMENTS, ROOT, VENV, venv_python

STAMP = VENV / "stowage-setup.json"
# Raise it when the set-up steps themselves change, so that environments made by the old ones are brought up to date.
STEPS = 1


@dataclass(frozen=True)
class Stamp:
    """`level` is "app" or "dev" (a superset); `key` covers all that decides what is installed; `python` is the
    resolved base interpreter with its size and time, which change when it is replaced."""

    state: str
    level: str
    key: str
    python: str


def wanted_key(level: str) -> str:
    digest = hashlib.sha256(f"{STEPS} {level} {ROOT}\n".encode())
    for path in (REQUIREMENTS / f"{level}.lock", REQUIREMENTS / "build.lock", ROOT / "pyproject.toml"):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def python_identity() -> str:
    """Empty when the environment's interpreter is gone (its base Python was removed)."""
    try:
        real = venv_python().resolve(strict=True)
        facts = real.stat()
    except OSError:
        return ""
    return f"{real} {facts.st_size} {facts.st_mtime_ns}"


def read_stamp() -> Stamp | None:
    """None when there is no environment, or one that `dev.py` did not make."""
    try:
        raw = json.loads(STAMP.read_text("utf-8"))
        return Stamp(**{name: str(raw[name]) for name in ("state", "level", "key", "python")})
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        return Stamp("started", "app", "", "")


def write_stamp(stamp: Stamp) -> None:
    part = STAMP.with_suffix(".part")
    with part.open("w", encoding="utf-8") as file:
        json.dump(asdict(stamp), file, indent=2)
        file.flush()
        os.fsync(file.fileno())
    part.replace(STAMP)


def is_whole(level: str) -> bool:
    """Whether the environment holds `level` already. Costs a few file reads, no process."""
    stamp = read_stamp()
    if stamp is None or stamp.state != "done" or stamp.python != python_identity():
        return False
    if level == "dev" and stamp.level != "dev":
        return False
    return stamp.key == wanted_key(stamp.level)
