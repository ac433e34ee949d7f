"""PCIe rates for planning."""

from __future__ import annotations

import pytest

from core.machine.links import generation_of, host_to_device, link_rate
from core.machine.model import Gpu, MemoryKind, Pcie, Vendor
from core.machine.reading import Known, Unknown


# The table of the project's notes on bandwidth (theoretical, for planning).
@pytest.mark.parametrize(
    ("generation", "width", "theoretical", "planning"),
    [
        (3, 16, 15.75, 12.5),
        (3, 8, 7.9, 6.2),
        (3, 4, 3.9, 3.1),
        (4, 16, 31.5, 25.0),
        (4, 8, 15.75, 12.5),
        (4, 4, 7.9, 6.3),
        (5, 16, 63.0, 53.0),
        (5, 8, 31.5, 27.0),
        (5, 4, 15.75, 13.0),
        (4, 1, 1.97, 1.58),
        (1, 16, 4.0, 3.2),
    ],
)
def test_rates(generation: int, width: int, theoretical: float, planning: float) -> None:
    rate = link_rate(generation, width)
    assert rate is not None
    assert rate.theoretical_gb_s == pytest.approx(theoretical, rel=0.02)
    assert rate.planning_gb_s == pytest.approx(planning, rel=0.01)


def test_no_rate_for_nonsense() -> None:
    assert link_rate(9, 16) is None
    assert link_rate(4, 0) is None


def card(busy: int, now: tuple[int, int], most: tuple[int, int] = (4, 16)) -> Gpu:
    pcie = Pcie(Known(now[0]), Known(now[1]), Known(most[0]), Known(most[1]))
    return Gpu("x", Vendor.NVIDIA, "x", pcie=pcie, utilisation_percent=Known(busy))


def test_an_idle_cards_gen_1_does_not_count_a_loaded_cards_does() -> None:
    assert host_to_device(card(0, (1, 16))) == Known(25.0)
    assert host_to_device(card(90, (3, 16))) == Known(12.5)


def test_ram_caps_the_link() -> None:
    assert host_to_device(card(0, (5, 16), (5, 16)), ram_read_gb_s=40.0) == Known(40.0)
    assert host_to_device(card(0, (4, 8), (4, 8)), ram_read_gb_s=40.0) == Known(12.5)


def test_unified_memory_and_unknown_links_have_no_rate() -> None:
    unified = Gpu("x", Vendor.NVIDIA, "GB10", memory_kind=MemoryKind.UNIFIED)
    assert isinstance(host_to_device(unified), Unknown)
    assert isinstance(host_to_device(Gpu("x", Vendor.NVIDIA, "x")), Unknown)


@pytest.mark.parametrize(
    ("text", "generation"),
    [("2.5 GT/s PCIe", 1), ("8.0 GT/s PCIe", 3), ("16.0 GT/s PCIe", 4), ("32.0 GT/s PCIe", 5), ("Unknown", None)],
)
def test_sysfs_speeds(text: str, generation: int | None) -> None:
    assert generation_of(text) == generation
