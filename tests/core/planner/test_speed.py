"""Predicted decode speed against published single-stream measurements of vLLM (flags visible, no speculation)."""

from __future__ import annotations

import pytest

from core.planner.gpu_table import cards, find_card, parse_cards
from core.planner.options import GIB, Engine, Gpu, Hardware, Options, Request
from core.planner.plan import make_plan
from core.planner.speed import Bound, Speed
from tests.support.plans import published

FAST_LINK = 25e9


def speed(name: str, card: str, *, link: float = FAST_LINK, ram: float = 60e9, **options: object) -> Speed:
    model = find_card(card)
    assert model is not None
    gpu = Gpu(model.name, model.vram_bytes, None, model.capability, model.bandwidth, link)
    request = Request(
        Options(context=4096, max_num_seqs=8, **options),  # type: ignore[arg-type]
        Engine((0, 33, 0)),
        Hardware((gpu,), 64 * GIB, 60 * GIB, ram),
    )
    found = make_plan(published(name), request).speed
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "card", "eager", "measured", "source"),
    [
        ("Qwen__Qwen2.5-7B-Instruct", "L4", True, 17.5, "log 60080233402"),
        ("Qwen__Qwen2.5-7B-Instruct", "RTX 4090", False, 56.87, "r/Vllm 1onqfx7 (Qwen2-7B)"),
        ("nvidia__Qwen3.6-35B-A3B-NVFP4", "RTX 5090", False, 225.6, "localmaxxing cmp0jl1u600palo015bcqciog"),
        ("nvidia__Qwen3.6-35B-A3B-NVFP4", "RTX 5090", False, 173.3, "localmaxxing cmqe158qu00ujmp01635dom8d"),
    ],
)
def test_measured_speeds_lie_in_the_band(name: str, card: str, eager: bool, measured: float, source: str) -> None:
    found = speed(name, card, enforce_eager=eager)
    assert found.low <= measured <= found.high, source
    assert found.low <= found.likely <= found.high
    assert 0 < found.ttft_low_s < found.ttft_high_s


def test_offloaded_dense_weights_are_bound_by_the_link() -> None:
    """r/Vllm 1onqfx7: Qwen2-7B on a 4090 with --cpu-offload-gb 20 (12.15 GiB effective): 1.65 tokens/s."""
    found = speed("Qwen__Qwen2.5-7B-Instruct", "RTX 4090", offload_gib=20)
    assert found.low <= 1.65 <= found.high
    assert found.likely == pytest.approx(1.65, rel=0.15)
    assert found.bound is Bound.LINK


def test_the_ram_bounds_a_link_that_is_faster_than_it() -> None:
    slow = speed("Qwen__Qwen2.5-7B-Instruct", "RTX 4090", offload_gib=20, link=54e9, ram=20e9)
    assert slow.bound is Bound.RAM
    assert slow.likely < speed("Qwen__Qwen2.5-7B-Instruct", "RTX 4090", offload_gib=20).likely


def test_offloaded_experts_are_a_wide_range_and_never_one_number() -> None:
    found = speed("openai__gpt-oss-20b", "RTX 4060 Ti 8 GB", offload_gib=8, offload_params=("experts",))
    assert found.high > 2 * found.low
    assert found.offloaded_read_bytes == pytest.approx(8 * GIB * 4 / 32, rel=0.03)


def test_without_a_bandwidth_there_is_no_guess() -> None:
    request = Request(Options(context=4096), Engine(), Hardware((Gpu(total_bytes=24 * GIB),)))
    assert make_plan(published("Qwen__Qwen3-8B"), request).speed is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("RTX 3060", "NVIDIA GeForce RTX 3060 12 GB"),
        ("rtx4090", "NVIDIA GeForce RTX 4090"),
        ("4060ti 16GB", "NVIDIA GeForce RTX 4060 Ti 16 GB"),
        ("NVIDIA GeForce RTX 3080 Ti", "NVIDIA GeForce RTX 3080 Ti"),
        ("RTX 4090 Laptop", "NVIDIA GeForce RTX 4090 Mobile"),
        ("L4", "NVIDIA L4"),
    ],
)
def test_cards_are_found_as_people_write_them(text: str, name: str) -> None:
    card = find_card(text)
    assert card is not None
    assert card.name == name


def test_the_table_of_cards() -> None:
    assert len(cards()) == 108
    assert all(card.vram_bytes > 0 and card.bandwidth > 1e9 for card in cards())
    assert [card.kind for card in cards() if not card.link] == ["integrated"]
    assert find_card("") is None
    assert find_card("Voodoo 2") is None
    header = "name,vram_gib,bandwidth_gbs,cc,kind,pcie"
    assert parse_cards([header, "Odd,?,100,8.9,desktop,4.0 x16", "Fine,8,100,8.9,desktop,4.0 x8"])[0].link == 12.75e9
