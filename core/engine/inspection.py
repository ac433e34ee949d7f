"""Asks an engine's Python what is in it, by running `inspect_engine.py` there."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from core.engine.child_env import inspection_env
from core.engine.tool import ToolResult, run_tool

SCRIPT: Final = Path(__file__).with_name("inspect_engine.py")
IMPORT_S: Final = 300.0
METADATA_S: Final = 30.0
_MARK: Final = "STOWAGE "


@dataclass(frozen=True, slots=True)
class Inspection:
    """`version` and `platform` are vLLM's, "" when it is not there or was not imported; `failed` says why it does not
    work ("" when it does), `trace` is the technical side of it. `packages_sha256`: of all that is installed, its files'
    own hashes included, "" when unknown; `packages`: how many distributions that are."""

    python: str
    python_version: str
    distribution: str
    version: str
    platform: str
    failed: str
    trace: str
    torch: str = ""
    packages: int = 0
    packages_sha256: str = ""


async def inspect(
    python: str, *, importing: bool, timeout_s: float | None = None, keep_open: tuple[int, ...] = ()
) -> Inspection:
    """Look into the engine of `python`: its metadata only, or a real import too (7 s; minutes on a cold disk).

    Never raises for a sick engine: that is an answer (`failed`).
    """
    limit_s = timeout_s or (IMPORT_S if importing else METADATA_S)
    command = [python, "-I", str(SCRIPT)] + ([] if importing else ["--metadata"])
    with tempfile.TemporaryDirectory(prefix="stowage-inspect-") as folder:
        try:
            async with asyncio.timeout(limit_s):
                result = await run_tool(
                    command, python=python, env=inspection_env(), cwd=Path(folder), keep_open=keep_open
                )
        except TimeoutError:
            return _sick(python, f"no answer in {limit_s:g} s", "")
        except OSError as error:
            return _sick(python, str(error), "")
    return _read(python, result)


def _read(python: str, result: ToolResult) -> Inspection:
    line = next((line for line in reversed(result.lines) if line.startswith(_MARK)), None)
    if line is None:
        return _sick(python, _death(result), result.tail)
    found = cast("dict[str, Any]", json.loads(line[len(_MARK) :]))
    failed = f"import of {found['failed_module']}: {found['error']}" if found["error"] else ""
    return Inspection(
        python=python, python_version=found["python_version"], distribution=found["distribution"],
        version=found["version"], platform=found["platform"], failed=failed, trace=found["trace"],
        torch=found["torch"], packages=found["packages"], packages_sha256=found["packages_sha256"],
    )  # fmt: skip


def _death(result: ToolResult) -> str:
    """How a Python ended that gave no answer. `tied.py` passes a signal on as 128 + its number."""
    if result.exit_code > 128:
        try:
            return f"killed by {signal.Signals(result.exit_code - 128).name}"
        except ValueError:
            pass
    last = result.lines[-1] if result.lines else ""
    return last or f"exit code {result.exit_code}"


def _sick(python: str, failed: str, trace: str) -> Inspection:
    return Inspection(
        python=python, python_version="", distribution="", version="", platform="", failed=failed, trace=trace
    )


def venv_python(folder: Path) -> Path:
    """The interpreter of a virtual environment; it need not exist."""
    return folder / "Scripts" / "python.exe" if os.name == "nt" else folder / "bin" / "python"
