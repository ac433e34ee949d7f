"""The header of a safetensors file: what is in it and how long the file must be. Reads no weights.

Format (safetensors 0.4 and later): 8 bytes little-endian header length, a JSON object of at most 100 MB that maps
tensor names to `dtype`, `shape` and `data_offsets`, then the data. The offsets cover the rest without a gap.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from core.files import quiet_opener

MAX_HEADER_BYTES: Final = 100_000_000
LFS_POINTER: Final = b"version https://git-lfs"


class Tensor(msgspec.Struct, frozen=True):
    """One tensor: `data_offsets` are bytes from the end of the header, begin and end."""

    dtype: str
    shape: tuple[int, ...]
    data_offsets: tuple[int, int]


class BrokenFile(ValueError):
    """The file is not whole; the text says what is wrong with it."""


def read_header(path: Path) -> dict[str, Tensor]:
    """All tensors of a file, after checking that the file is as long as they say.

    Raises:
        BrokenFile: empty, cut short, too long, or no safetensors at all.
        OSError: it cannot be read.
    """
    size = path.stat().st_size
    if size == 0:
        raise BrokenFile("it is empty")
    with open(path, "rb", opener=quiet_opener) as file:
        start = file.read(8)
        length = header_length(start)
        if size < 8 + length:
            raise BrokenFile(f"cut short: {size} bytes, its header alone needs {8 + length}")
        tensors = parse_header(file.read(length))
    needed = 8 + length + max((tensor.data_offsets[1] for tensor in tensors.values()), default=0)
    if size != needed:
        raise BrokenFile(f"{'cut short' if size < needed else 'too long'}: {size} bytes instead of {needed}")
    return tensors


def header_length(start: bytes) -> int:
    """Bytes of the header that follow the first eight of a file, which are given here.

    Raises:
        BrokenFile: this is no safetensors file.
    """
    if start == LFS_POINTER[:8]:
        raise BrokenFile("it is a Git LFS pointer, not the file itself")
    length = int.from_bytes(start[:8], "little")
    if len(start) < 8 or length > MAX_HEADER_BYTES:
        raise BrokenFile("it is no safetensors file")
    return length


def parse_header(raw: bytes) -> dict[str, Tensor]:
    """The tensors that a header names; `raw` is its JSON, from a file or a ranged request.

    Raises:
        BrokenFile: it is no such JSON.
    """
    try:
        header = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
        header.pop("__metadata__", None)
        return {name: msgspec.json.decode(entry, type=Tensor) for name, entry in header.items()}
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise BrokenFile(f"its header is damaged ({error})") from error
