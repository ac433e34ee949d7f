"""What a PCIe link carries, for planning, and whether a card sits in a slot worse than itself. Pure functions.

The rates come from the project's notes on bandwidth: only gen 5 x16 was measured (56.06 GB/s host-to-device, pinned);
the others are theory x 0.8 to 0.85, which two independent sources give as the share that copies reach. GB = 10^9 bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from core.events import ErrorInfo
from core.machine.model import Gpu, Pcie
from core.machine.reading import Known, Reading, Unknown, Why

# Payload of one lane and direction in GB/s: transfer rate x line code (8b/10b up to gen 2, 128b/130b, gen 6 FLIT).
_LANE_GB_S: Final = {1: 0.25, 2: 0.5, 3: 0.985, 4: 1.969, 5: 3.938, 6: 7.563}
_PLANNING_GB_S: Final = {
    (3, 16): 12.5,
    (3, 8): 6.2,
    (3, 4): 3.1,
    (4, 16): 25.0,
    (4, 8): 12.5,
    (4, 4): 6.3,
    (5, 16): 53.0,  # measured 56.06; a little less, for it was one computer
    (5, 8): 27.0,
    (5, 4): 13.0,
}
_SHARE: Final = 0.8
# Copies from pageable memory go through a bounce buffer whatever the link is.
PAGEABLE_GB_S: Final = (3.0, 6.0)
# The GPU must work this hard for its present link state to count.
LOADED_PERCENT: Final = 20


@dataclass(frozen=True, slots=True)
class LinkRate:
    """`theoretical`: the lanes' payload; `planning`: what pinned copies reach. GB/s, 10^9 bytes per second."""

    theoretical_gb_s: float
    planning_gb_s: float


def link_rate(generation: int, width: int) -> LinkRate | None:
    """The rate of `width` lanes of `generation`; None for a generation that is not known."""
    lane = _LANE_GB_S.get(generation)
    if lane is None or width < 1:
        return None
    theoretical = lane * width
    return LinkRate(theoretical, _PLANNING_GB_S.get((generation, width), theoretical * _SHARE))


def host_to_device(gpu: Gpu, ram_read_gb_s: float | None = None) -> Reading[float]:
    """GB/s for planning: the best that card and slot agree on (present figures only of a loaded card, for idle ones
    drop to gen 1), never more than the RAM can be read at, where a probe knows that."""
    if gpu.shares_ram:
        return Unknown(Why.NOT_SUPPORTED, "its memory is the RAM: nothing crosses a link")
    generation, width = gpu.pcie.gen_max.or_none(), gpu.pcie.width_max.or_none()
    if _loaded(gpu):
        generation = gpu.pcie.gen_now.or_none() or generation
        width = gpu.pcie.width_now.or_none() or width
    rate = link_rate(generation, width) if generation and width else None
    if rate is None:
        return Unknown(Why.NOT_SUPPORTED, f"PCIe generation {generation}, width {width}")
    return Known(rate.planning_gb_s if ram_read_gb_s is None else min(rate.planning_gb_s, ram_read_gb_s))


def slot_notes(gpu: Gpu) -> tuple[ErrorInfo, ...]:
    """`machine.slot_narrow` and `machine.slot_slow` where the card could do better elsewhere. Told from what the slot
    can, or from the present link when the card works."""
    pcie = gpu.pcie
    notes: list[ErrorInfo] = []
    width = _worst(pcie.slot_width, pcie.width_now if _loaded(gpu) else None)
    card_width = pcie.card_width.or_none() or pcie.width_max.or_none()
    if width and card_width and width < card_width:
        notes.append(
            ErrorInfo("machine.slot_narrow", facts={"gpu": gpu.name, "width": width, "card_width": card_width})
        )
    generation = _worst(pcie.slot_gen, pcie.gen_max, pcie.gen_now if _loaded(gpu) else None)
    card = pcie.card_gen.or_none()
    if generation and card and generation < card:
        notes.append(ErrorInfo("machine.slot_slow", facts={"gpu": gpu.name, "gen": generation, "card_gen": card}))
    return tuple(notes)


def _loaded(gpu: Gpu) -> bool:
    busy = gpu.utilisation_percent.or_none()
    return busy is not None and busy >= LOADED_PERCENT


def _worst(*readings: Reading[int] | None) -> int | None:
    known = [reading.value for reading in readings if isinstance(reading, Known) and reading.value > 0]
    return min(known, default=None)


def generation_of(speed: str) -> int | None:
    """sysfs' `current_link_speed` ("16.0 GT/s PCIe") as a generation."""
    number = speed.split(" ", 1)[0]
    return {"2.5": 1, "5.0": 2, "5": 2, "8.0": 3, "8": 3, "16.0": 4, "16": 4, "32.0": 5, "32": 5, "64.0": 6}.get(number)


def better_known(own: Pcie, bus: Pcie) -> Pcie:
    """The driver's figures with what only the bus knows (`card_width`, `slot_*`) filled in, and the bus's where the
    driver is silent."""

    def first(a: Reading[int], b: Reading[int]) -> Reading[int]:
        return a if isinstance(a, Known) else b

    return Pcie(
        gen_now=first(own.gen_now, bus.gen_now),
        width_now=first(own.width_now, bus.width_now),
        gen_max=first(own.gen_max, bus.gen_max),
        width_max=first(own.width_max, bus.width_max),
        card_gen=first(own.card_gen, bus.card_gen),
        card_width=first(own.card_width, bus.card_width),
        slot_gen=first(own.slot_gen, bus.slot_gen),
        slot_width=first(own.slot_width, bus.slot_width),
    )
