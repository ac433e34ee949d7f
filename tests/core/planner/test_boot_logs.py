"""Published boot logs of real servers on real cards: what the planner says about the same launch.

Sources are named per row; "log NNN" is a collected log without an address. Where a log prints GiB with two digits, the
tolerance is what that rounding allows.
"""

from __future__ import annotations

import pytest

from core.planner.options import GIB, MIB
from tests.support.plans import plan, published

LLAMA = "meta-llama__Meta-Llama-3.1-8B"


@pytest.mark.parametrize(
    ("name", "logged_gib", "digits", "source"),
    [
        (LLAMA, 14.9889, 3, "vllm#10517; log 1568249311"),
        ("Qwen__Qwen3-8B", 15.2683, 3, "log 58028398527"),
        ("Qwen__Qwen2.5-7B-Instruct", 14.25, 2, "log 53128951888"),
        ("mistralai__Mistral-7B-Instruct-v0.3", 13.5084, 4, "log 57930693160"),
        ("openai__gpt-oss-20b", 13.7194, 2, "log 58047612596"),
    ],
)
def test_model_loading_took(name: str, logged_gib: float, digits: int, source: str) -> None:
    made = plan(published(name), context=4096)
    assert made.weights.allocated_bytes / GIB == pytest.approx(logged_gib, abs=0.6 * 10**-digits), source


@pytest.mark.parametrize(
    ("name", "avail_gib", "context", "tokens", "source"),
    [
        (LLAMA, 3.78, 8192, 30_960, "log 1568249311"),
        (LLAMA, 26.54, 8192, 217_376, "log 62880914643"),
        ("Qwen__Qwen3-8B", 18.69, 8192, 136_080, "log 58028398527"),
        ("Qwen__Qwen2.5-7B-Instruct", 13.1, 8192, 245_360, "log 53128951888"),
    ],
)
def test_gpu_kv_cache_size(name: str, avail_gib: float, context: int, tokens: int, source: str) -> None:
    made = plan(published(name), context=context, avail=int(avail_gib * GIB))
    rounding = 0.005 * GIB / made.kv.bytes_per_block * 16 + 16
    assert made.kv.capacity_tokens == pytest.approx(tokens, abs=rounding), source


def test_hybrid_with_fp8_cache_on_a_5090() -> None:
    """club-3090#612: 567,978 tokens, 4.33x, block 2096."""
    made = plan(
        published("nvidia__Qwen3.6-35B-A3B-NVFP4"),
        context=131072,
        max_num_batched_tokens=8192,
        max_num_seqs=1,
        kv_cache_dtype="fp8",
        avail=int(5.98 * GIB),
        vram_gib=32,
        capability=(12, 0),
    )
    assert (made.kv.num_blocks, made.kv.capacity_tokens) == (299, 567_978)
    assert made.kv.concurrency == pytest.approx(4.333, abs=0.001)
    assert {spec.block for group in made.kv.grouping.groups for spec in group.specs} == {2096}


def test_refusal_of_gpt_oss_at_its_full_context() -> None:
    """log 67529778690: 3.1 GiB needed."""
    made = plan(published("openai__gpt-oss-20b"), context=131072, avail=int(2.44 * GIB))
    assert made.kv.refused is not None
    assert "max seq len (131072), (3.1 GiB KV cache is needed" in made.kv.refused
    assert "the estimated maximum model length is 102336" in made.kv.refused
    assert str(made.verdict) == "does not fit"


@pytest.mark.parametrize(("async_scheduling", "blocks"), [(True, 4161), (False, 2113)])
def test_blocks_of_a_sliding_group(async_scheduling: bool, blocks: int) -> None:
    """vllm#49878: Gemma-4-31B with 32768 batched tokens."""
    made = plan(
        published("nvidia__Gemma-4-31B-IT-NVFP4"),
        context=131072,
        max_num_batched_tokens=32768,
        async_scheduling=async_scheduling,
    )
    groups = made.kv.grouping.groups
    sliding = next(group for group in groups if group.specs[0].span)
    full = next(group for group in groups if not group.specs[0].span)
    sliding_groups = sum(bool(group.specs[0].span) for group in groups)
    full_blocks = -(-131072 // full.specs[0].block)
    assert made.kv.blocks_per_request == sliding_groups * blocks + full_blocks
    assert sliding.specs[0].block == 16


def test_pinned_ram_of_deepseek_v2_lite() -> None:
    """vllm#15871: --cpu-offload-gb 14 takes 22 GB of RAM with the process."""
    made = plan(published("deepseek-ai__DeepSeek-V2-Lite"), context=4096, offload_gib=14)
    assert made.offload.pinned_bytes / GIB == pytest.approx(20.7, abs=0.05)


# One request at 8k, in MiB: base, 512 batched tokens, no async scheduling, both, fp8 KV, 32k, no prefix caching,
# sliding windows as full attention (vLLM 0.32 and 0.33 at capability 8.9).
SENSITIVITY = {
    "google__gemma-3-27b-it": (3048, 1608, 2088, 1368, 1524, 4968, 3048, 3968),
    "openai__gpt-oss-20b": (291, 219, 243, 207, 146, 867, 291, 384),
    "google__gemma-4-E4B-it": (309, 189, 229, 169, 155, 693, 309, 448),
    "meta-llama__Llama-4-Scout-17B-16E-Instruct": (1536, 1536, 1536, 1536, 768, 3264, 1536, 1536),
    "Qwen__Qwen3-8B": (1152, 1152, 1152, 1152, 576, 4608, 1152, 1152),
    "Qwen__Qwen3.5-9B": (363, 363, 363, 363, 231, 1138, 314, None),
    "ibm-granite__granite-4.0-h-micro": (177, 177, 177, 177, 144, 371, 103, None),
}
CHANGES: tuple[dict[str, object], ...] = (
    {},
    {"max_num_batched_tokens": 512},
    {"async_scheduling": False},
    {"max_num_batched_tokens": 512, "async_scheduling": False},
    {"kv_cache_dtype": "fp8"},
    {"context": 32768},
    {"prefix_caching": False},
    {"hybrid_kv_cache": False},
)


@pytest.mark.parametrize("name", SENSITIVITY)
@pytest.mark.parametrize("index", range(len(CHANGES)))
def test_what_each_option_does_to_the_cache(name: str, index: int) -> None:
    made = plan(published(name), **{"context": 8192, **CHANGES[index]})
    expected = SENSITIVITY[name][index]
    if expected is None:
        assert made.kv.refused == "Failed to promote local KV cache specs to one unified type."
    else:
        assert round(made.kv.bytes_one_request / MIB) == pytest.approx(expected, abs=1)


def test_a_newer_card_keeps_more_states_from_0_33_on() -> None:
    """Qwen3.5-9B: 363 MiB on an RTX 40, 432 MiB on an RTX 50 with the same 0.33, where FlashInfer runs the prefill."""
    checkpoint = published("Qwen__Qwen3.5-9B")
    sizes = {
        capability: plan(checkpoint, context=8192, version=(0, 33, 0), capability=capability).kv.bytes_one_request
        for capability in ((8, 9), (12, 0))
    }
    assert sizes == {(8, 9): 363 * MIB, (12, 0): 432 * MIB}
