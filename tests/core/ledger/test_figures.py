"""What a plan said and what a launch's log tells, as figures beside each other."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from core.engine.facts import LaunchFacts, WorkerFacts
from core.engine.facts_reader import read_facts
from core.ledger.figures import Said, actual, predicted, said
from core.ledger.record import GRAPHS, KV_TOKENS, OVERHEAD, PROCESSES, SPEED, Figure
from core.planner.options import GIB, Engine, Gpu, Hardware, Learned, Options, Request, Taught
from core.planner.plan import Plan, make_plan
from tests.support.plans import published

CARD = Gpu("RTX 3060", 12 * GIB, int(11.5 * GIB), (8, 6), 360e9, 12e9)


def on_card(**options: object) -> Request:
    return Request(Options(context=4096, **options), Engine((0, 33, 0)), Hardware((CARD,)))  # type: ignore[arg-type]


def on_cpu() -> Request:
    options = Options(context=2048, kv_cache_bytes=2 * GIB)
    return Request(options, Engine((0, 32, 0), "cpu"), Hardware(ram_total_bytes=32 * GIB, ram_bandwidth=40e9))


def plan_of(request: Request) -> Plan:
    return make_plan(published("Qwen__Qwen3-1.7B"), request)


def by_name(figures: tuple[Figure, ...]) -> dict[str, Figure]:
    return {figure.name: figure for figure in figures}


def test_a_plan_s_figures_keep_the_formula_beside_what_was_shown() -> None:
    request = on_card()
    taught = replace(request, learned=Learned(overhead=Taught(1.5, 0.1, 3), decode=Taught(2.0, 0.1, 3)))
    plain, corrected = plan_of(request), plan_of(taught)
    found = by_name(predicted(corrected, plain))
    overhead, speed = found[OVERHEAD], found[SPEED]
    assert overhead.base is not None
    assert overhead.predicted == pytest.approx(1.5 * overhead.base, rel=1e-6)
    assert overhead.low == pytest.approx(1.4 * overhead.base, rel=1e-6)
    assert speed.base is not None
    assert speed.predicted == pytest.approx(2 * speed.base)
    assert found[KV_TOKENS].predicted == corrected.kv.capacity_tokens
    assert found["vram.weights"].predicted == corrected.weights.allocated_bytes


def test_the_cpu_build_holds_weights_and_kv_cache_in_its_processes() -> None:
    plan = plan_of(on_cpu())
    facts = LaunchFacts(ram_kv_bytes=2 * GIB, kv_tokens=1234)
    told = said(facts, ["(Worker pid=1) INFO x Checkpoint size: 3.21 GiB. Available RAM: 21.65 GiB."])
    assert told == Said(round(3.21 * GIB), 2 * GIB, 1234, None)
    found = by_name(actual(plan, told, plan.weights.bytes + 2 * GIB + 1_700_000_000))
    assert found[PROCESSES].actual == 1_700_000_000
    assert found["ram.weights"].actual == round(3.21 * GIB)
    assert found["ram.kv_cache"].actual == 2 * GIB
    assert found[KV_TOKENS].actual == 1234
    assert PROCESSES not in by_name(actual(plan, told, None))
    assert PROCESSES not in by_name(actual(plan, told, GIB)), "less than its own weights: nothing was seen"


def test_a_card_s_overhead_is_what_weights_and_kv_cache_leave_of_its_share() -> None:
    plan = plan_of(on_card())
    assert plan.utilization is not None
    share = math.ceil(12 * GIB * plan.utilization)
    lines = [
        "(EngineCore pid=7) INFO 11-29 20:47:48 [x.py:1] Model loading took 3.22 GiB memory and 2.5 seconds",
        "(EngineCore pid=7) INFO 11-29 20:47:50 [x.py:1] Available KV cache memory: 6.50 GiB",
        "(EngineCore pid=7) INFO 11-29 20:47:50 [x.py:1] GPU KV cache size: 60,848 tokens",
        "(EngineCore pid=7) INFO 11-29 20:47:59 [x.py:1] Graph capturing finished in 6 secs, took 0.40 GiB",
    ]
    found = by_name(actual(plan, said(read_facts(lines), lines), 3 * GIB))
    assert found["vram.weights"].actual == round(3.22 * GIB)
    assert found[KV_TOKENS].actual == 60848
    assert found[GRAPHS].actual == round(0.4 * GIB)
    rest = found[OVERHEAD].actual
    assert rest == pytest.approx(share - (3.22 + 6.5 + 0.4) * GIB, abs=4)
    assert found[PROCESSES].actual == 3 * GIB


def test_pinned_weights_are_no_part_of_the_processes() -> None:
    plan = plan_of(on_card(offload_gib=1.0))
    told = Said(2 * GIB, 6 * GIB, 1000, None)
    found = by_name(actual(plan, told, 3 * GIB + plan.offload.pinned_bytes))
    assert found[PROCESSES].actual == 3 * GIB


def test_several_workers_and_none() -> None:
    two = LaunchFacts(workers=(WorkerFacts("a", 1, 10, 100), WorkerFacts("b", 2, 20, 200)), kv_tokens=5)
    assert said(two, []) == Said(3, 30, 5, 300)
    assert said(LaunchFacts(), []) == Said()
    assert actual(plan_of(on_card()), Said(), None) == ()
