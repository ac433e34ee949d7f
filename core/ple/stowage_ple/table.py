"""The module that stands where vLLM would allocate the table."""

from __future__ import annotations

import logging
from collections import deque
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from torch import nn

from stowage_ple.counters import Counters
from stowage_ple.file_rows import FileRows, TableReadError
from stowage_ple.lookup import know, lookup
from stowage_ple.row_cache import RowCache
from stowage_ple.settings import DISK, RAM, Settings
from stowage_ple.sources import DiskRows, RamRows
from stowage_ple.staging import Staging
from stowage_ple.tensor_file import NotThere, TensorPlace, find_tensor

log = logging.getLogger("vllm.stowage_ple")

DTYPES = {
    "BF16": torch.bfloat16,
    "F16": torch.float16,
    "F32": torch.float32,
    "F8_E4M3": torch.float8_e4m3fn,
    "F8_E5M2": torch.float8_e5m2,
}
SCALES = ("weight_scale", "weight_scale_inv")
# Rows compared when the model is loaded for the first time: the loader's tensor then is a map of the same file.
COMPARED = 32
# Prompts that wait to be read ahead. A model that never looks its table up would gather them for ever.
PROMPTS_AHEAD = 64


class Rows(Protocol):
    scale: torch.Tensor | None

    def rows(self, ids: torch.Tensor) -> torch.Tensor: ...

    def expect(self, ids: list[int]) -> None: ...

    def close(self) -> None: ...


class PleTable(nn.Module):
    """A per-layer embedding table off the device.

    Args:
        name: the module's name in the model, the same in every run; ending: how the tensor's name ends in the
            checkpoint ("embed_tokens_per_layer.weight"); rows, width: shape of the table; dtype: of the model;
            folder: the checkpoint's, or what finds it.
    """

    def __init__(
        self, name: str, ending: str, rows: int, width: int, dtype: torch.dtype, folder: Path, settings: Settings
    ) -> None:
        super().__init__()
        self.name = name
        self.num_embeddings = rows
        self.embedding_dim = width
        self._ending = ending
        self._dtype = dtype
        self._folder = folder
        self._settings = settings
        self._source: Rows | None = None
        self._staging: Staging | None = None
        self._expected: deque[list[int]] = deque(maxlen=PROMPTS_AHEAD)
        self._counters = Counters({"table": name}, settings.stats_folder)
        self._scaled = False
        self._scale: torch.Tensor | None = None
        # What the loader fills and what tells device and type: no bytes of the table are ever in it.
        self.weight = nn.Parameter(torch.empty(0, dtype=dtype), requires_grad=False)
        self.weight.weight_loader = self._load
        for scale in SCALES:
            if self._holds(scale):
                self._scaled = True
                self.register_parameter(scale, nn.Parameter(torch.empty(0), requires_grad=False))
                getattr(self, scale).weight_loader = self._load_scale
        know(name, self)

    def forward(self, input_: torch.Tensor) -> torch.Tensor:
        return lookup(input_, self.name, self.embedding_dim, self.weight)

    def gather(self, ids: torch.Tensor) -> torch.Tensor:
        """Raises: TableReadError: the rows cannot be read, `ids` are none of the table's, or nothing was loaded."""
        if self._source is None:
            raise TableReadError(f"{self.name} was never loaded: the checkpoint has no *{self._ending}")
        host = ids.reshape(-1).to("cpu", torch.int64)
        if not len(host):
            return ids.new_empty((*ids.shape, self.embedding_dim), dtype=self._dtype)
        numbers = host.numpy()  # of so few, numpy finds the ends in a fraction of the time
        if not 0 <= numbers.min() <= numbers.max() < self.num_embeddings:
            raise TableReadError(f"{self.name}: ids outside of 0..{self.num_embeddings - 1}")
        try:
            rows = self._on_device(host, ids.device, self._source)
        except TableReadError as error:
            # vLLM ends its engine on any error of a step (0.32, v1/engine/core.py): say why before it does.
            log.error("stowage-ple: %s", error)
            raise
        while self._expected:  # only now: what is needed at once does not wait behind it
            self._source.expect(self._expected.popleft())
        return rows.view(*ids.shape, self.embedding_dim)

    def expect(self, ids: list[int]) -> None:
        """After the next lookup, these ids (any integers) will be asked for: read them ahead then."""
        self._expected.append(ids)

    def _on_device(self, ids: torch.Tensor, device: torch.device, source: Rows) -> torch.Tensor:
        if device.type == "cpu":
            return source.rows(ids).to(self._dtype)
        if self._staging is None:
            self._staging = Staging(self.embedding_dim, self._dtype, torch.get_device_module(device))
        rows = torch.empty((len(ids), self.embedding_dim), dtype=self._dtype, device=device)
        self._staging.send(ids, source.rows, rows)
        return rows

    # ---- loading ---------------------------------------------------------------------------------------------------

    def _load(self, _parameter: nn.Parameter, loaded: torch.Tensor) -> None:
        """The loader's tensor usually is a map of the file: on disk it is only compared, never copied."""
        if tuple(loaded.shape) != (self.num_embeddings, self.embedding_dim):
            shape = (self.num_embeddings, self.embedding_dim)
            raise ValueError(f"{self.name}: the checkpoint's table is {tuple(loaded.shape)}, the model's {shape}")
        again, self._source = self._source, None
        if again is not None:
            again.close()
        if self._settings.placement == DISK:
            try:
                place = find_tensor(self._folder, self._ending)
                self._source = self._on_disk(place, loaded, whole=again is not None)
            except (NotThere, OSError) as error:
                log.warning("stowage-ple: the table cannot be read in place (%s); it goes into RAM instead", error)
        if self._source is None:
            self._source = self._in_ram(loaded)
        self._source.scale = self._scale

    def _load_scale(self, _parameter: nn.Parameter, loaded: torch.Tensor) -> None:
        """Before or after the table: they may lie in different files."""
        scale = loaded.to("cpu", torch.float32, copy=True)
        self._scale = scale.reshape(()) if scale.numel() == 1 else scale.reshape(self.num_embeddings, 1)
        if self._source is not None:
            self._source.scale = self._scale

    def _in_ram(self, loaded: torch.Tensor) -> RamRows:
        # A copy in any case: a map of the file would leave the table on the disk.
        dtype = loaded.dtype if self._scaled else self._dtype
        table = torch.empty(loaded.shape, dtype=dtype, device="cpu", pin_memory=torch.cuda.is_available())
        table.copy_(loaded)
        facts = self._facts(RAM, table.numel() * table.element_size(), 0)
        self._say(facts, f"pinned={table.is_pinned()}")
        self._counters.facts = facts
        return RamRows(table, self._counters)

    def _on_disk(self, place: TensorPlace, loaded: torch.Tensor, *, whole: bool) -> DiskRows:
        """`whole`: compare all of it. A model that is loaded again may get other weights than the file's."""
        dtype = DTYPES.get(place.dtype)
        if dtype is None or place.shape != (self.num_embeddings, self.embedding_dim):
            raise NotThere(f"{place.name} is {place.dtype} {place.shape}")
        row_bytes = self.embedding_dim * dtype.itemsize
        file = FileRows(place.file, place.begin, row_bytes, self.num_embeddings, self._settings.threads)
        cache = RowCache(self.num_embeddings, row_bytes, self._settings.cache_bytes)
        facts = self._facts(DISK, place.size_bytes, cache.capacity * row_bytes)
        try:
            _compare(place, dtype, file, loaded, self.num_embeddings if whole else COMPARED)
        except BaseException:
            file.close()
            raise
        self._counters.facts = facts
        self._say(facts, f"cache={cache.capacity * row_bytes / 2**20:.0f} MiB, file={place.file.name}")
        return DiskRows(file, dtype, cache, self._counters, self._settings.ahead_bytes)

    def _holds(self, scale: str) -> bool:
        try:
            find_tensor(self._folder, self._ending.replace("weight", scale))
        except (NotThere, OSError):
            return False
        return True

    def _facts(self, placement: str, size_bytes: int, cache_bytes: int) -> dict[str, object]:
        return {"table": self.name, "placement": placement, "table_bytes": size_bytes, "cache_bytes": cache_bytes}

    def _say(self, facts: dict[str, object], more: str) -> None:
        gib = self.num_embeddings * self.embedding_dim * self._dtype.itemsize / 2**30
        log.info(
            "stowage-ple: %s, %d x %d, %.2f GiB kept off the device: placement=%s, %s",
            self.name,
            self.num_embeddings,
            self.embedding_dim,
            gib,
            facts["placement"],
            more,
        )


def _compare(place: TensorPlace, dtype: torch.dtype, file: FileRows, loaded: torch.Tensor, count: int) -> None:
    """`count` rows over the whole table, the first and the last among them, must be what the loader read."""
    same = loaded.dtype == dtype
    for ids in np.array_split(np.unique(np.linspace(0, file.count - 1, count).astype(np.int64)), -(-count // 1024)):
        raw = np.empty((len(ids), file.row_bytes), np.uint8)
        file.read(ids, raw)
        theirs = loaded[torch.from_numpy(ids).to(loaded.device)].to("cpu").contiguous().view(torch.uint8)
        same = same and torch.equal(torch.from_numpy(raw), theirs.view(len(ids), -1))
    if not same:
        raise NotThere(f"{place.name} of {place.file.name} is not what the loader gave")
