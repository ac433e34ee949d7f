"""Where the rows of a table come from: a tensor in RAM, or the checkpoint's file behind a bounded cache."""

from __future__ import annotations

import threading
import time

import numpy as np
import torch

from stowage_ple.ahead import Ahead
from stowage_ple.counters import Counters
from stowage_ple.file_rows import FileRows
from stowage_ple.row_cache import RowCache


class RamRows:
    """The whole table on the host, page-locked where there is CUDA. `scale` as for `DiskRows`."""

    def __init__(self, table: torch.Tensor, counters: Counters) -> None:
        self.table = table
        self.scale: torch.Tensor | None = None
        self._counters = counters

    def close(self) -> None:
        """Nothing to close: the memory goes with the object."""

    def expect(self, ids: list[int]) -> None:
        """Nothing to read ahead: it is all here."""

    def rows(self, ids: torch.Tensor) -> torch.Tensor:
        """Rows of `ids` (int64 on the host) in the table's type, float32 where it is scaled."""
        began = time.perf_counter()
        # As bytes: not every build can select rows of float8.
        found = self.table.view(torch.uint8).index_select(0, ids).view(self.table.dtype)
        found = _scaled(found, self.scale, ids)
        self._counters.count(len(ids), len(ids), len(ids), 0, 0.0, time.perf_counter() - began)
        return found


class DiskRows:
    """Rows out of the file. Each distinct id is read once per lookup; what was read lately comes from the cache.

    `dtype` is the file's; `scale` the factor of a scaled float8 table, of shape () or (rows, 1), on the host;
    `ahead_bytes` bounds what is read ahead for one prompt.
    """

    def __init__(
        self, file: FileRows, dtype: torch.dtype, cache: RowCache, counters: Counters, ahead_bytes: int = 0
    ) -> None:
        self.dtype = dtype
        self._file = file
        self._cache = cache
        self._counters = counters
        self.scale: torch.Tensor | None = None
        self._lock = threading.Lock()
        self._ahead = Ahead(file, ahead_bytes // file.row_bytes, self._missing, counters)

    def close(self) -> None:
        self._ahead.close()
        self._file.close()

    def expect(self, ids: list[int]) -> None:
        """Have the rows of `ids` that are in no cache brought into the system's page cache, in the background."""
        self._ahead.ask(ids)

    def _missing(self, unique: np.ndarray) -> np.ndarray:
        with self._lock:
            return self._cache.absent(unique)

    def rows(self, ids: torch.Tensor) -> torch.Tensor:
        """Rows of `ids` (int64 on the host); float32 where the file is scaled float8, else the file's type.

        Raises:
            TableReadError: the file cannot be read any more, or is not the one that was opened.
        """
        began = time.perf_counter()
        # One stream decodes one id at a time: there is nothing to sort then.
        unique, back = np.unique(ids.numpy(), return_inverse=True) if len(ids) > 1 else (ids.numpy(), None)
        raw = np.empty((len(unique), self._file.row_bytes), np.uint8)
        with self._lock:
            missing = self._cache.take(unique, raw)
            read_s = self._read(unique, missing, raw)
        found = torch.from_numpy(raw).view(self.dtype)
        found = _scaled(found, self.scale, torch.from_numpy(unique))
        if back is not None and not (len(unique) == len(ids) and _in_order(back)):
            found = found[torch.from_numpy(back)]
        self._counters.count(
            len(ids),
            len(unique),
            len(unique) - len(missing),
            len(missing) * self._file.row_bytes,
            read_s,
            time.perf_counter() - began,
        )
        return found

    def _read(self, unique: np.ndarray, missing: np.ndarray, raw: np.ndarray) -> float:
        if not len(missing):
            return 0.0
        began = time.perf_counter()
        everything = len(missing) == len(unique)
        fresh = raw if everything else np.empty((len(missing), self._file.row_bytes), np.uint8)
        wanted = unique[missing]
        self._file.read(wanted, fresh)
        read_s = time.perf_counter() - began
        if not everything:
            raw[missing] = fresh
        self._cache.put(wanted, fresh)
        return read_s


def _scaled(rows: torch.Tensor, scale: torch.Tensor | None, ids: torch.Tensor) -> torch.Tensor:
    if scale is None:
        return rows
    return rows.to(torch.float32) * (scale[ids] if scale.dim() else scale)


def _in_order(back: np.ndarray) -> bool:
    return bool((back == np.arange(len(back))).all())
