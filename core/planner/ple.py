"""The per-layer embedding table of Gemma 3n and Gemma 4: which tier it lies in, and what a token pays for its row.

vLLM keeps these tables on the GPU and cannot move them (0.33.0); Stowage's plugin (`core/ple`) can. N-gram tables
(Qwen4Exp) are vLLM's own business: `offload.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from core.checkpoint.architecture import Checkpoint
from core.checkpoint.families.blocks import dims
from core.checkpoint.families.gemma_ple import per_layer_embedding
from core.checkpoint.fields import Unreadable
from core.checkpoint.tensors import Part
from core.engine.ple_plugin import CACHE_MIB, PLUGIN_FROM
from core.planner.options import MIB, Request
from core.planner.weights import Weights

GPU: Final = "gpu"
RAM: Final = "ram"
DISK: Final = "disk"
PLACEMENTS: Final = (GPU, RAM, DISK)
CACHE_BYTES: Final = CACHE_MIB * MIB
# One lookup: ids to the host, the rows gathered, one copy back. 40 us on a CPU build (docs/ple.md); the rest is allowed
# for waiting for the ids and the copy on a GPU, which no GPU has shown yet.
LOOKUP_S: Final = 200e-6
# Of the rows that a long conversation asks for, the share that no cache holds: a guess, between none and all.
COLD_SHARE: Final = 0.5
# One small read where the disk was not measured, seconds by kind of disk.
USUAL_READ_S: Final = {"nvme": 150e-6, "sata_ssd": 300e-6, "flash": 2e-3, "hdd": 12e-3, "network": 5e-3, "tmpfs": 5e-6}
UNKNOWN_READ_S: Final = 1e-3
SLOW_KINDS: Final = ("hdd", "network", "flash")


@dataclass(frozen=True, slots=True)
class Ple:
    """`placement` as it will be; `table_bytes` of one whole table; `vram_bytes` that leave each card; `row_bytes` read
    per token. `ram_bytes` per rank: the table, or the bound of the row cache. `cold_read_s` for one row from the
    disk, `measured` whether the disk told; `rows_per_s` with many reads at once, None unknown. 0 where the table stays
    on the card."""

    placement: str
    table_bytes: int
    row_bytes: int
    vram_bytes: int = 0
    ram_bytes: int = 0
    cold_read_s: float = 0.0
    measured: bool = True
    rows_per_s: float | None = None
    warnings: tuple[str, ...] = ()

    @property
    def tier(self) -> str:
        return "vram" if self.placement == GPU else self.placement

    @property
    def token_s(self) -> tuple[float, float, float]:
        """Seconds that a token of one stream waits for its row: every row cached, likely, none cached."""
        if self.placement == GPU:
            return 0.0, 0.0, 0.0
        return LOOKUP_S, LOOKUP_S + COLD_SHARE * self.cold_read_s, LOOKUP_S + self.cold_read_s


def plan_ple(checkpoint: Checkpoint, weights: Weights, request: Request) -> Ple | None:
    """None where the checkpoint has no such table, or one that vLLM itself moves."""
    inventory = weights.inventory
    held = weights.by_part.get(Part.PLE, 0)
    if inventory is None or not held or inventory.table_bytes:
        return None
    try:
        rows = per_layer_embedding(checkpoint.config, dims(checkpoint.config)).rows
    except Unreadable:
        return None
    ranks = max(1, request.options.tensor_parallel)
    table = held * ranks
    row = -(-table // max(1, rows))
    wanted = request.options.ple_placement
    warnings: list[str] = []
    if wanted not in PLACEMENTS:
        warnings.append(f"unknown placement of the per-layer embedding table {wanted!r}: taken as gpu")
        wanted = GPU
    if wanted != GPU and not request.engine.at_least(*PLUGIN_FROM):
        known = ".".join(map(str, PLUGIN_FROM))
        warnings.append(f"Stowage's plugin needs vLLM {known} or newer: the per-layer embedding table stays in VRAM")
        wanted = GPU
    found = Ple(GPU, table, row, warnings=tuple(warnings))
    return found if wanted == GPU else placed(found, wanted, request)


def placed(ple: Ple, placement: str, request: Request) -> Ple:
    """The same table in RAM or on the disk."""
    held = ple.table_bytes // max(1, request.options.tensor_parallel)
    if placement == RAM:
        return Ple(RAM, ple.table_bytes, ple.row_bytes, held, ple.table_bytes, warnings=ple.warnings)
    return _on_disk(request, ple.table_bytes, ple.row_bytes, held)


def other_placements(ple: Ple | None, request: Request) -> Iterator[tuple[str, str]]:
    """Where a table that lies on the card could go, and the price in words. The disk first, unless it is slow: it costs
    no RAM, and what is asked for often is in the page cache anyway."""
    if ple is None or ple.placement != GPU or not request.engine.at_least(*PLUGIN_FROM):
        return
    if request.hardware.disk_kind not in SLOW_KINDS:
        yield DISK, "a rare word may wait for the per-layer embedding table on the disk"
    yield RAM, "the per-layer embedding table takes its size in RAM"


def _on_disk(request: Request, table: int, row: int, held: int) -> Ple:
    hardware = request.hardware
    kind, measured = hardware.disk_kind, hardware.disk_latency_s
    cold = measured if measured is not None else USUAL_READ_S.get(kind, UNKNOWN_READ_S)
    warnings: list[str] = []
    if kind in SLOW_KINDS:
        name = {"hdd": "a hard disk", "network": "a network disk", "flash": "a memory card or stick"}[kind]
        warnings.append(
            f"the per-layer embedding table is read from {name}: a row that no cache holds takes about"
            f" {cold * 1e3:.0f} ms, and a long prompt asks for thousands; RAM is the better place"
        )
    cache = min(CACHE_BYTES, table)
    return Ple(DISK, table, row, held, cache, cold, measured is not None, hardware.disk_random_iops, tuple(warnings))
