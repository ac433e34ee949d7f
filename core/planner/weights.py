"""Bytes of weights and buffers on one rank.

The tensors follow vLLM's own classes; where files are there, their headers are compared with them. Without a modelled
architecture the headers give the floor.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from core.checkpoint.architecture import Checkpoint
from core.checkpoint.fields import Refused, Unreadable
from core.checkpoint.inventory import Inventory
from core.checkpoint.quantization.scheme import ITEM_BYTES
from core.checkpoint.tensors import Part
from core.checkpoint.weights_on_disk import WeightsOnDisk
from core.planner.amounts import Amount, estimated, exact, unknown
from core.planner.defaults import Resolved
from core.planner.options import Options

# Beyond this the headers and the modelled classes do not speak of the same checkpoint.
TOLERANCE: Final = 0.03
_UNMODELLED_BAND: Final = (0.85, 1.2)
_FLOATS: Final = ("float32", "float16", "bfloat16", "float64")


@dataclass(frozen=True, slots=True)
class Weights:
    """`bytes`: parameters and buffers that vLLM allocates, offloaded or not. `allocated_bytes`: what torch's
    allocator takes for them ("Model loading took"). `inventory` None when nothing is known layer by layer. `refused`:
    why vLLM would not build the model with these options."""

    amount: Amount
    bytes: int
    allocated_bytes: int
    by_part: Mapping[Part, int] = field(default_factory=dict[Part, int])
    inventory: Inventory | None = None
    warnings: tuple[str, ...] = ()
    refused: str = ""


def weigh(checkpoint: Checkpoint, options: Options, resolved: Resolved) -> Weights:
    try:
        inventory = checkpoint.inventory(resolved.dtype, options.tensor_parallel)
    except Unreadable as error:
        found = _from_files(checkpoint.disk, options, resolved.dtype, str(error))
        return replace(found, refused=str(error)) if isinstance(error, Refused) else found
    extra = inventory.bytes_per_batched_token * resolved.max_num_batched_tokens
    towers = inventory.by_part[Part.TOWERS] if options.language_model_only else 0
    size = inventory.total_bytes + extra - towers
    kept = inventory.allocated_bytes + extra - towers
    by_part = inventory.by_part
    if towers:
        by_part = {**by_part, Part.TOWERS: 0}
    # Buffers are made while loading; no file holds them.
    amount, warnings = _certainty(checkpoint, options, size, inventory.by_part.get(Part.BUFFERS, 0), resolved.dtype)
    return Weights(amount, size, kept, by_part, inventory, warnings)


def _certainty(
    checkpoint: Checkpoint, options: Options, size: int, buffers: int, dtype: str
) -> tuple[Amount, tuple[str, ...]]:
    disk = checkpoint.disk
    if not checkpoint.known or checkpoint.reasons:
        reason = "; ".join(checkpoint.reasons) or "the architecture is not modelled"
        if disk is not None:
            held = as_loaded(disk, dtype) // max(1, options.tensor_parallel)
            return estimated(held, held, held * 1.06, reason), ()
        low, high = _UNMODELLED_BAND if not checkpoint.known else (0.97, 1.03)
        return estimated(size, size * low, size * high, reason), ()
    if disk is None or options.tensor_parallel != 1:
        return exact(size), ()
    held = as_loaded(disk, dtype) + buffers
    if abs(held - size) <= TOLERANCE * size or options.language_model_only:
        return exact(size), ()
    reason = f"the files hold {held - buffers} bytes where the config asks for {size - buffers}"
    return estimated(size, min(size, held), max(size, held), reason), (reason,)


def as_loaded(disk: WeightsOnDisk, dtype: str) -> int:
    """Bytes after loading: floats come in the model's dtype, packed and 8-bit weights stay as they are."""
    size = 0
    for name, held in disk.by_dtype.items():
        if name in _FLOATS and name != dtype and _mostly(disk, name):
            held = held * ITEM_BYTES[dtype] // ITEM_BYTES[name]
        size += held
    return max(0, size - disk.dropped_bytes)


def _mostly(disk: WeightsOnDisk, name: str) -> bool:
    """Whether this float dtype carries the model itself, not the scales beside packed weights."""
    return disk.by_dtype[name] * 4 >= disk.total_bytes


def _from_files(disk: WeightsOnDisk | None, options: Options, dtype: str, reason: str) -> Weights:
    if disk is None:
        return Weights(unknown(0, reason), 0, 0, warnings=(reason,))
    held = as_loaded(disk, dtype) // max(1, options.tensor_parallel)
    return Weights(estimated(held, held, held * 1.1, reason), held, held, disk.by_part, warnings=(reason,))
