"""The server's counters beside the client's figures: pure, and over a server that counts."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from core.chat.answer import Answer, Question
from core.chat.reconcile import Counters, Sum, reconcile
from core.events import ChatDone, EventBus
from core.speed_card import Disagreement, SpeedCard
from core.speed_counters import counters
from tests.fakes.fake_chat import PROMPT_TOKENS
from tests.support.fake_chat_server import fake_chat

CARD = SpeedCard(100, 50, 0.5, 20.0, 3.0, exact=True, final=True)
BEFORE = Counters(finished=7, prompt_tokens=1000, generated_tokens=500, ttft=Sum(9.0, 7), per_token=Sum(1.0, 7))
AFTER = Counters(finished=8, prompt_tokens=1100, generated_tokens=550, ttft=Sum(9.49, 8), per_token=Sum(1.05, 8))


def test_figures_that_agree_are_checked_and_say_nothing() -> None:
    found = reconcile(CARD, BEFORE, AFTER, ended=True)
    assert (found.checked, found.disagreements, found.unchecked) == (True, (), "")


@pytest.mark.parametrize(
    ("card", "after", "figure", "cause"),
    [
        (CARD, replace(AFTER, generated_tokens=560), "completion_tokens", "unknown"),
        (replace(CARD, completion_tokens=0), AFTER, "completion_tokens", "no_usage"),
        (CARD, replace(AFTER, prompt_tokens=1110), "prompt_tokens", "template"),
        (replace(CARD, ttft_s=0.6), AFTER, "ttft_s", "delivery"),
        (replace(CARD, ttft_s=0.3), AFTER, "ttft_s", "rounding"),
        (replace(CARD, decode_tokens_per_s=18.0), AFTER, "decode_tokens_per_s", "delivery"),
        (replace(CARD, decode_tokens_per_s=22.0), AFTER, "decode_tokens_per_s", "bunched"),
        (replace(CARD, decode_tokens_per_s=22.0, exact=False), AFTER, "decode_tokens_per_s", "no_usage"),
    ],
)
def test_more_than_five_percent_apart_is_said_with_its_cause(
    card: SpeedCard, after: Counters, figure: str, cause: str
) -> None:
    found = {one.figure: one for one in reconcile(card, BEFORE, after, ended=True).disagreements}
    assert found[figure].cause == cause


def test_a_few_milliseconds_of_a_short_wait_are_no_news() -> None:
    card = replace(CARD, ttft_s=0.03)
    after = replace(AFTER, ttft=Sum(9.015, 8))
    assert reconcile(card, BEFORE, after, ended=True).disagreements == ()


@pytest.mark.parametrize(
    ("before", "after", "ended", "why"),
    [
        (None, AFTER, True, "no_metrics"),
        (BEFORE, None, True, "no_metrics"),
        (BEFORE, AFTER, False, "unfinished"),
        (replace(BEFORE, running=1), AFTER, True, "others"),
        (BEFORE, replace(AFTER, running=2), True, "others"),
        (BEFORE, replace(AFTER, finished=9), True, "others"),
        (BEFORE, replace(AFTER, finished=7), True, "settling"),
    ],
)
def test_what_cannot_be_compared_says_why(
    before: Counters | None, after: Counters | None, ended: bool, why: str
) -> None:
    found = reconcile(CARD, before, after, ended=ended)
    assert (found.checked, found.unchecked, found.disagreements) == (False, why, ())


def test_cached_prompt_tokens_were_not_computed_and_drafts_are_counted() -> None:
    before = replace(BEFORE, cached_tokens=10, drafted_tokens=100, accepted_tokens=50)
    after = replace(AFTER, cached_tokens=70, drafted_tokens=200, accepted_tokens=125)
    found = reconcile(CARD, before, after, ended=True)
    assert (found.cached_tokens, found.prefill_tokens_per_s, found.acceptance) == (60, 40 / 0.5, 0.75)


def answered(*switches: str) -> ChatDone:
    with fake_chat(*switches) as endpoint:
        asked = Answer(EventBus(), "a", Question(({"role": "user", "content": "hi"},)), counters)
        return asyncio.run(asked.run(endpoint, 20.0))


def test_an_answer_is_checked_against_the_running_server() -> None:
    speed = answered("--tokens", "40", "--rate", "50", "--drafted", "30").speed
    assert (speed.checked, speed.disagreements, speed.acceptance, speed.cached_tokens) == (True, (), 0.5, 0)
    assert speed.itl_p50_s == pytest.approx(0.02, rel=0.3)
    assert speed.itl_p50_s is not None
    assert speed.itl_p99_s is not None
    assert speed.itl_p99_s >= speed.itl_p50_s
    assert speed.prefill_tokens_per_s == pytest.approx(PROMPT_TOKENS / (speed.ttft_s or 1))
    times = [at for at, _ in speed.samples]
    assert times == sorted(times)
    assert speed.samples[-1][1] == 40


def test_a_server_that_counts_otherwise_is_told_on() -> None:
    (one,) = answered("--tokens", "40", "--rate", "60", "--count-wrong", "10").speed.disagreements
    assert one == Disagreement("completion_tokens", 40, 50, "unknown")


@pytest.mark.parametrize(
    ("switches", "code"), [(("--queued",), "chat.never_begun"), ((), ""), (("--queued", "--no-counters"), "")]
)
def test_a_question_that_waits_while_nothing_runs_is_given_up(switches: tuple[str, ...], code: str) -> None:
    """A slow prefill, which counts as running, and a server without counters are waited for."""
    with fake_chat("--first-after", "1.2", "--tokens", "3", *switches) as endpoint:
        asked = Answer(EventBus(), "a", Question(({"role": "user", "content": "hi"},)), counters, stuck_s=0.6)
        done = asyncio.run(asked.run(endpoint, 20.0))
    assert (done.error.code if done.error else "") == code
    assert bool(done.text) == (not code)


def test_counters_that_come_late_are_waited_for_but_not_long() -> None:
    assert answered("--tokens", "5", "--late", "0.1").speed.checked
    assert answered("--tokens", "5", "--late", "30").speed.unchecked == "settling"
