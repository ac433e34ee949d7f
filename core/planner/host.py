"""RAM: pinned blocks, the processes of the server, what is kept of the prompt cache; page cache is wished for only."""

from __future__ import annotations

from dataclasses import dataclass

from core.checkpoint.architecture import Checkpoint
from core.checkpoint.inventory import power_of_two
from core.planner.amounts import Item, Tier, corrected, estimated, exact, judge
from core.planner.offload import Offload
from core.planner.options import GIB, Request
from core.planner.ple import GPU, RAM, Ple

# API server, engine core and worker of a text model: RSS up to 3.4 GiB published; more with image preprocessing.
PROCESS_BYTES = (int(3.5 * GIB), int(2.2 * GIB), int(4.5 * GIB))
MULTIMODAL_PROCESS_BYTES = (5 * GIB, 3 * GIB, int(6.5 * GIB))
# What the rest of the system keeps needing.
SYSTEM_BYTES = GIB


@dataclass(frozen=True, slots=True)
class Host:
    tier: Tier
    page_cache_bytes: int
    warnings: tuple[str, ...] = ()


def plan_host(
    checkpoint: Checkpoint, request: Request, offload: Offload, loaded_bytes: int, ple: Ple | None = None
) -> Host:
    """Args: `loaded_bytes` of weights: with that much free RAM besides, loading reads the disk once only."""
    ranks = max(1, request.options.tensor_parallel)
    hardware = request.hardware
    likely, low, high = MULTIMODAL_PROCESS_BYTES if checkpoint.config.multimodal else PROCESS_BYTES
    extra = int(1.5 * GIB) * (ranks - 1)
    processes = estimated(likely + extra, low + extra, high + extra, "resident memory of the server")
    items = [Item("processes", corrected(processes, request.learned.processes))]
    pinned = offload.pinned_bytes * ranks
    if pinned:
        note = f"{offload.offloaded_bytes * ranks} bytes of weights, each block rounded up to a power of two"
        items.append(Item("pinned_weights", exact(pinned), note))
    if offload.ple_bytes:
        table = offload.ple_bytes
        band = estimated(table, table, power_of_two(table), "one block: torch may round it up to a power of two")
        items.append(Item("ple_table", band))
    items += _ple(ple, ranks)
    kv = int(request.options.kv_offload_gib * GIB)
    if kv:
        items.append(Item("kv_offload", exact(kv)))
    available = hardware.ram_available_bytes
    limit = None if available is None else max(0, available - SYSTEM_BYTES)
    parts = tuple(items)
    tier = Tier("ram", parts, limit, hardware.ram_total_bytes, judge(parts, limit))
    table = ple.ram_bytes * ranks if ple is not None and ple.placement == RAM else 0
    return Host(tier, loaded_bytes, _warnings(request, pinned + offload.ple_bytes + table, kv))


def _ple(ple: Ple | None, ranks: int) -> list[Item]:
    """What the plugin holds: each rank has a table, or a cache, of its own."""
    if ple is None or ple.placement == GPU:
        return []
    size = ple.ram_bytes * ranks
    if ple.placement == RAM:
        band = estimated(size, size, power_of_two(ple.ram_bytes) * ranks, "one block: torch may round it up")
        return [Item("ple_table", band)]
    return [Item("ple_cache", estimated(size, 0, size, "rows that were used lately, up to this bound"))]


def _warnings(request: Request, pinned: int, kv: int) -> tuple[str, ...]:
    hardware = request.hardware
    found: list[str] = []
    if hardware.memlock_bytes is not None and pinned > hardware.memlock_bytes:
        found.append(f"pinning {pinned} bytes exceeds the limit of locked memory ({hardware.memlock_bytes})")
    if kv and hardware.shm_free_bytes is not None and kv > hardware.shm_free_bytes:
        found.append(f"the prompt cache in RAM needs {kv} bytes in /dev/shm, {hardware.shm_free_bytes} are free")
    if kv:
        found.append("--kv-offloading-size keeps finished prompts in RAM; a running request still needs its VRAM")
    if hardware.wsl and pinned and hardware.ram_total_bytes and pinned > hardware.ram_total_bytes // 2:
        found.append("Windows lets WSL2 pin about half of the RAM")
    return tuple(found)
