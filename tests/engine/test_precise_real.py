"""vLLM's own planner in the real engine, run by the product, against the plan's figures."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from core.engine.precise import Precise, PreciseMode
from core.errors import AppError
from core.events import EngineInfo
from core.paths import Paths
from core.planner.plan import Plan
from core.precise_plan import compare, task_of
from tests.support import plans
from tests.support.plans import DATA, refusal_numbers

GIB = 1 << 30

pytestmark = pytest.mark.patient


def precise(paths: Paths, engine: EngineInfo, config: Path, plan: Plan) -> Precise:
    return asyncio.run(PreciseMode(paths).run(engine, task_of(config, plan)))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("google__gemma-3-1b-it", {"capability": (8, 6), "vram_gib": 12, "max_num_seqs": 16}),
        ("ibm-granite__granite-4.0-h-micro", {"avail": 4 * GIB}),
        ("Qwen__Qwen3-30B-A3B-FP8", {"avail": 4 * GIB, "offload_gib": 8, "max_num_batched_tokens": 4096}),
    ],
)
def test_the_plan_and_vllm_say_the_same(
    home: Paths, real_engine: EngineInfo, name: str, options: dict[str, Any]
) -> None:
    plan = plans.plan(plans.published(name), context=8192, **options)
    found = precise(home, real_engine, DATA / "configs" / f"{name}.json", plan)
    figures = found.figures
    assert figures is not None
    assert (found.engine, found.version) == (real_engine.id, real_engine.version)
    compared = {figure.id: (figure.ours, figure.theirs) for figure in compare(plan, found)}
    assert all(ours == theirs > 0 for ours, theirs in compared.values()), compared
    assert len(compared) == (7 if "offload_gib" in options else 5)
    assert figures.kv.num_blocks == plan.kv.num_blocks
    assert figures.max_num_batched_tokens == plan.resolved.max_num_batched_tokens
    assert figures.max_num_seqs == plan.resolved.max_num_seqs


def test_vllm_refuses_a_cache_too_small_in_the_same_words(home: Paths, real_engine: EngineInfo) -> None:
    name = "Qwen__Qwen3-0.6B"
    plan = plans.plan(plans.published(name), context=32768, avail=GIB)
    figures = precise(home, real_engine, DATA / "configs" / f"{name}.json", plan).figures
    assert figures is not None
    assert plan.kv.refused is not None
    assert refusal_numbers(figures.kv.refused) == refusal_numbers(plan.kv.refused)
    assert figures.kv.bytes_one_request == plan.kv.bytes_one_request


def test_the_cpu_build_plans_for_itself(home: Paths, real_engine: EngineInfo) -> None:
    name = "HuggingFaceTB__SmolLM2-135M-Instruct"
    plan = plans.plan(plans.published(name), platform="cpu", avail=GIB)
    found = precise(home, real_engine, DATA / "configs" / f"{name}.json", plan)
    assert all(figure.equal for figure in compare(plan, found)), compare(plan, found)


def test_an_architecture_that_vllm_does_not_know(home: Paths, real_engine: EngineInfo, tmp_path: Path) -> None:
    config = plans.config("Qwen__Qwen3-0.6B") | {"architectures": ["NobodysForCausalLM"]}
    (tmp_path / "config.json").write_text(json.dumps(config), "utf-8")
    plan = plans.plan(plans.published("Qwen__Qwen3-0.6B"), context=1024)
    with pytest.raises(AppError) as caught:
        precise(home, real_engine, tmp_path, plan)
    assert caught.value.code == "precise.unsupported"
    assert "NobodysForCausalLM" in str(caught.value.facts["reason"])
