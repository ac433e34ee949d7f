"""What weight and KV offload really move, and what it costs in RAM.

Sources: vLLM 0.32/0.33 `model_executor/offloader/{uva,prefetch}.py`, torch 2.13 `CachingHostAllocator` (every pinned
block is rounded up to a power of two), vllm#51396 and #51413 (silent no-op on the V2 runner in 0.22-0.27).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from core.checkpoint.inventory import Inventory, power_of_two
from core.checkpoint.tensors import Part
from core.planner.options import GIB, Options, Request
from core.planner.weights import Weights

NOOP_FROM: Final = (0, 22)
NOOP_UNTIL: Final = (0, 28)
TOWERS_FROM: Final = (0, 29)
_LAYER: Final = re.compile(r"\.(?:layers|h|blocks)\.(\d+)\.")


@dataclass(frozen=True, slots=True)
class Offload:
    """Per GPU. `offloaded_bytes` leave VRAM, `pinned_bytes` are taken from RAM (rounding included), `buffer_bytes`
    stay in VRAM for prefetching. `clipped`: more was asked for than can be moved (`ceiling_bytes`)."""

    backend: str = ""
    offloaded_bytes: int = 0
    pinned_bytes: int = 0
    buffer_bytes: int = 0
    expert_bytes: int = 0
    ceiling_bytes: int = 0
    ple_bytes: int = 0
    clipped: bool = False
    warnings: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict[str, str])


def plan_offload(weights: Weights, request: Request) -> Offload:
    options, inventory = request.options, weights.inventory
    ple = _table_in_ram(weights, options)
    wanted = options.offload_gib > 0 or options.group_size > 0
    if inventory is None or not wanted:
        warnings = ("offload cannot be planned without knowing the layers",) if wanted else ()
        return Offload(ple_bytes=ple, warnings=warnings)
    if request.engine.platform == "cpu":
        return Offload(warnings=("a CPU build accepts weight offload and does nothing",))
    if options.group_size > 0:
        return _prefetch(inventory, options, ple)
    return _uva(inventory, request, ple)


def _table_in_ram(weights: Weights, options: Options) -> int:
    """N-gram tables that vLLM itself keeps in pinned RAM (Qwen4Exp's EngramConfig). Gemma's tables it cannot move."""
    inventory = weights.inventory
    return inventory.table_bytes if inventory is not None and options.ple_in_ram else 0


def _uva(inventory: Inventory, request: Request, ple: int) -> Offload:
    options, engine = request.options, request.engine
    towers = engine.at_least(*TOWERS_FROM) and not options.language_model_only
    walk = inventory.walk_of(options.offload_params, towers=towers)
    budget = options.offload_gib * GIB
    moved, pinned, experts = walk.take(budget)
    warnings: list[str] = []
    env: dict[str, str] = {}
    if options.offload_params and not walk.ceiling:
        warnings.append(f"--cpu-offload-params {' '.join(options.offload_params)} matches no parameter: nothing moves")
    if NOOP_FROM <= engine.version < NOOP_UNTIL:
        env["VLLM_USE_V2_MODEL_RUNNER"] = "0"
        warnings.append(f"vLLM {engine.text} ignores --cpu-offload-gb on its V2 runner; the older runner is forced")
    if request.hardware.wsl:
        env["VLLM_WSL2_ENABLE_PIN_MEMORY"] = "1"
        if not engine.at_least(0, 28):
            warnings.append("WSL2 has no pinned memory for this engine: offload falls back to slow copies")
    table = min(ple, _tables_within(inventory, moved)) if ple else 0
    return Offload(
        "uva",
        moved,
        pinned,
        0,
        experts,
        walk.ceiling,
        ple - table,
        walk.ceiling < budget,
        tuple(warnings),
        env,
    )


def _tables_within(inventory: Inventory, moved: int) -> int:
    """Bytes of n-gram tables among the parameters that the walk has taken."""
    total = taken = 0
    for tensor in inventory.tensors:
        if not tensor.offloadable:
            continue
        total += tensor.bytes
        if total > moved:
            break
        if tensor.part is Part.PLE:
            taken += tensor.bytes
    return taken


def _prefetch(inventory: Inventory, options: Options, ple: int) -> Offload:
    """Of each `group_size` layers the last `group_offloaded` live in RAM and are copied ahead of their use."""
    group, away = options.group_size, min(options.group_offloaded, options.group_size)
    moved = pinned = experts = ceiling = 0
    for tensor in inventory.tensors:
        match = _LAYER.search(tensor.name)
        if match is None or not tensor.offloadable or tensor.part is Part.TOWERS:
            continue
        ceiling += tensor.bytes
        if int(match[1]) % group >= group - away:
            moved += tensor.bytes
            pinned += power_of_two(tensor.bytes)
            experts += tensor.bytes if tensor.part is Part.EXPERTS else 0
    buffers = (options.prefetch_step + 1) * inventory.largest_layer_bytes
    warnings: tuple[str, ...] = ()
    if experts:
        warnings = ("prefetching copies every expert at each step: for a MoE --cpu-offload-gb is faster",)
    return Offload("prefetch", moved, pinned, min(buffers, moved), experts, ceiling, ple, False, warnings)
