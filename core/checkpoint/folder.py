"""A folder on disk as a model: whether it is a whole checkpoint, its size, architecture, context. Reads no weights."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, Final, cast

import msgspec

from core.checkpoint.config import parse_config
from core.checkpoint.files import WeightFiles, WeightFormat, has_tokenizer, missing_by_number, weight_files
from core.checkpoint.rope import context_limit
from core.checkpoint.safetensors_header import LFS_POINTER, BrokenFile, read_header
from core.errors import AppError
from core.events import ModelInfo

SHOWN_NAMES: Final = 3
_SNAPSHOT: Final = re.compile(r"models--(.+)")


def _check_name(path: Path) -> None:
    """Neither vLLM's command line, nor YAML, nor a database can hold a name that is no text."""
    shown = os.fsencode(path).decode("utf-8", "replace")
    if shown != str(path):
        raise AppError("model.broken_file", path=shown, file=Path(shown).name, reason="its name is not UTF-8")


def inspect_folder(path: Path) -> ModelInfo:
    """A folder that vLLM can load. `id` is its absolute path; `size_bytes` that of the weight files it will load.

    Raises:
        AppError: `model.folder_missing`; `model.gguf_only`, `model.adapter_only`, `model.not_a_checkpoint` (with what
            is missing); `model.missing_shards` (how many, which); `model.broken_file` (empty, cut short, no JSON).
    """
    path = path.expanduser().absolute()
    _check_name(path)
    names = _names(path)
    weights = weight_files(names)
    config = _config(path, names, weights)
    if weights is None:
        raise AppError("model.not_a_checkpoint", path=str(path), missing="*.safetensors")
    files = _loaded_files(path, weights)
    if not has_tokenizer(names):
        raise AppError("model.not_a_checkpoint", path=str(path), missing="tokenizer.json")
    for name in files:
        _check_weights(path, name, weights.format)
    parsed = parse_config(config)
    limit = context_limit(parsed)
    return ModelInfo(
        id=str(path),
        name=_name(path),
        path=str(path),
        size_bytes=sum((path / name).stat().st_size for name in files),
        architecture=parsed.architecture,
        context_tokens=limit.tokens if limit.key else 0,
    )


def _names(path: Path) -> tuple[str, ...]:
    """The files in the root of the folder. A link to nothing is no file."""
    if not path.exists():
        raise AppError("model.folder_missing", path=str(path))
    if not path.is_dir():
        if path.suffix == ".gguf":
            raise AppError("model.gguf_only", path=str(path), file=path.name)
        raise AppError("model.not_a_checkpoint", "it is a file, not a folder", path=str(path), missing="config.json")
    try:
        return tuple(sorted(entry.name for entry in path.iterdir() if entry.is_file()))
    except OSError as error:
        raise AppError(
            "model.broken_file", str(error), path=str(path), file=".", reason=error.strerror or str(error)
        ) from error


def _config(path: Path, names: tuple[str, ...], weights: WeightFiles | None) -> dict[str, Any]:
    if "config.json" in names:
        return _json(path, "config.json")
    if weights is not None and weights.format is WeightFormat.MISTRAL:
        return _json(path, "params.json")
    if gguf := next((name for name in names if name.endswith(".gguf")), None):
        raise AppError("model.gguf_only", path=str(path), file=gguf)
    if "adapter_config.json" in names:
        raise AppError("model.adapter_only", path=str(path))
    raise AppError("model.not_a_checkpoint", path=str(path), missing="config.json")


def _json(path: Path, name: str) -> dict[str, Any]:
    try:
        data = (path / name).read_bytes()
        if not data.strip():
            raise BrokenFile("it is empty")
        return msgspec.json.decode(data, type=dict[str, Any])
    except (OSError, msgspec.MsgspecError, UnicodeError, BrokenFile) as error:
        raise _broken(path, name, error) from error


def _broken(path: Path, name: str, error: Exception) -> AppError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return AppError("model.broken_file", repr(error), path=str(path), file=name, reason=reason)


def _loaded_files(path: Path, weights: WeightFiles) -> tuple[str, ...]:
    """The shards that will be loaded, all of which must be there."""
    if weights.index:
        mapped: Any = _json(path, weights.index).get("weight_map")
        if not isinstance(mapped, dict) or not mapped:
            raise AppError("model.broken_file", path=str(path), file=weights.index, reason="it has no weight_map")
        wanted = {str(shard) for shard in cast("dict[str, Any]", mapped).values()}
        missing = tuple(sorted(wanted - set(weights.present)))
        files = tuple(sorted(wanted))
    else:
        missing, files = missing_by_number(weights.present), weights.present
    if missing:
        shown = ", ".join(missing[:SHOWN_NAMES]) + (", ..." if len(missing) > SHOWN_NAMES else "")
        raise AppError("model.missing_shards", ", ".join(missing), path=str(path), missing=shown, count=len(missing))
    return files


def _check_weights(path: Path, name: str, kind: WeightFormat) -> None:
    file = path / name
    try:
        if kind in (WeightFormat.SAFETENSORS, WeightFormat.MISTRAL):
            read_header(file)
            return
        with file.open("rb") as opened:
            start = opened.read(len(LFS_POINTER))
        if not start:
            raise BrokenFile("it is empty")
        if start == LFS_POINTER:
            raise BrokenFile("it is a Git LFS pointer, not the file itself")
    except (OSError, BrokenFile) as error:
        raise _broken(path, name, error) from error


def _name(path: Path) -> str:
    """The folder's name; for a snapshot in the Hugging Face cache the model's."""
    if path.parent.name == "snapshots" and (match := _SNAPSHOT.fullmatch(path.parent.parent.name)):
        return match[1].replace("--", "/", 1)
    return path.name or str(path)
