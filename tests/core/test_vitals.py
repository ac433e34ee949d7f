"""Rates between two looks at the counters, a server that stands still, and what limits its speed where that shows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from core.engine.counters import Counters
from core.engine.vitals import STUCK_S, Surroundings, moved, vitals_of
from core.events import ErrorInfo
from core.machine.model import Cpu, Disk, DiskKind, Gpu, Machine, Platform, Ram, Vendor
from core.machine.reading import NOT_SUPPORTED, Known

BEFORE = Counters(10.0, 1000, 100, prompt_tokens=500, generated_tokens=50, preemptions=1, running=1)
NOW = Counters(
    12.0, 1500, 500, prompt_tokens=900, generated_tokens=110, preemptions=1, running=2, waiting=3, kv_used=0.5
)


def machine(
    *gpus: Gpu, ram: Ram | None = None, notes: tuple[ErrorInfo, ...] = (), disk: DiskKind = DiskKind.NVME
) -> Machine:
    cpu = Cpu("cpu", "x86_64", NOT_SUPPORTED, NOT_SUPPORTED, NOT_SUPPORTED)
    disks = (Disk("/data", "ext4", ("models",), NOT_SUPPORTED, NOT_SUPPORTED, Known(disk)),)
    return Machine(0.0, Platform("linux", "6"), cpu, ram or Ram(), gpus, disks, notes=notes)


def codes(around: Surroundings, now: Counters = NOW, still_s: float = 0.0) -> list[str]:
    return [limit.code for limit in vitals_of(BEFORE, now, still_s, around).limits]


def test_rates_between_two_looks() -> None:
    vitals = vitals_of(BEFORE, NOW, 0.0, Surroundings())
    assert (vitals.prompt_rate, vitals.decode_rate, vitals.prefix_hit_rate) == (200.0, 30.0, 0.8)
    assert (vitals.running, vitals.waiting, vitals.kv_used, vitals.limits) == (2, 3, 0.5, ())


def test_one_look_has_no_rates_and_an_idle_cache_no_hit_rate() -> None:
    first = vitals_of(None, NOW, 0.0, Surroundings())
    assert (first.prompt_rate, first.decode_rate, first.prefix_hit_rate, first.running) == (None, None, None, 2)
    assert vitals_of(NOW, replace(NOW, at_s=14.0), 0.0, Surroundings()).prefix_hit_rate is None


def test_a_server_moves_when_tokens_do() -> None:
    assert moved(BEFORE, NOW)
    assert moved(BEFORE, replace(BEFORE, prompt_tokens=501))
    assert not moved(BEFORE, replace(BEFORE, at_s=99.0, running=5))


def test_no_token_for_long_is_said_with_the_seconds() -> None:
    assert codes(Surroundings(), still_s=STUCK_S - 1) == []
    (limit,) = vitals_of(BEFORE, NOW, STUCK_S + 5.4, Surroundings()).limits
    assert (limit.code, limit.facts) == ("server.no_token", {"seconds": 65})


def test_a_full_cache_is_said_while_it_happens() -> None:
    (limit,) = vitals_of(BEFORE, replace(NOW, preemptions=4), 0.0, Surroundings()).limits
    assert (limit.code, limit.facts) == ("server.slow_kv_full", {"count": 3})


@pytest.mark.parametrize(
    ("values", "code"),
    [
        (
            {"utilisation_percent": 99, "temperature_c": 88, "power_w": 300.0, "power_limit_w": 300.0},
            "server.slow_heat",
        ),
        (
            {"utilisation_percent": 99, "temperature_c": 70, "power_w": 295.0, "power_limit_w": 300.0},
            "server.slow_power",
        ),
        ({"utilisation_percent": 99, "temperature_c": 70, "power_w": 200.0, "power_limit_w": 300.0}, None),
        ({"utilisation_percent": 10, "temperature_c": 90, "power_w": 299.0, "power_limit_w": 300.0}, None),
        ({"temperature_c": 90}, None),
    ],
)
def test_heat_and_power_count_only_on_a_card_at_work(values: dict[str, Any], code: str | None) -> None:
    gpu = Gpu("id", Vendor.NVIDIA, "RTX", **{name: Known(value) for name, value in values.items()})  # type: ignore[arg-type]
    assert codes(Surroundings(machine(gpu))) == ([code] if code else [])


def test_swapping_and_disks() -> None:
    swaps = machine(ram=Ram(swap_in_bytes_per_s=Known(5e6)), disk=DiskKind.HDD)
    assert codes(Surroundings(swaps)) == ["server.slow_swapping"]
    assert codes(Surroundings(swaps, disk_role="models")) == ["server.slow_swapping", "server.slow_disk"]
    assert codes(Surroundings(machine(disk=DiskKind.NVME), disk_role="models")) == []


def test_a_narrow_slot_matters_only_to_what_goes_through_it() -> None:
    notes = (ErrorInfo("machine.slot_narrow", facts={"gpu": "RTX", "width": 4, "card_width": 16}),)
    assert codes(Surroundings(machine(notes=notes))) == []
    assert codes(Surroundings(machine(notes=notes), offloads=True)) == ["machine.slot_narrow"]


def test_a_machine_at_rest_limits_nothing() -> None:
    around = Surroundings(machine(ram=Ram(swap_in_bytes_per_s=Known(5e6))))
    assert codes(around, replace(NOW, running=0)) == []
