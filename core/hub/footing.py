"""The figures of a computer that a badge rests on, and whether others are near enough for it to still hold. Pure."""

from __future__ import annotations

from typing import Final

import msgspec

from core.hub.ground import Ground
from core.planner.options import GIB
from core.settings import Settings

RULES: Final = 1
"""Raise it when the planner judges differently."""
NEAR_SHARE: Final = 0.05
NEAR_BYTES: Final = GIB // 2


class Footing(msgspec.Struct, frozen=True):
    """`fixed`: what must be the same: engine, cards, settings. `free`: bytes free by place, -1 where unknown."""

    fixed: tuple[str, ...]
    total: tuple[int, ...]
    free: tuple[int, ...]

    def near(self, other: Footing) -> bool:
        """No figure differs by more than half a GiB and five per cent of its place."""
        if self.fixed != other.fixed or self.total != other.total or len(self.free) != len(other.free):
            return False
        return all(
            abs(one - two) <= max(NEAR_BYTES, int(NEAR_SHARE * total))
            for one, two, total in zip(self.free, other.free, self.total, strict=True)
        )


def footing_of(ground: Ground, settings: Settings) -> Footing:
    hardware = ground.hardware
    chosen = (
        settings.context_tokens,
        settings.enforce_eager,
        settings.cpu_kv_cache_gib,
        settings.max_num_seqs,
        settings.max_num_batched_tokens,
        settings.leave_free_gib,
    )
    cards = tuple(f"{gpu.name} {gpu.capability} {gpu.link:.0f} {gpu.display}" for gpu in hardware.gpus)
    bandwidth = f"{hardware.ram_bandwidth}"
    fixed = (str(RULES), ground.engine.text, ground.engine.platform, str(chosen), bandwidth, *cards)
    total = (*(gpu.total_bytes for gpu in hardware.gpus), hardware.ram_total_bytes or 0, 0)
    free = (*(gpu.free_bytes for gpu in hardware.gpus), hardware.ram_available_bytes, hardware.disk_free_bytes)
    return Footing(fixed, total, tuple(-1 if size is None else size for size in free))
