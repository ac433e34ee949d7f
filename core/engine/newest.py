"""Asks the package indexes which version of an engine there is now. Only ever on request: nothing looks by itself."""

from __future__ import annotations

import re
import tempfile
from contextlib import aclosing
from pathlib import Path
from typing import Final

import uv

from core.engine import interpreters
from core.engine.child_env import installer_env
from core.engine.pip_output import available_versions, connection_trouble, failure
from core.engine.recipes import Recipe
from core.engine.tool import run_tool
from core.errors import AppError

TIMEOUT_S: Final = 30.0
RETRIES: Final = 1
_RELEASE = re.compile(r"\d+(\.\d+)*(\.post\d+)?")


async def newest(recipe: Recipe, pip_python: str = "") -> str:
    """The newest version that can be installed as this kind of engine; for a build of the day also an exact one
    ("0.33.1rc1.dev12+g1a2b3c4").

    Args:
        pip_python: a Python with pip, for recipes that pip installs (pip knows indexes that uv does not).

    Raises:
        AppError: `install.*` when the index cannot be asked or has none; `engine.no_python`.
    """
    with tempfile.TemporaryDirectory(prefix="stowage-newest-") as folder:
        if recipe.tool == "pip":
            return await _by_pip(recipe, pip_python, Path(folder))
        return await _by_uv(recipe, Path(folder))


def version_key(version: str) -> tuple[int, ...]:
    """Sorts releases; a local part counts nothing."""
    return tuple(int(part) for part in re.findall(r"\d+", version.partition("+")[0]))


async def _by_pip(recipe: Recipe, python: str, folder: Path) -> str:
    name = recipe.packages[0].partition("==")[0]
    command = [python, "-I", "-m", "pip", "-vv", "index", "versions", name]
    lines = await _run(command, python, folder)
    releases = [version for version in available_versions(lines) if _RELEASE.fullmatch(version)]
    if not releases:
        raise connection_trouble(lines, "", TIMEOUT_S) or AppError(
            "install.not_found", package=name, reason="no release"
        )
    return max(releases, key=version_key)


async def _by_uv(recipe: Recipe, folder: Path) -> str:
    async with aclosing(interpreters.usable(recipe.python_min, recipe.python_below)) as pythons:
        python = (await anext(pythons)).executable
    name = recipe.packages[0].partition("==")[0]
    wanted = folder / "wanted.in"
    wanted.write_text(f"{name}\n", encoding="utf-8")
    # An index of one version cannot tell of another: the default one knows which there are.
    several = recipe.index if recipe.version == "" or f"/{recipe.version}/" not in recipe.index else ""
    command = [
        uv.find_uv_bin(), "pip", "compile", str(wanted), "--python", python,
        "--no-deps", "--no-header", "--no-annotate",
        *(("--extra-index-url", several) if several else ()), *(() if recipe.steady else ("--prerelease=allow",)),
    ]  # fmt: skip
    lines = await _run(command, python, folder)
    pin = next((line.partition("==")[2].split()[0] for line in lines if line.startswith(f"{name}==")), "")
    if not pin:
        raise AppError("install.not_found", "\n".join(lines[-10:]), package=name, reason="no release")
    return pin


async def _run(command: list[str], python: str, folder: Path) -> tuple[str, ...]:
    env = installer_env(folder, timeout_s=TIMEOUT_S, retries=RETRIES)
    try:
        result = await run_tool(command, python=python, env=env, cwd=folder)
    except OSError as error:
        raise AppError("install.failed", str(error), step="check", reason=error.strerror or str(error)) from error
    if result.exit_code:
        raise failure(result.lines, "check", path=str(folder), needed_bytes=0, free_bytes=0, timeout_s=TIMEOUT_S)
    return result.lines
