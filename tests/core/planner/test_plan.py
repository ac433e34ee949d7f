"""Tiers, verdicts, command lines, levers and solutions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.checkpoint.architecture import read_checkpoint
from core.planner.amounts import Certainty, Item, Verdict, estimated, exact, judge, unknown, worst
from core.planner.disk import plan_disk
from core.planner.levers import levers
from core.planner.options import GIB, Engine, Gpu, Hardware, Learned, Options, Request, Taught
from core.planner.plan import make_plan
from core.planner.solver import Wishes, solve
from tests.support.plans import config, plan, published, request


def test_three_verdicts() -> None:
    items = (Item("a", exact(50)), Item("b", estimated(30, 20, 40)))
    assert [judge(items, limit) for limit in (90, 89, 70, 69)] == [
        Verdict.FITS,
        Verdict.TIGHT,
        Verdict.TIGHT,
        Verdict.NO,
    ]
    assert judge(items, None) is Verdict.UNKNOWN
    assert judge((*items, Item("c", unknown(5, "?"))), 1000) is Verdict.UNKNOWN
    assert judge((*items, Item("c", unknown(50, "?"))), 100) is Verdict.NO
    assert worst((Verdict.FITS, Verdict.TIGHT, Verdict.NO)) is Verdict.NO
    assert worst(()) is Verdict.FITS


def test_a_card_that_is_too_small_just_enough_and_ample() -> None:
    checkpoint = published("Qwen__Qwen3-8B")
    verdicts = [plan(checkpoint, context=8192, max_num_seqs=8, vram_gib=size).verdict for size in (16, 18.9, 24)]
    assert verdicts == [Verdict.NO, Verdict.TIGHT, Verdict.FITS]


def test_the_share_of_the_card_never_exceeds_what_is_free() -> None:
    checkpoint = published("Qwen__Qwen3-8B")
    total = 32 * GIB
    free = int(30.12 * GIB)
    for display, margin in ((False, 0.3), (True, 1.0)):
        gpu = Gpu(total_bytes=total, free_bytes=free, display=display)
        made = make_plan(checkpoint, Request(Options(context=4096), Engine(), Hardware((gpu,))))
        assert made.utilization is not None
        assert made.utilization * total <= free - margin * GIB
        assert made.command.arguments[-2:] == ("--gpu-memory-utilization", f"{made.utilization:.3f}")


def test_what_launches_have_taught_corrects_the_formulas() -> None:
    """Each by its own factor, with the band and the number of runs; a formula's own band does not matter any more."""
    checkpoint = published("Qwen__Qwen3-8B")
    formula = make_plan(checkpoint, request(context=8192))
    taught = Learned(Taught(1.5, 0.1, 4), Taught(0.5, 0.02, 3), Taught(0.4, 0.01, 2), Taught(2.0, 0.25, 5))
    made = make_plan(checkpoint, replace(request(context=8192), learned=taught))
    assert made.vram is not None
    assert formula.vram is not None
    for part, factor, spread, runs in (
        ("activations", 1.5, 0.1, 4),
        ("context", 1.5, 0.1, 4),
        ("graphs", 0.5, 0.02, 3),
    ):
        amount, before = made.vram.part(part), formula.vram.part(part)
        assert amount is not None
        assert before is not None
        assert amount.certainty is Certainty.LEARNED
        assert amount.runs == runs
        assert amount.likely == pytest.approx(before.likely * factor, rel=1e-6)
        assert amount.top - amount.likely == pytest.approx(before.likely * spread, rel=1e-6)
        assert amount.likely - amount.low == pytest.approx(before.likely * spread, rel=1e-6)
    processes, usual = made.host.tier.part("processes"), formula.host.tier.part("processes")
    assert processes is not None
    assert usual is not None
    assert processes.likely == pytest.approx(usual.likely * 0.4, rel=1e-6)
    assert made.speed is not None
    assert formula.speed is not None
    assert made.speed.likely == pytest.approx(formula.speed.likely * 2)
    assert made.speed.high == pytest.approx(formula.speed.likely * 2.25)
    assert made.speed.low == pytest.approx(formula.speed.likely * 1.75)
    assert made.speed.runs == 5


def test_the_command_line_says_all_and_only_what_was_chosen() -> None:
    checkpoint = published("openai__gpt-oss-20b")
    made = plan(
        checkpoint,
        version=(0, 33, 0),
        context=16384,
        max_num_seqs=4,
        max_num_batched_tokens=1024,
        kv_cache_dtype="fp8",
        offload_gib=6.5,
        offload_params=("experts",),
        kv_offload_gib=4,
        tensor_parallel=2,
        enforce_eager=True,
        prefix_caching=False,
        async_scheduling=False,
        language_model_only=True,
        gpu_memory_utilization=0.8,
    )
    assert made.command.arguments == (
        *("--max-model-len", "16384", "--max-num-seqs", "4", "--max-num-batched-tokens", "1024"),
        *("--kv-cache-dtype", "fp8", "--gpu-memory-utilization", "0.800"),
        *("--cpu-offload-gb", "6.5", "--cpu-offload-params", "experts"),
        *("--kv-offloading-size", "4", "--kv-offloading-backend", "native"),
        *("--tensor-parallel-size", "2", "--enforce-eager", "--no-enable-prefix-caching", "--no-async-scheduling"),
        "--language-model-only",
    )
    assert plan(checkpoint, avail=GIB).command.arguments == ("--kv-cache-memory-bytes", str(GIB))
    assert made.command.line("M").startswith("vllm serve M --max-model-len")


def test_offload_by_engine_and_system() -> None:
    checkpoint = published("Qwen__Qwen3-8B")
    silent = plan(checkpoint, version=(0, 25, 0), offload_gib=4)
    assert silent.command.env == {"VLLM_USE_V2_MODEL_RUNNER": "0"}
    assert any("V2 runner" in warning for warning in silent.warnings)
    assert plan(checkpoint, version=(0, 28, 0), offload_gib=4).command.env == {}
    on_cpu = plan(checkpoint, platform="cpu", offload_gib=4)
    assert on_cpu.offload.offloaded_bytes == 0
    assert any("does nothing" in warning for warning in on_cpu.warnings)
    assert "--cpu-offload-gb" not in on_cpu.command.arguments
    base = request(version=(0, 33, 0), offload_gib=4)
    wsl = make_plan(checkpoint, replace(base, hardware=replace(base.hardware, wsl=True)))
    assert wsl.command.env == {"VLLM_WSL2_ENABLE_PIN_MEMORY": "1"}


def test_a_name_that_matches_nothing_moves_nothing_and_is_reported() -> None:
    made = plan(published("google__gemma-4-E4B-it"), offload_gib=8, offload_params=("embed_tokens_per_layer",))
    assert made.offload.offloaded_bytes == 0
    assert any("matches no parameter" in warning for warning in made.warnings)


def test_experts_alone_overshoot_by_one_parameter_at_most() -> None:
    made = plan(published("openai__gpt-oss-20b"), offload_gib=4, offload_params=("experts",))
    assert 4 * GIB <= made.offload.offloaded_bytes <= 4 * GIB + 300_000_000
    assert made.offload.expert_bytes == made.offload.offloaded_bytes
    assert made.offload.pinned_bytes > 1.5 * made.offload.offloaded_bytes


def test_prefetching_moves_the_last_layers_of_each_group() -> None:
    checkpoint = published("Qwen__Qwen3-8B")
    half = plan(checkpoint, group_size=2, group_offloaded=1)
    layers = plan(checkpoint).weights.by_part["layers"]  # type: ignore[index]
    assert half.offload.backend == "prefetch"
    assert half.offload.offloaded_bytes == layers // 2
    assert 0 < half.offload.buffer_bytes < layers // 10


def test_pinned_memory_beyond_its_limits_is_reported() -> None:
    base = request(offload_gib=8, kv_offload_gib=6)
    small = replace(base.hardware, memlock_bytes=GIB, shm_free_bytes=GIB, ram_available_bytes=8 * GIB)
    made = make_plan(published("Qwen__Qwen3-8B"), replace(base, hardware=small))
    assert any("locked memory" in warning for warning in made.warnings)
    assert any("/dev/shm" in warning for warning in made.warnings)
    assert made.host.tier.verdict is Verdict.NO
    assert made.verdict is Verdict.NO


def test_disk_counts_what_is_missing() -> None:
    tier = plan_disk(
        exact(100), download_bytes=10 * GIB, present_bytes=4 * GIB, engine_needed=True, free_bytes=18 * GIB
    )
    download = tier.part("download")
    assert download is not None
    assert download.likely == 6 * GIB
    assert tier.verdict is Verdict.TIGHT
    assert plan_disk(exact(GIB), free_bytes=100 * GIB).verdict is Verdict.FITS


def test_on_a_cpu_weights_and_cache_are_ram() -> None:
    checkpoint = published("Qwen__Qwen3-0.6B")
    made = plan(checkpoint, platform="cpu", avail=4 * GIB, context=8192)
    assert made.vram is None
    weights, cache = made.host.tier.part("weights"), made.host.tier.part("kv_cache")
    assert weights is not None
    assert cache is not None
    assert (weights.likely, cache.likely) == (1202586048, 4 * GIB)
    assert made.command.env == {"VLLM_CPU_KVCACHE_SPACE": "4"}
    assert made.verdict is Verdict.FITS


def test_levers_gain_what_they_promise() -> None:
    checkpoint = published("google__gemma-3-27b-it")
    base = request(version=(0, 33, 0), vram_gib=48, context=32768)
    before = make_plan(checkpoint, base)
    found = {lever.id: lever for lever in levers(checkpoint, base, before)}
    assert {"context", "max_num_batched_tokens", "max_num_seqs", "kv_cache_dtype", "language_model_only"} <= set(found)
    del found["quantization"]  # another checkpoint, not another option; it has a test of its own
    for lever in found.values():
        after = make_plan(checkpoint, replace(base, options=lever.options))
        assert before.vram is not None
        assert after.vram is not None
        assert lever.vram_gain_bytes == before.vram.likely_bytes - after.vram.likely_bytes
        assert lever.verdict is after.verdict
        assert lever.cost


def test_the_offload_lever_is_large_enough_to_fit() -> None:
    checkpoint = published("Qwen__Qwen3-8B")
    base = request(version=(0, 33, 0), vram_gib=16, context=8192, max_num_seqs=8)
    lever = next(
        lever for lever in levers(checkpoint, base, make_plan(checkpoint, base)) if lever.id == "cpu_offload_gb"
    )
    assert lever.verdict is Verdict.FITS
    assert lever.ram_cost_bytes > 0
    assert lever.speed_factor is not None
    assert lever.speed_factor < 0.7


def test_solutions_without_offload_come_first_and_name_their_price() -> None:
    checkpoint = published("Qwen__Qwen3-8B")
    ample = solve(checkpoint, request(version=(0, 33, 0), vram_gib=24), Wishes(context=16384))
    assert ample[0].gives_up == ()
    assert ample[0].plan.verdict is Verdict.FITS
    small = solve(checkpoint, request(version=(0, 33, 0), vram_gib=12), Wishes(context=16384))
    assert any("RAM" in text for text in small[0].gives_up)
    assert small[0].plan.resolved.context == 16384
    exact_cache = solve(
        checkpoint, request(version=(0, 33, 0), vram_gib=12), Wishes(context=16384, full_kv_precision=True)
    )
    assert all("--kv-cache-dtype" not in solution.plan.command.arguments for solution in exact_cache)


def test_room_for_the_desktop_is_left_alone() -> None:
    checkpoint = published("Qwen__Qwen3-8B")
    for reserve in (GIB, 4 * GIB):
        best = solve(checkpoint, request(vram_gib=24), Wishes(context=8192, reserve_bytes=reserve))[0].plan
        assert best.utilization is not None
        assert best.utilization * 24 * GIB <= 24 * GIB * 0.985 - reserve


def test_when_nothing_fits_the_nearest_is_shown_with_its_verdict() -> None:
    solutions = solve(published("Qwen__Qwen2.5-72B-Instruct"), request(vram_gib=4), Wishes(context=8192))
    assert [solution.plan.verdict for solution in solutions] == [Verdict.NO]


def test_what_vllm_refuses_is_refused_before_a_download() -> None:
    values = config("Qwen__Qwen2.5-7B-Instruct")
    for block, text in (
        ({"quant_method": "gptq", "bits": 4, "group_size": 128, "desc_act": True}, "desc_act"),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, "bitsandbytes"),
    ):
        made = plan(read_checkpoint({**values, "quantization_config": block}))
        assert made.verdict is Verdict.NO
        assert any(text in warning for warning in made.warnings)


@pytest.mark.parametrize("ranks", [2, 4, 8])
def test_ranks_that_do_not_divide_the_heads_are_refused_as_vllm_does(ranks: int) -> None:
    made = plan(published("HuggingFaceTB__SmolLM2-135M-Instruct"), tensor_parallel=ranks)
    assert made.refused == f"Total number of attention heads (9) must be divisible by tensor parallel size ({ranks})."
    assert made.verdict is Verdict.NO
    assert made.weights.amount.certainty is Certainty.UNKNOWN


def test_a_quantization_whose_groups_do_not_divide_a_ranks_share_is_refused_as_vllm_does() -> None:
    """vLLM 0.32 on two ranks: "The input size is not aligned with the quantized weight shape." """
    made = plan(published("TechxGenus__DeepSeek-V2-Lite-Chat-AWQ"), context=2048, tensor_parallel=2)
    assert "do not divide it" in made.refused
    assert made.verdict is Verdict.NO


def test_four_bits_of_the_same_model_are_what_its_published_version_needs() -> None:
    asked = request(vram_gib=12, context=8192)
    checkpoint = published("Qwen__Qwen2.5-7B-Instruct")
    plan = make_plan(checkpoint, asked)
    found = {lever.id: lever for lever in levers(checkpoint, asked, plan)}
    four_bits = make_plan(published("Qwen__Qwen2.5-7B-Instruct-AWQ"), asked)
    assert plan.vram is not None
    assert four_bits.vram is not None
    assert found["quantization"].vram_gain_bytes == plan.vram.likely_bytes - four_bits.vram.likely_bytes
    assert found["quantization"].verdict is four_bits.verdict
    quantized = published("Qwen__Qwen2.5-7B-Instruct-AWQ")
    assert "quantization" not in {lever.id for lever in levers(quantized, asked, four_bits)}


def test_towers_stay_where_vllm_cannot_serve_the_model_without() -> None:
    asked = request(version=(0, 33, 0), vram_gib=10)
    for name, may_go in (("google__gemma-3n-E4B-it", False), ("google__gemma-4-E4B-it", True)):
        checkpoint = published(name)
        offered = {lever.id for lever in levers(checkpoint, asked, make_plan(checkpoint, asked))}
        assert ("language_model_only" in offered) is may_go
        solutions = solve(checkpoint, asked, Wishes(context=8192, vision=False))
        assert {found.plan.request.options.language_model_only for found in solutions} == {may_go}
