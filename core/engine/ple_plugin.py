"""The plugin of `core/ple` made visible to an engine: through the child's import path, not by an installation.

vLLM finds plugins by the metadata beside them (`vllm.general_plugins`), wherever on the import path that is. So nothing
is added to an environment, an engine that the user owns stays as it is, and the plugin is always this app's own. It is
a copy, because a kept server goes on importing from it after the app was updated.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import tomllib
from pathlib import Path
from typing import Any, Final, Literal

SOURCE: Final = Path(__file__).resolve().parents[1] / "ple"
PACKAGE: Final = "stowage_ple"
# The plugin's own, of `core/ple/stowage_ple` (plugin.py, settings.py): its oldest vLLM, the load formats that hand the
# table over, its variables, the bound of its row cache.
PLUGIN_FROM: Final = (0, 30)
LOAD_FORMATS: Final = (
    *("auto", "hf", "safetensors", "fastsafetensors", "instanttensor", "runai_streamer"),
    *("mistral", "npcache", "pt", "bitsandbytes"),
)
PLACEMENT_ENV: Final = "STOWAGE_PLE"
STATS_ENV: Final = "STOWAGE_PLE_STATS"
CACHE_ENV: Final = "STOWAGE_PLE_CACHE_MIB"
CACHE_MIB: Final = 256

Placement = Literal["gpu", "ram", "disk"]
GPU: Final = "gpu"


def plugin_folder(cache: Path) -> Path:
    """A folder under `cache` to put on the import path. Made once per content of the plugin, whole or not at all.

    Raises:
        OSError: the folder cannot be written.
    """
    files = _files()
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.relative_to(SOURCE).as_posix().encode() + b"\0" + file.read_bytes())
    target = cache / "ple" / digest.hexdigest()[:16]
    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    half = Path(tempfile.mkdtemp(prefix="half-", dir=target.parent))
    try:
        for file in files:
            copy = half / file.relative_to(SOURCE)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)
        _describe(half)
        try:
            half.rename(target)
        except OSError:
            if not target.is_dir():  # another Stowage was quicker
                raise
    finally:
        shutil.rmtree(half, ignore_errors=True)
    return target


def plugin_env(
    folder: str | Path, placement: Placement, *, cache_mib: int = CACHE_MIB, stats: Path | None = None
) -> dict[str, str]:
    """What the server's processes need: where the plugin lies, where the table is to be, where the counters go."""
    env = {
        "PYTHONPATH": os.fspath(folder),
        PLACEMENT_ENV: placement,
        CACHE_ENV: str(cache_mib),
    }
    return env if stats is None else env | {STATS_ENV: os.fspath(stats)}


def _files() -> list[Path]:
    return sorted([*(SOURCE / PACKAGE).rglob("*.py"), SOURCE / "pyproject.toml"])


def _describe(folder: Path) -> None:
    """The metadata that an installation would leave, from the one place that states it."""
    project: dict[str, Any] = tomllib.loads((SOURCE / "pyproject.toml").read_text("utf-8"))["project"]
    about = folder / f"{PACKAGE}-{project['version']}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n", "utf-8"
    )
    lines: list[str] = []
    for group, points in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in points.items())]
    (about / "entry_points.txt").write_text("\n".join(lines) + "\n", "utf-8")
