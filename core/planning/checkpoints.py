"""The checkpoint behind a model of the list, read once for as long as its files stay the same."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Final

from core.checkpoint.architecture import Checkpoint, read_checkpoint
from core.checkpoint.load import load_checkpoint
from core.errors import AppError
from core.models import Models

# The config.json that making the starter ends with, so that there is a plan before anything is downloaded.
STARTER_CONFIG: Final = Path(__file__).resolve().parents[2] / "resources" / "starter_config.json"

# (name, size, time of the last change) of every file that decides what is read.
_Stamp = tuple[tuple[str, int, int], ...]
_READ: Final = (".json", ".safetensors", ".gguf", ".bin", ".pt")


class Checkpoints:
    """Owner of what was read. Reading happens in a thread; two readers of one model may both read, the later wins."""

    def __init__(self, models: Models) -> None:
        self._models = models
        self._read: dict[Path, tuple[_Stamp, Checkpoint]] = {}

    async def read(self, model_id: str) -> Checkpoint:
        """Raises: AppError: `model.*`."""
        return await asyncio.to_thread(self._load, await self.path_of(model_id))

    async def path_of(self, model_id: str) -> Path:
        """The folder that is read; for a starter that is not made yet, its config. Raises: AppError: `model.*`."""
        return await self._models.path_of(model_id) or STARTER_CONFIG

    async def served(self, spec: str) -> tuple[str, str]:
        """The id of a model, and the folder that vLLM is given (for a starter that is not made yet, the one to be).

        Raises:
            AppError: `model.*`.
        """
        model = await self._models.resolve(spec)
        return model.id, model.path or str(self._models.starter_folder)

    def _load(self, path: Path) -> Checkpoint:
        if path == STARTER_CONFIG:
            return read_checkpoint(json.loads(path.read_text("utf-8")))
        stamp = _stamp(path)
        known = self._read.get(path)
        if known is not None and known[0] == stamp:
            return known[1]
        checkpoint = load_checkpoint(path)
        self._read[path] = stamp, checkpoint
        return checkpoint


def _stamp(folder: Path) -> _Stamp:
    try:
        files = [(entry.name, entry.stat()) for entry in folder.iterdir() if entry.suffix in _READ and entry.is_file()]
    except OSError as error:
        raise AppError("model.folder_missing", str(error), path=str(folder)) from error
    return tuple(sorted((name, stat.st_size, stat.st_mtime_ns) for name, stat in files))
