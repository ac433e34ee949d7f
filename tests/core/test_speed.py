"""The speed card against figures computed by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.chat.speed import SpeedMeter, Usage
from core.events import SpeedCard

Chunk = tuple[float, int | None, bool]


def card(*chunks: Chunk, sent_s: float = 100.0, end_s: float | None = None) -> SpeedCard:
    """Chunks as (seconds after sending, completion_tokens or None, has text)."""
    meter = SpeedMeter(sent_s)
    for after_s, tokens, has_text in chunks:
        meter.feed(sent_s + after_s, None if tokens is None else Usage(17, tokens), has_text)
    return meter.card(final=True, now_s=None if end_s is None else sent_s + end_s)


def rounded(found: SpeedCard) -> SpeedCard:
    """The counts, the times and the rate alone."""
    return replace(
        found,
        prefill_tokens_per_s=None,
        itl_p50_s=None,
        itl_p99_s=None,
        samples=(),
        ttft_s=None if found.ttft_s is None else round(found.ttft_s, 6),
        decode_tokens_per_s=None if found.decode_tokens_per_s is None else round(found.decode_tokens_per_s, 6),
        total_s=round(found.total_s, 6),
    )


def test_one_token_per_chunk() -> None:
    # role, then tokens at 1.0, 1.5, 2.0; 3 tokens, the first carries 1: 2 tokens in 1 s
    found = card((0.9, 0, False), (1.0, 1, True), (1.5, 2, True), (2.0, 3, True), (2.1, 3, False), end_s=2.2)
    assert rounded(found) == SpeedCard(17, 3, 1.0, 2.0, 2.2, True, True)


def test_several_tokens_per_chunk() -> None:
    # 4 tokens in the first chunk do not count: (12 - 4) / 2 s
    found = card((1.0, 4, True), (2.0, 8, True), (3.0, 12, True))
    assert found.decode_tokens_per_s == pytest.approx(4.0)
    assert found.completion_tokens == 12


def test_chunks_with_empty_content_carry_tokens() -> None:
    # A token before the first text belongs to the first chunk's 2; the last, a special token, has no text but a time.
    found = card((0.8, 1, False), (1.0, 2, True), (1.5, 3, False), (2.0, 4, True), (3.0, 6, False))
    assert found.ttft_s == pytest.approx(1.0)
    assert found.decode_tokens_per_s == pytest.approx((6 - 2) / 2.0)


def test_an_answer_in_one_chunk_has_no_rate() -> None:
    found = card((1.0, 5, True), (1.0, 5, False), (1.2, 5, False))
    assert found.decode_tokens_per_s is None
    assert found.exact
    assert (found.ttft_s, found.completion_tokens) == (pytest.approx(1.0), 5)


def test_usage_only_at_the_end_assumes_one_token_and_says_so() -> None:
    found = card((1.0, None, True), (2.0, None, True), (3.0, None, True), (5.0, 9, False))
    assert found.decode_tokens_per_s == pytest.approx((9 - 1) / 2.0)
    assert (found.completion_tokens, found.exact) == (9, False)


def test_one_chunk_and_usage_at_the_end_is_exact() -> None:
    found = card((1.0, None, True), (1.1, 4, False))
    assert (found.decode_tokens_per_s, found.completion_tokens, found.exact) == (None, 4, True)


def test_no_usage_gives_times_and_no_counts() -> None:
    found = card((1.0, None, True), (2.0, None, True), end_s=2.5)
    assert rounded(found) == SpeedCard(0, 0, 1.0, None, 2.5, False, True)


def test_nothing_came() -> None:
    assert rounded(card(end_s=4.0)) == SpeedCard(0, 0, None, None, 4.0, False, True)


def test_a_usage_only_chunk_long_after_the_last_token_does_not_slow_the_rate() -> None:
    assert card((1.0, 1, True), (2.0, 11, True), (60.0, 11, False)).decode_tokens_per_s == pytest.approx(10.0)


def test_the_live_figure_is_that_of_the_chunks_so_far() -> None:
    meter = SpeedMeter(0.0)
    meter.feed(1.0, Usage(5, 1), True)
    assert meter.card().decode_tokens_per_s is None
    meter.feed(1.5, Usage(5, 6), True)
    assert meter.card().decode_tokens_per_s == pytest.approx(10.0)
    assert not meter.card().final


@given(
    st.lists(st.tuples(st.floats(0.001, 5.0), st.integers(0, 9), st.booleans()), min_size=1, max_size=40),
    st.floats(0.0, 1e6),
)
def test_the_rate_is_tokens_after_the_first_chunk_over_their_time(
    steps: list[tuple[float, int, bool]], sent_s: float
) -> None:
    chunks: list[Chunk] = []
    at_s, tokens = 0.0, 0
    for wait_s, count, has_text in steps:
        at_s, tokens = at_s + wait_s, tokens + count
        chunks.append((at_s, tokens, has_text))
    found = card(*chunks, sent_s=sent_s)
    assert found.completion_tokens == tokens
    first = next((chunk for chunk in chunks if chunk[2]), None)
    if first is None:
        assert (found.ttft_s, found.decode_tokens_per_s) == (None, None)
        return
    assert found.ttft_s == pytest.approx(first[0], abs=1e-6)
    later = [chunk for place, chunk in enumerate(chunks) if chunk[0] > first[0] and (chunk[2] or steps[place][1])]
    if later and tokens > (first[1] or 0):
        wanted = (tokens - (first[1] or 0)) / (later[-1][0] - first[0])
        assert found.decode_tokens_per_s == pytest.approx(wanted, rel=1e-4)
    else:
        assert found.decode_tokens_per_s is None
