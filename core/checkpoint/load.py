"""A checkpoint for the planner from a folder, or from a bare config.json. Reads headers, never weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, cast

import msgspec

from core.checkpoint.architecture import Checkpoint, read_checkpoint
from core.checkpoint.files import WeightFiles, WeightFormat, weight_files
from core.checkpoint.safetensors_header import BrokenFile, read_header
from core.checkpoint.weights_on_disk import WeightsOnDisk, weights_on_disk
from core.errors import AppError

# ModelOpt's and AutoGPTQ's own files, for configs that do not repeat them.
QUANT_FILES: Final = ("hf_quant_config.json", "quantize_config.json", "quant_config.json")


def load_checkpoint(path: Path) -> Checkpoint:
    """Args: `path` a folder with a config.json, or that file itself (then nothing beside it is read but a ModelOpt
    description of the quantization).

    Raises:
        AppError: `model.folder_missing`, `model.not_a_checkpoint`, `model.broken_file`.
    """
    path = path.expanduser().absolute()
    if path.is_file():
        return read_checkpoint(_json(path), quant_file=_quant_file(path.parent))
    if not path.is_dir():
        raise AppError("model.folder_missing", path=str(path))
    config = path / "config.json"
    if not config.is_file():
        raise AppError("model.not_a_checkpoint", path=str(path), missing="config.json")
    return read_checkpoint(_json(config), quant_file=_quant_file(path), disk=_disk(path))


def _json(path: Path) -> Any:
    try:
        return msgspec.json.decode(path.read_bytes())
    except (OSError, msgspec.MsgspecError, UnicodeError) as error:
        raise _broken(path, error) from error


def _broken(path: Path, error: Exception) -> AppError:
    return AppError("model.broken_file", repr(error), path=str(path.parent), file=path.name, reason=str(error))


def _quant_file(folder: Path) -> dict[str, Any] | None:
    for name in QUANT_FILES:
        if (folder / name).is_file():
            found = _json(folder / name)
            return cast("dict[str, Any]", found) if isinstance(found, dict) else None
    return None


def _disk(folder: Path) -> WeightsOnDisk | None:
    """What the headers say; None where there are no safetensors to read."""
    found = weight_files(entry.name for entry in folder.iterdir() if entry.is_file())
    if found is None or found.format not in (WeightFormat.SAFETENSORS, WeightFormat.MISTRAL):
        return None
    headers = [_header(folder / name) for name in _loaded(folder, found)]
    return weights_on_disk(headers) if headers else None


def _header(file: Path) -> Any:
    try:
        return read_header(file)
    except (OSError, BrokenFile) as error:
        raise _broken(file, error) from error


def _loaded(folder: Path, found: WeightFiles) -> tuple[str, ...]:
    """The shards that vLLM would load and that are here: those of the index, where there is one."""
    index: Any = _json(folder / found.index) if found.index else None
    shards: Any = cast("dict[str, Any]", index).get("weight_map") if isinstance(index, dict) else None
    if not isinstance(shards, dict):
        return found.present
    wanted = {str(name) for name in cast("dict[str, Any]", shards).values()}
    return tuple(name for name in found.present if name in wanted)
