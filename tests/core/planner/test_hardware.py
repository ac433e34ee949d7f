"""The planner's view of computers: seen ones and described ones."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.machine.model import Platform
from core.machine.probe.result import Probe
from core.machine.reading import Known, Unknown, Why
from core.planner.gpu_table import find_card
from core.planner.hardware import DESKTOP_RAM_BYTES, described, hardware_of
from core.planner.options import GIB
from tests.support import machines
from tests.support.machines import card, gib, sample


def test_a_desktop_with_a_card() -> None:
    seen = hardware_of(sample(card()).machine)
    known = find_card("RTX 3060")
    assert known is not None
    (gpu,) = seen.gpus
    assert (gpu.name, gpu.total_bytes, gpu.free_bytes) == ("NVIDIA GeForce RTX 3060", gib(12), gib(10.6))
    assert gpu.capability == (8, 6)
    assert gpu.bandwidth == known.bandwidth
    assert gpu.link == 25e9  # gen 4 x16
    assert (seen.ram_total_bytes, seen.ram_available_bytes) == (gib(32), gib(20.5))
    assert seen.ram_bandwidth is None
    assert seen.disk_free_bytes is not None
    assert (seen.cpu_cores, seen.wsl) == (12, False)


def test_what_a_probe_measured_counts() -> None:
    seen = hardware_of(sample(card()).machine, Probe(ram_read_gb_s=Known(18.0)))
    assert seen.ram_bandwidth == 18e9
    assert seen.gpus[0].link == 18e9, "a copy is no faster than the RAM is read"


def test_a_card_that_nobody_knows_keeps_what_its_driver_says() -> None:
    (gpu,) = hardware_of(sample(card("NVIDIA Secret 9000")).machine).gpus
    assert (gpu.total_bytes, gpu.capability, gpu.bandwidth) == (gib(12), (8, 6), 0.0)


def test_without_a_card_there_is_none() -> None:
    assert hardware_of(sample().machine).gpus == ()


@pytest.mark.parametrize(
    ("graphics", "headless", "wsl", "display"),
    [
        (True, False, 0, True),
        (False, False, 0, False),
        (None, False, 0, True),
        (None, True, 0, False),
        (False, True, 2, True),
    ],
)
def test_whether_a_desktop_lives_on_the_card(graphics: bool | None, headless: bool, wsl: int, display: bool) -> None:
    gpu = card()
    processes = gpu.processes.or_none()
    assert processes
    told = Unknown(Why.NOT_SUPPORTED) if graphics is None else Known((replace(processes[0], graphics=graphics),))
    platform = Platform("linux", "6.8", wsl=wsl, headless=Known(headless))
    machine = machines.sample(replace(gpu, processes=told), platform=platform).machine
    assert hardware_of(machine).gpus[0].display is display


def test_a_described_computer() -> None:
    known = find_card("RTX 3060")
    assert known is not None
    seen = described(known, ram_bytes=32 * GIB, cards=2)
    assert [gpu.name for gpu in seen.gpus] == [known.name] * 2
    assert (seen.gpus[0].total_bytes, seen.gpus[0].bandwidth) == (known.vram_bytes, known.bandwidth)
    assert seen.ram_available_bytes == 32 * GIB - DESKTOP_RAM_BYTES


def test_a_card_of_given_size_has_no_bandwidth() -> None:
    (gpu,) = described(None, vram_bytes=12 * GIB, capability=(8, 6)).gpus
    assert (gpu.total_bytes, gpu.capability, gpu.bandwidth, gpu.link) == (12 * GIB, (8, 6), 0.0, 0.0)
    assert described(None, ram_bytes=GIB) == described(None, ram_bytes=GIB, cards=3)
    assert described(None, ram_bytes=GIB).ram_available_bytes == 0


def test_a_named_card_with_another_memory() -> None:
    known = find_card("RTX 3060")
    (gpu,) = described(known, vram_bytes=8 * GIB).gpus
    assert known is not None
    assert (gpu.total_bytes, gpu.bandwidth) == (8 * GIB, known.bandwidth)
