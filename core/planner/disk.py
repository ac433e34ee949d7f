"""Disk: the download, the engine where none is installed yet, and caches."""

from __future__ import annotations

from core.planner.amounts import Amount, Item, Tier, estimated, exact, judge
from core.planner.options import GIB, MIB

# torch.compile, FlashInfer and Triton keep what they built.
CACHE_BYTES = (int(0.5 * GIB), 50 * MIB, int(1.2 * GIB))
CUDA_ENGINE_BYTES = (int(9.5 * GIB), 8 * GIB, 12 * GIB)
CPU_ENGINE_BYTES = (int(3.4 * GIB), 3 * GIB, 4 * GIB)


def plan_disk(
    weights: Amount,
    *,
    download_bytes: int | None = None,
    present_bytes: int = 0,
    engine_needed: bool = False,
    cpu: bool = False,
    free_bytes: int | None = None,
) -> Tier:
    """Args: `download_bytes` of all files that vLLM loads, None when only the config is known; `present_bytes` of
    them are here already; `engine_needed`: an engine would have to be installed."""
    items: list[Item] = []
    if download_bytes is not None:
        items.append(Item("download", exact(max(0, download_bytes - present_bytes))))
    elif present_bytes == 0:
        top = weights.top if weights.high is not None else weights.likely * 2
        items.append(Item("download", estimated(weights.likely, weights.low * 0.97, top * 1.05, "from the weights")))
    if engine_needed:
        likely, low, high = CPU_ENGINE_BYTES if cpu else CUDA_ENGINE_BYTES
        items.append(Item("engine", estimated(likely, low, high)))
    likely, low, high = CACHE_BYTES
    items.append(Item("caches", estimated(likely, low, high, "compiled kernels")))
    parts = tuple(items)
    return Tier("disk", parts, free_bytes, None, judge(parts, free_bytes))
