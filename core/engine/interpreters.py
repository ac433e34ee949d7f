"""Finds Pythons that can make an engine's environment, by running them: a name on PATH proves nothing."""

from __future__ import annotations

import glob
import json
import logging
import os
import shutil
import sys
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from core.engine.child_env import clean_env
from core.engine.tool import answer_of
from core.errors import AppError

log = logging.getLogger(__name__)

# Also runs on Python 2.7, so that an old one is called old and not broken. `base` leads out of a virtual environment.
_QUESTION: Final = """
import json, sys
def has(name):
    try:
        __import__(name)
        return True
    except Exception:
        return False
base = getattr(sys, "base_prefix", sys.prefix)
print("STOWAGE " + json.dumps({"executable": sys.executable, "base": base, "version": list(sys.version_info[:3]),
      "bits": 64 if sys.maxsize > 2 ** 32 else 32, "venv": has("venv") and has("ensurepip")}))
"""
_ANSWER_S: Final = 20.0


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python that answered. `venv` says that it can make environments (venv and ensurepip are there)."""

    executable: str
    base: str
    version: tuple[int, int, int]
    venv: bool

    @property
    def minor(self) -> str:
        return f"{self.version[0]}.{self.version[1]}"

    @property
    def text(self) -> str:
        return ".".join(map(str, self.version))


class NotPython(Exception):
    """The program did not answer as a Python does; the message says how."""


async def ask(executable: str) -> Interpreter:
    """Ask one program which Python it is.

    Raises:
        NotPython: it cannot be run, fails, does not answer within 20 s or answers something else.
    """
    try:
        code, out, err = await answer_of([executable, "-c", _QUESTION], env=clean_env(), timeout_s=_ANSWER_S)
    except TimeoutError as error:
        raise NotPython(f"no answer in {_ANSWER_S:g} s") from error
    except (OSError, ValueError) as error:
        raise NotPython(str(error)) from error
    answer = next((line[8:] for line in out.splitlines() if line.startswith("STOWAGE ")), "")
    if not answer:
        words = err.strip().splitlines()
        raise NotPython(words[-1] if words else f"exit code {code} and no answer")
    return _parse(answer)


def _parse(answer: str) -> Interpreter:
    try:
        facts = cast("dict[str, object]", json.loads(answer))
        major, minor, micro = (int(part) for part in cast("Sequence[int]", facts["version"]))
        can_venv = bool(facts["venv"]) and facts["bits"] == 64
        return Interpreter(str(facts["executable"]), str(facts["base"]), (major, minor, micro), can_venv)
    except (ValueError, KeyError, TypeError) as error:
        raise NotPython(f"it answered {answer[:80]!r}") from error


async def usable(
    python_min: tuple[int, int], python_below: tuple[int, int], names: Iterable[str] | None = None
) -> AsyncGenerator[Interpreter]:
    """Pythons in the range that can make environments, best first, each once. The next one is asked when it is wanted.

    Raises:
        AppError: `engine.no_python` with what was tried, at the end when there was none.
    """
    found: set[str] = set()
    tried: list[str] = []
    for name in candidates() if names is None else names:
        try:
            interpreter = await ask(name)
        except NotPython as error:
            log.debug("%s: %s", name, error)
            tried.append(f"{name} (does not run)")
            continue
        same = interpreter.base + interpreter.minor
        if not python_min <= interpreter.version[:2] < python_below:
            tried.append(f"{name} ({interpreter.text})")
        elif not interpreter.venv:
            tried.append(f"{name} ({interpreter.text}, cannot make environments)")
        elif same not in found:
            found.add(same)
            yield interpreter
    if not found:
        needed = f"{python_min[0]}.{python_min[1]} - {python_below[0]}.{python_below[1] - 1}"
        raise AppError("engine.no_python", needed=needed, tried=", ".join(tried) or None)


def candidates() -> tuple[str, ...]:
    """Paths worth asking, best first: the Python under the app, those on PATH, those of pyenv and uv."""
    own = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    paths = [str(Path(sys.base_prefix) / "bin" / own)]
    for minor in (12, 11, 13, 14):
        paths += _on_path(f"python3.{minor}")
    paths += _on_path("python3")
    home = Path.home()
    for pattern in (
        home / ".pyenv/versions/3.*/bin/python3",
        home / ".local/share/uv/python/cpython-3.*/bin/python3",
    ):
        paths += sorted(glob.glob(str(pattern)))
    return tuple(dict.fromkeys(path for path in paths if os.access(path, os.X_OK)))


def _on_path(name: str) -> list[str]:
    """Every `name` on PATH, not only the first: a shim may stand before a Python that works."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return [found for folder in folders if folder and (found := shutil.which(name, path=folder))]
