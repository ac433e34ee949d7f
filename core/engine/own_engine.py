"""A vLLM that the user installed: from the path that they point at to the Python that runs it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from core.engine import interpreters
from core.engine.inspection import inspect, venv_python
from core.engine.interpreters import NotPython
from core.engine.manifest import Manifest
from core.errors import AppError

# The oldest Python of any vLLM that Stowage's command line fits (0.16 still ran on 3.10).
PYTHON_MIN: Final = (3, 10)


async def find(path: str) -> tuple[str, str]:
    """Check what lies at `path` without importing vLLM. Returns the path to remember and the Python in it.

    Links are not followed: the Python of a virtual environment is a link to one that knows nothing of it.

    Raises:
        AppError: `engine.not_python`, `engine.python_too_old`, `engine.no_vllm`.
    """
    kept = Path(path).expanduser().absolute()
    python = _python_at(kept)
    if python is None:
        reason = "there is no Python in this folder" if kept.is_dir() else "there is no such file"
        raise AppError("engine.not_python", path=str(kept), reason=reason)
    try:
        interpreter = await interpreters.ask(str(python))
    except NotPython as error:
        raise AppError("engine.not_python", path=str(kept), reason=str(error)) from error
    if interpreter.version[:2] < PYTHON_MIN:
        needed = ".".join(map(str, PYTHON_MIN))
        raise AppError("engine.python_too_old", path=str(kept), found=interpreter.text, needed=needed)
    found = await inspect(str(python), importing=False)
    if not found.distribution:
        raise AppError("engine.no_vllm", found.failed, path=str(kept))
    return str(kept), str(python)


def unchecked(engine_id: str, kept: str) -> Manifest:
    """The record of an own engine that nobody has looked into yet (a settings file from another computer)."""
    python = _python_at(Path(kept))
    return Manifest(id=engine_id, version="", platform="", python=str(python or kept), python_version="", own_path=kept)


def _python_at(path: Path) -> Path | None:
    if path.is_file():
        return path
    for python in (venv_python(path), path / "bin" / "python3"):
        if python.is_file():
            return python
    return None
