"""Where one tensor lies in a checkpoint's safetensors files. Reads headers only.

Layout (safetensors format): 8 bytes little-endian header length, JSON header, data; `data_offsets` count from the data.
"""

from __future__ import annotations

import json
import os
import struct
from dataclasses import dataclass
from pathlib import Path

MAX_HEADER_BYTES = 100 << 20
INDEX = "model.safetensors.index.json"


class NotThere(Exception):
    """The tensor cannot be read in place; the text says why."""


@dataclass(frozen=True)
class TensorPlace:
    """`begin` is the byte of the file where the first row starts; `dtype` as safetensors names it ("BF16")."""

    file: Path
    name: str
    dtype: str
    shape: tuple[int, ...]
    begin: int
    size_bytes: int


def find_tensor(folder: Path, ending: str) -> TensorPlace:
    """The one tensor whose name ends with `ending`.

    Raises:
        NotThere: no such tensor, several, no safetensors, or a file that does not hold what its header says.
    """
    found = [place for file in _candidates(folder, ending) for place in _places(file, ending)]
    if len(found) != 1:
        names = ", ".join(place.name for place in found) or "none"
        raise NotThere(f"one tensor *{ending} is needed in {folder}, found: {names}")
    place = found[0]
    if place.begin + place.size_bytes > place.file.stat().st_size:
        raise NotThere(f"{place.file.name} is shorter than its header says")
    return place


def _candidates(folder: Path, ending: str) -> list[Path]:
    """The files that the index names for it; without an index every safetensors file of the folder."""
    index = folder / INDEX
    if index.is_file():
        try:
            names = json.loads(index.read_bytes())["weight_map"]
            return sorted({folder / file for name, file in names.items() if name.endswith(ending)})
        except (OSError, ValueError, KeyError, AttributeError) as error:
            raise NotThere(f"{INDEX} cannot be read: {error}") from error
    files = sorted(folder.glob("*.safetensors"))
    if not files:
        raise NotThere(f"no safetensors files in {folder}")
    return files


def _places(file: Path, ending: str) -> list[TensorPlace]:
    try:
        with file.open("rb") as opened:
            (length,) = struct.unpack("<Q", opened.read(8))
            if length > min(MAX_HEADER_BYTES, os.fstat(opened.fileno()).st_size):
                raise NotThere(f"{file.name} is no safetensors file")
            header = json.loads(opened.read(length))
        return [
            TensorPlace(
                file.resolve(),
                name,
                str(entry["dtype"]),
                tuple(entry["shape"]),
                8 + length + entry["data_offsets"][0],
                entry["data_offsets"][1] - entry["data_offsets"][0],
            )
            for name, entry in header.items()
            if name.endswith(ending)
        ]
    except (OSError, ValueError, KeyError, TypeError, struct.error) as error:
        raise NotThere(f"{file.name} cannot be read: {error}") from error
