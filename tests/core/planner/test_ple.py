"""The per-layer embedding table in the plan: tiers, command, speed, warnings."""

from __future__ import annotations

import json
import runpy
from dataclasses import replace
from pathlib import Path

import pytest

from core.engine.ple_plugin import PLACEMENT_ENV, PLUGIN_FROM
from core.planner import ple as planned
from core.planner.amounts import Verdict
from core.planner.levers import levers
from core.planner.options import GIB, Hardware, Request
from core.planner.plan import Plan, make_plan
from core.planner.ple import CACHE_BYTES
from core.planner.report import report
from core.planner.solver import Wishes, solve
from tests.support.plans import plan, published, request

PLUGIN = Path(__file__).parents[3] / "core" / "ple" / "stowage_ple"
E4B = "google__gemma-4-E4B-it"
TABLE = 262144 * 42 * 256 * 2
ROW = 42 * 256 * 2


def vram(made: Plan) -> int:
    assert made.vram is not None
    return made.vram.likely_bytes


def with_disk(asked: Request, **facts: object) -> Request:
    hardware: Hardware = replace(asked.hardware, **facts)  # type: ignore[arg-type]
    return replace(asked, hardware=hardware)


def test_by_default_the_table_stays_on_the_card() -> None:
    made = plan(published(E4B), context=8192)
    assert made.ple is not None
    assert (made.ple.tier, made.ple.table_bytes, made.ple.row_bytes) == ("vram", TABLE, ROW)
    assert PLACEMENT_ENV not in made.command.env
    assert any("stays in VRAM" in warning for warning in made.warnings)


@pytest.mark.parametrize(
    ("placement", "part", "ram"), [("ram", "ple_table", TABLE), ("disk", "ple_cache", CACHE_BYTES)]
)
def test_off_the_card_it_is_gone_from_vram_and_stands_where_it_went(placement: str, part: str, ram: int) -> None:
    before, made = plan(published(E4B), context=8192), plan(published(E4B), context=8192, ple_placement=placement)
    assert vram(before) - vram(made) == pytest.approx(TABLE, abs=4 << 20)
    amount = made.host.tier.part(part)
    assert amount is not None
    assert amount.likely == ram
    assert made.command.env == {PLACEMENT_ENV: placement}
    assert not any("stays in VRAM" in warning for warning in made.warnings)


def test_every_rank_has_a_table_of_its_own() -> None:
    made = plan(published(E4B), context=8192, ple_placement="ram", tensor_parallel=2)
    amount = made.host.tier.part("ple_table")
    assert amount is not None
    assert amount.likely == 2 * TABLE
    assert made.ple is not None
    assert made.ple.vram_bytes == TABLE // 2


def test_a_token_pays_for_its_row_by_the_disk_that_was_measured() -> None:
    asked = request(context=8192, ple_placement="disk")
    quick = make_plan(published(E4B), with_disk(asked, disk_latency_s=100e-6, disk_random_iops=200e3, disk_kind="nvme"))
    slow = make_plan(published(E4B), with_disk(asked, disk_latency_s=10e-3, disk_random_iops=120.0, disk_kind="hdd"))
    still = plan(published(E4B), context=8192)
    assert quick.speed is not None
    assert slow.speed is not None
    assert still.speed is not None
    assert still.speed.likely > quick.speed.likely > slow.speed.likely
    assert 1 / slow.speed.likely - 1 / still.speed.likely == pytest.approx(planned.LOOKUP_S + 5e-3, rel=0.01)
    assert slow.speed.ttft_high_s > quick.speed.ttft_high_s + 4  # 512 rows at 120 a second
    assert any("hard disk" in warning and "10 ms" in warning for warning in slow.warnings)
    assert not any("read from" in warning for warning in quick.warnings)


def test_an_unmeasured_disk_is_said_to_be_one() -> None:
    made = make_plan(published(E4B), with_disk(request(ple_placement="disk"), disk_kind="network"))
    assert made.ple is not None
    assert made.ple.measured is False
    assert any("network disk" in warning for warning in made.warnings)


def test_an_engine_that_the_plugin_does_not_know_keeps_it() -> None:
    made = plan(published(E4B), version=(0, 29, 1), ple_placement="disk")
    assert made.ple is not None
    assert (made.ple.placement, made.command.env) == ("gpu", {})
    assert any("0.30 or newer" in warning for warning in made.warnings)


def test_other_models_have_no_such_table() -> None:
    assert plan(published("Qwen__Qwen3-8B"), ple_placement="disk").ple is None
    own = plan(published("Qwen__Qwen3.8-Flash-Next"), ple_placement="disk")  # vLLM moves that one itself
    assert own.ple is None
    assert PLACEMENT_ENV not in own.command.env


def test_on_a_cpu_it_leaves_the_ram() -> None:
    before = plan(published(E4B), platform="cpu", context=4096)
    made = plan(published(E4B), platform="cpu", context=4096, ple_placement="disk")
    gone = before.host.tier.likely_bytes - made.host.tier.likely_bytes
    assert gone == pytest.approx(TABLE - CACHE_BYTES, abs=64 << 20)


def test_the_lever_says_what_it_frees() -> None:
    asked = request(vram_gib=12, context=8192)
    found = {lever.id: lever for lever in levers(published(E4B), asked, make_plan(published(E4B), asked))}
    assert found["ple_disk"].vram_gain_bytes == pytest.approx(TABLE, abs=4 << 20)
    assert found["ple_disk"].ram_cost_bytes == CACHE_BYTES
    assert found["ple_ram"].ram_cost_bytes >= 5 * GIB
    hdd = with_disk(asked, disk_kind="hdd")
    assert "ple_disk" not in {lever.id for lever in levers(published(E4B), hdd, make_plan(published(E4B), hdd))}
    moved = request(vram_gib=12, context=8192, ple_placement="disk")
    assert not {"ple_disk", "ple_ram"} & {
        lever.id for lever in levers(published(E4B), moved, make_plan(published(E4B), moved))
    }


def test_a_small_card_is_solved_with_the_table_away_before_any_weights_are() -> None:
    asked = request(version=(0, 33, 0), vram_gib=14, capability=(8, 6))
    best = solve(published(E4B), asked, Wishes(context=8192))[0]
    assert best.plan.verdict is Verdict.FITS
    assert best.plan.request.options.ple_placement == "disk"
    assert best.plan.request.options.offload_gib == 0
    assert any("embedding table on the disk" in text for text in best.gives_up)
    ample = solve(published(E4B), request(version=(0, 33, 0), vram_gib=48), Wishes(context=8192))[0]
    assert ample.plan.request.options.ple_placement == "gpu"


def test_the_report_has_its_line() -> None:
    told = report(published(E4B), plan(published(E4B), ple_placement="disk"))["ple"]
    json.dumps(told, allow_nan=False)
    assert (told["tier"], told["table_bytes"], told["row_bytes"]) == ("disk", TABLE, ROW)
    assert report(published("Qwen__Qwen3-8B"), plan(published("Qwen__Qwen3-8B")))["ple"] is None


def test_what_is_assumed_of_the_plugin_is_what_it_says() -> None:
    settings = runpy.run_path(str(PLUGIN / "settings.py"), run_name="settings")
    assert settings["PLACEMENT"] == PLACEMENT_ENV
    assert settings["DEFAULT_CACHE_MIB"] << 20 == CACHE_BYTES
    assert f"OLDEST = {PLUGIN_FROM}" in (PLUGIN / "plugin.py").read_text("utf-8")
