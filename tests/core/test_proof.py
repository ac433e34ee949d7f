"""Verdicts on requested options, from recorded and crafted logs of several versions and from counters."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.engine.asked import Asked, asked_of, version_of
from core.engine.command import LaunchRequest, Tuning
from core.engine.counters import Counters, cache_config, counters_of
from core.engine.facts import GIB, LaunchFacts
from core.engine.facts_reader import read_facts
from core.engine.finding import Finding, Shown, Verdict
from core.engine.metrics import parse
from core.engine.options import LaunchOptions, OffloadShape, PromptCache, Traits
from core.engine.proof import prove
from core.events import EngineInfo, EngineState
from core.words import LANGUAGES, terms
from tests.core.test_facts import V021, V033, V085, recorded

NO, YES, UNKNOWN = Verdict.NO_EFFECT, Verdict.TOOK_EFFECT, Verdict.CANNOT_TELL
CUDA = Asked(version=(0, 21, 0), platform="cuda", served_name="m")


def finding(asked: Asked, facts: LaunchFacts, option: str, **more: object) -> Finding:
    found = [item for item in prove(asked, Shown(facts, **more)) if item.option == option]  # type: ignore[arg-type]
    assert len(found) == 1, option
    for group, name in (("option", option), ("reason", found[0].reason), ("advice", found[0].advice)):
        assert name == "" or name in terms("en")[f"proof_{group}"], f"{group} {name} has no words"
    return found[0]


def request(
    *extra: str, platform: str = "cpu", tuning: Tuning | None = None, context: int | None = 2048
) -> LaunchRequest:
    engine = EngineInfo("x", EngineState.READY, "0.32.0+cpu", platform, "/p", "3.11", ours=True)
    return LaunchRequest("smollm2", "/m", engine, context, extra_args=extra, tuning=tuning or Tuning())


# ---- what was asked ------------------------------------------------------------------------------------------------


def test_options_with_fields_of_their_own_are_asked_for() -> None:
    engine = EngineInfo("x", EngineState.READY, "0.33.0", "cuda", "/p", "3.11", ours=True)
    options = LaunchOptions(
        dtype="bfloat16", quantization="awq", tensor_parallel=2, prefix_caching=True, served_name="me",
        prompt_cache=PromptCache(ram_gib=8.0), offload=OffloadShape(params=("experts",)), ple="device",
    )  # fmt: skip
    base = LaunchRequest("m", "/m", engine, 2048, tuning=Tuning(4, 2048, "fp8", 4.0), options=options)
    asked = asked_of(replace(base, traits=Traits(tables="ngram"), resident_bytes=17))
    assert asked == Asked(
        (0, 33, 0), "cuda", "me", 2048, True, 4, 2048, "fp8", "bfloat16", "awq", 2, True, 4.0, ("experts",), 8.0,
        False, False, 17,
    )  # fmt: skip
    cache = PromptCache(ram_gib=2.0, disk_path="/d", keep=True)
    kept = asked_of(replace(base, options=replace(options, prompt_cache=cache)))
    assert (kept.kv_offload_gib, kept.kv_disk) == (2.0, True)
    last = asked_of(replace(base, extra_args=("--dtype", "half", "--no-enable-prefix-caching")))
    assert (last.dtype, last.prefix_caching) == ("half", False)


def test_what_a_build_cannot_even_be_told_had_no_effect() -> None:
    """The CPU build would end with a prompt cache and ignores weight offload: neither is written, both are answered."""
    options = LaunchOptions(prompt_cache=PromptCache(ram_gib=1.0))
    asked = asked_of(replace(request(tuning=Tuning(cpu_offload_gib=0.1)), options=options))
    facts = read_facts(recorded("offload_on_cpu"))
    for option in ("weight_offload", "kv_offload"):
        assert (finding(asked, facts, option).verdict, finding(asked, facts, option).reason) == (NO, "cpu_build")
    tables = asked_of(replace(request(), options=LaunchOptions(ple="ram"), traits=Traits(tables="per_layer")))
    assert finding(tables, facts, "ple").reason == "tables_not_covered"


# ---- weight offload ------------------------------------------------------------------------------------------------


def test_weight_offload_on_a_cpu_is_accepted_and_does_nothing() -> None:
    asked = asked_of(request("--cpu-offload-gb", "0.1"))
    found = finding(asked, read_facts(recorded("offload_on_cpu")), "weight_offload")
    assert (found.verdict, found.asked, found.reason, found.advice) == (NO, "0.1 GiB", "cpu_build", "leave_out")
    assert "Offloader set to UVAOffloader" in found.evidence[0]


def test_weight_offload_with_its_proof_line_on_two_workers() -> None:
    found = finding(replace(CUDA, weight_offload_gib=4.0), read_facts(V021.splitlines()), "weight_offload")
    assert (found.verdict, found.found, found.reason) == (YES, "8.02 GiB", "")
    assert any("Total CPU offloaded parameters: 4.00" in line for line in found.evidence)
    pinned = replace(read_facts(V021.splitlines()), pinned_bytes=16 * GIB)
    assert "pinned RAM: 16.00 GiB" in finding(replace(CUDA, weight_offload_gib=4.0), pinned, "weight_offload").evidence


def test_less_than_half_of_what_was_asked_is_said() -> None:
    found = finding(replace(CUDA, weight_offload_gib=20.0), read_facts(V021.splitlines()), "weight_offload")
    assert (found.verdict, found.reason) == (YES, "partly")


def test_weight_offload_by_the_prefetching_backend() -> None:
    asked = replace(CUDA, version=(0, 33, 0), weight_offload_gib=2.0)
    assert finding(asked, read_facts(V033.splitlines()), "weight_offload").verdict is YES


SILENT = read_facts([line for line in V021.splitlines() if "offloaded parameters" not in line])


@pytest.mark.parametrize(
    ("version", "runner", "more", "reason", "advice"),
    [
        ((0, 22, 0), "", {}, "v2_runner", "v1_runner"),
        ((0, 25, 0), "V2", {}, "v2_runner", "v1_runner"),
        ((0, 27, 1), "V2", {}, "v2_runner", "v1_runner"),
        ((0, 27, 1), "V1", {}, "no_proof_line", "look_at_log"),
        ((0, 25, 0), "", {"v1_runner": True}, "no_proof_line", "look_at_log"),
        ((0, 28, 0), "V2", {}, "no_proof_line", "look_at_log"),
        ((0, 33, 0), "V2", {"weight_offload_params": ("experts,mlp",)}, "comma", "spaces"),
        (
            (0, 33, 0),
            "V2",
            {"weight_offload_params": ("embed_tokens_per_layer",)},
            "tables_not_covered",
            "other_params",
        ),
        ((0, 33, 0), "V2", {"weight_offload_params": ("expert",)}, "no_match", "other_params"),
    ],
)
def test_why_weights_were_not_offloaded(
    version: tuple[int, ...], runner: str, more: dict[str, object], reason: str, advice: str
) -> None:
    asked = replace(CUDA, version=version, weight_offload_gib=4.0, **more)  # type: ignore[arg-type]
    found = finding(asked, replace(SILENT, runner=runner), "weight_offload")
    assert (found.verdict, found.reason, found.advice) == (NO, reason, advice)


def test_memory_that_cannot_be_pinned_is_the_reason_when_vllm_says_so() -> None:
    facts = replace(SILENT, warnings=("wsl_no_pin",))
    found = finding(replace(CUDA, version=(0, 33, 0), weight_offload_gib=4.0), facts, "weight_offload")
    assert (found.reason, found.advice) == ("no_pinned_memory", "wsl_pin")


@pytest.mark.parametrize(
    ("resident", "verdict", "reason"),
    [(9.2, YES, ""), (5.3, NO, "model_not_smaller"), (None, UNKNOWN, "old_version")],
)
def test_old_versions_are_judged_by_the_size_of_the_model(
    resident: float | None, verdict: Verdict, reason: str
) -> None:
    size = None if resident is None else round(resident * GIB)
    asked = replace(CUDA, version=(0, 8, 5), weight_offload_gib=4.0, resident_bytes=size)
    found = finding(asked, read_facts(V085.splitlines()), "weight_offload")
    assert (found.verdict, found.reason) == (verdict, reason)


# ---- caches --------------------------------------------------------------------------------------------------------

BEFORE = Counters(prefix_queries=100, prefix_hits=10)


@pytest.mark.parametrize(
    ("wanted", "hits", "said", "verdict", "reason"),
    [
        (True, 448, "True", YES, ""),
        (True, 0, "True", NO, "no_hit"),
        (True, 448, "False", NO, "turned_off"),
        (True, None, "True", UNKNOWN, "not_measured"),
        (False, 0, "False", YES, ""),
        (False, 448, "True", NO, "hits_anyway"),
    ],
)
def test_prefix_caching_is_what_a_repeated_prompt_shows(
    wanted: bool, hits: int | None, said: str, verdict: Verdict, reason: str
) -> None:
    after = None if hits is None else replace(BEFORE, prefix_queries=1100, prefix_hits=10 + hits)
    cache = {"enable_prefix_caching": said}
    found = finding(
        replace(CUDA, prefix_caching=wanted),
        LaunchFacts(),
        "prefix_caching",
        cache=cache,
        before=None if hits is None else BEFORE,
        after=after,
    )
    assert (found.verdict, found.reason) == (verdict, reason)
    if hits is not None:
        assert f"vllm:prefix_cache_hits_total +{hits} of 1000 tokens" in found.evidence


@pytest.mark.parametrize(
    ("stored", "prefix_caching", "verdict", "reason"),
    [
        (1e6, True, YES, ""),
        (0, True, UNKNOWN, "nothing_stored"),
        (None, True, UNKNOWN, "not_measured"),
        (1e6, False, NO, "needs_prefix_caching"),
    ],
)
def test_kv_offload_needs_a_region_and_counters_that_move(
    stored: float | None, prefix_caching: bool, verdict: Verdict, reason: str
) -> None:
    facts = replace(read_facts(V033.splitlines()), prefix_caching=prefix_caching)
    counters = {} if stored is None else {"before": Counters(), "after": Counters(kv_stored_bytes=stored)}
    found = finding(replace(CUDA, version=(0, 33, 0), kv_offload_gib=8.0), facts, "kv_offload", **counters)
    assert (found.verdict, found.reason) == (verdict, reason)
    assert any("/dev/shm/vllm_offload_ab12.mmap" in line for line in found.evidence)


@pytest.mark.parametrize(
    ("version", "platform", "reason"),
    [((0, 32, 0), "cpu", "cpu_build"), ((0, 10, 2), "cuda", "version_too_old"), ((0, 33, 0), "cuda", "no_proof_line")],
)
def test_kv_offload_without_a_region(version: tuple[int, ...], platform: str, reason: str) -> None:
    asked = Asked(version=version, platform=platform, kv_offload_gib=8.0)
    found = finding(asked, SILENT, "kv_offload")
    assert (found.verdict, found.reason) == (NO, reason)


def test_tables_in_ram() -> None:
    asked = replace(CUDA, version=(0, 33, 0), ple_in_ram=True)
    facts = read_facts(V033.splitlines())
    assert finding(asked, facts, "ple").verdict is YES
    assert finding(replace(asked, ple_in_ram=False), facts, "ple").verdict is NO
    assert finding(asked, replace(facts, ple_pinned=False), "ple").reason == "not_pinned"
    found = finding(asked, SILENT, "ple")  # Gemma: no release can move its table
    assert (found.verdict, found.reason) == (NO, "tables_not_covered")


# ---- values that are told back -------------------------------------------------------------------------------------


def test_what_the_server_tells_back() -> None:
    asked = asked_of(request("--dtype", "bfloat16", "--max-num-seqs", "4"))
    found = {item.option: item.verdict for item in prove(asked, Shown(read_facts(recorded("ok_eager_chat"))))}
    assert found == {
        "served_name": YES,
        "context": YES,
        "eager": YES,
        "dtype": YES,
        "max_num_seqs": UNKNOWN,  # nothing shows its effect; that it was accepted is no proof
    }


@pytest.mark.parametrize(
    ("asked", "option", "verdict", "found", "reason"),
    [
        (replace(CUDA, context=32_768), "context", YES, "32768", ""),
        (replace(CUDA, context=8192), "context", NO, "32768", "other_value"),
        (replace(CUDA, tensor_parallel=2), "tensor_parallel", YES, "2", ""),
        (replace(CUDA, tensor_parallel=4), "tensor_parallel", NO, "2", "other_value"),
        (replace(CUDA, kv_cache_dtype="fp8"), "kv_cache_dtype", YES, "fp8_e4m3", ""),
        (replace(CUDA, kv_cache_dtype="int8_per_token_head"), "kv_cache_dtype", NO, "fp8_e4m3", "other_value"),
        (replace(CUDA, dtype="half"), "dtype", NO, "bfloat16", "other_value"),
        (replace(CUDA, quantization="awq"), "quantization", NO, "", "not_quantized"),
        (replace(CUDA, enforce_eager=True), "eager", NO, "compiled", "compiled_anyway"),
    ],
)
def test_values_of_a_gpu_build(asked: Asked, option: str, verdict: Verdict, found: str, reason: str) -> None:
    item = finding(asked, read_facts(V021.splitlines()), option)
    assert (item.verdict, item.found, item.reason) == (verdict, found, reason)


def test_a_faster_kernel_is_the_same_quantization_and_a_fallback_is_named() -> None:
    facts = read_facts(V085.splitlines())
    assert finding(replace(CUDA, quantization="awq"), facts, "quantization").verdict is YES
    fallen = replace(facts, warnings=("bf16_fallback",))
    assert finding(replace(CUDA, dtype="bfloat16"), fallen, "dtype").reason == "bf16_fallback"


def test_nothing_said_is_no_verdict() -> None:
    found = {item.option: item.verdict for item in prove(replace(CUDA, context=1), Shown(LaunchFacts()))}
    assert found == {"served_name": UNKNOWN, "context": UNKNOWN}


def test_those_without_effect_come_first() -> None:
    asked = replace(CUDA, context=32_768, weight_offload_gib=4.0, max_num_seqs=4)
    order = [item.verdict for item in prove(asked, Shown(SILENT))]
    assert order == sorted(order, key=[NO, UNKNOWN, YES].index)
    assert order[0] is NO


# ---- what was asked ------------------------------------------------------------------------------------------------


def test_what_a_request_asks_for() -> None:
    tuning = Tuning(8, 4096, "fp8", 6.5, 0.9, (("VLLM_USE_V2_MODEL_RUNNER", "0"),))
    asked = asked_of(
        request(
            "--tensor-parallel-size=2", "--cpu-offload-params", "experts", "mlp", "--no-enable-prefix-caching",
            "--kv-offloading-size", "8", "--engram-config.cpu_offload", "false", "--quantization", "awq",
            platform="cuda", tuning=tuning,
        )
    )  # fmt: skip
    assert asked.version == (0, 32, 0)
    assert (asked.served_name, asked.context, asked.enforce_eager) == ("smollm2", 2048, True)
    assert (asked.max_num_seqs, asked.max_num_batched_tokens, asked.kv_cache_dtype) == (8, 4096, "fp8")
    assert (asked.weight_offload_gib, asked.weight_offload_params) == (6.5, ("experts", "mlp"))
    assert (asked.tensor_parallel, asked.prefix_caching, asked.kv_offload_gib) == (2, False, 8.0)
    assert (asked.ple_in_ram, asked.quantization, asked.v1_runner) == (False, "awq", True)


def test_a_wish_of_the_form_that_means_nothing_on_a_cpu_is_answered_where_a_person_made_it() -> None:
    asked = asked_of(request(tuning=Tuning(kv_cache_dtype="fp8", cpu_offload_gib=6.0)))
    assert (asked.kv_cache_dtype, asked.weight_offload_gib) == ("", 6.0)


@pytest.mark.parametrize(
    ("text", "version"), [("0.32.0+cpu", (0, 32, 0)), ("0.33.0", (0, 33, 0)), ("0.28.1rc1.dev3", ()), ("", ())]
)
def test_versions(text: str, version: tuple[int, ...]) -> None:
    assert version_of(text) == version


def test_counters_of_a_page_of_any_version() -> None:
    page = parse(
        'vllm:cache_config_info{enable_prefix_caching="True",cache_dtype="auto",num_gpu_blocks="364"} 1.0\n'
        'vllm:prefix_cache_queries_total{engine="0"} 2046.0\nvllm:prefix_cache_hits_total{engine="0"} 896.0\n'
        'vllm:num_requests_running{engine="0"} 2.0\nvllm:num_requests_waiting{engine="0"} 1.0\n'
        'vllm:kv_cache_usage_perc{engine="0"} 0.25\nvllm:num_preemptions_total{engine="0"} 3.0\n'
        'vllm:generation_tokens_total{engine="0"} 7.0\nvllm:prompt_tokens_total{engine="0"} 9.0\n'
    )
    expected = Counters(
        5.0, 2046, 896, prompt_tokens=9, generated_tokens=7, preemptions=3, running=2, waiting=1, kv_used=0.25
    )
    assert counters_of(page, 5.0) == expected
    assert cache_config(page)["cache_dtype"] == "auto"
    old = parse("vllm:gpu_prefix_cache_hits_total 5\nvllm:gpu_prefix_cache_queries_total 6\n")
    assert (counters_of(old, 0.0).prefix_hits, counters_of(old, 0.0).prefix_queries) == (5, 6)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_word_of_a_finding_is_in_the_language(language: str) -> None:
    """The ids stand in the code as texts."""
    sources = "".join(
        Path(__file__).parents[2].joinpath("core/engine", f"{name}.py").read_text("utf-8")
        for name in ("proof_memory", "proof_options", "proof_ple", "finding")
    )
    for group in ("proof_reason", "proof_advice", "proof_option"):
        for name in terms(language)[group]:
            assert f'"{name}"' in sources, f"{group}.{name} is never said"
