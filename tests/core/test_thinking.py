"""Thinking in the content: every form that servers leave there, in any cut."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.chat.answer import Answer, Question, Texts
from core.chat.sse import SseDecoder
from core.chat.thinking import Split, split_thinking
from core.chat.wire import parse_chunk
from core.events import ChatDelta, ChatDone, EventBus
from tests.fakes.fake_chat import event
from tests.support.fake_chat_server import fake_chat

HARMONY = (
    "<|channel|>analysis<|message|>They greet.<|end|><|start|>assistant<|channel|>commentary to=functions.f "
    "<|constrain|>json<|message|>{}<|call|><|start|>assistant<|channel|>final<|message|>Hello!<|return|>"
)
CASES = {
    "plain": ("Hello there", "Hello there", ""),
    "opened": ("<think>\nThey greet.\n</think>\n\nHello!", "Hello!", "They greet."),
    "another name": ("  <thinking>They greet.</thinking>Hello!", "Hello!", "They greet."),
    "brackets": ("[THINK]They greet.[/THINK]Hello!", "Hello!", "They greet."),
    "not opened": ("They greet.\n</think>\n\nHello!", "Hello!", "They greet."),
    "never closed": ("<think>They greet.", "", "They greet."),
    "empty": ("<think>\n\n</think>\n\nHello!", "Hello!", ""),
    "harmony": (HARMONY, "Hello!", "They greet.\n\n{}"),
    "harmony without its marks": ("analysisThey greet.assistantfinalHello!", "Hello!", "They greet."),
    "the tag in a sentence": ("Write </think> to close it.", "Write </think> to close it.", ""),
    "the tag in code": ("```\n</think>\n```\n", "```\n</think>\n```\n", ""),
    "the word": ("analysis of the data", "analysis of the data", ""),
    "an angle": ("a < b <| c", "a < b <| c", ""),
    "space around": (" hi \n", " hi \n", ""),
}
MARKERS_ARE_TEXT = ("the tag in a sentence", "the tag in code", "an angle")


@pytest.mark.parametrize("name", CASES)
def test_each_form_is_told_apart(name: str) -> None:
    content, text, reasoning = CASES[name]
    assert split_thinking(content) == Split(text, reasoning)


@pytest.mark.parametrize("name", [name for name in CASES if name not in MARKERS_ARE_TEXT])
def test_nothing_of_a_marker_is_ever_shown(name: str) -> None:
    """What is given while it comes may be moved to the thinking, but holds no part of a marker."""
    content = CASES[name][0]
    for end in range(len(content)):
        split = split_thinking(content[:end], final=False)
        assert not any(part in split.text + split.reasoning for part in ("<", "|>", "[TH"))


@given(st.sampled_from(sorted(CASES)), st.randoms(use_true_random=False))
def test_any_cut_ends_in_the_same(name: str, source: random.Random) -> None:
    content, text, reasoning = CASES[name]
    texts = Texts(Question(()))
    for piece in cut(content, source):
        texts.parts.append(piece)
        texts.split(final=False)
    assert texts.split(final=True) == Split(text, reasoning)


@given(st.text(alphabet=st.sampled_from("<|>/think[TH]analysis \n`fr"), max_size=80))
def test_odd_markup_never_raises_and_only_grows_or_moves(content: str) -> None:
    for end in range(len(content) + 1):
        split_thinking(content[:end], final=False)
    split_thinking(content)


@settings(suppress_health_check=[HealthCheck.large_base_example])
@given(st.randoms(use_true_random=False), st.sampled_from(["\n", "\r\n", "\r"]))
def test_a_stream_in_random_cuts_is_the_same_answer(source: random.Random, newline: str) -> None:
    """From bytes to text: split characters, CRLF in two, markers in pieces."""
    content = "<think>Überlegt 日本 🙂</think>Antwort: naïve 🙂 </p>"
    chunks = [event([{"index": 0, "delta": {"content": piece}}], None) for piece in cut(content, source)]
    data = "".join([*chunks, "data: [DONE]\n\n"]).replace("\n", newline).encode()
    decoder, texts = SseDecoder(), Texts(Question(()))
    at = 0
    while at < len(data):
        size = source.randint(1, 40)
        for found in decoder.feed(data[at : at + size]):
            if found.data != "[DONE]":
                texts.parts.append(parse_chunk(found.data, 0.0).content)
        at += size
    assert texts.split(final=True) == Split("Antwort: naïve 🙂 </p>", "Überlegt 日本 🙂")


@given(st.lists(st.sampled_from([
    {"choices": []}, {"choices": None}, {}, {"choices": [{"delta": None}]}, {"choices": [{"delta": {}}]},
    {"choices": [{"delta": {"content": None, "reasoning": None}}], "usage": None},
    {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0}]}, "logprobs": None}]},
    {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": None, "prompt_tokens_details": None}},
    {"choices": [{"delta": {"role": "assistant", "content": ""}, "finish_reason": None}]},
    {"id": "x", "object": "chat.completion.chunk", "service_tier": None},
])))  # fmt: skip
def test_chunks_without_text_are_no_text(chunks: Sequence[dict[str, object]]) -> None:
    for chunk in chunks:
        item = parse_chunk(json.dumps(chunk), 0.0)
        assert (item.content, item.reasoning, item.finish) == ("", "", "")


def cut(text: str, source: random.Random) -> list[str]:
    pieces = list[str]()
    while text:
        size = source.randint(1, 9)
        pieces.append(text[:size])
        text = text[size:]
    return pieces


def answered(*switches: str) -> tuple[ChatDone, list[ChatDelta]]:
    deltas = list[ChatDelta]()
    bus = EventBus()
    bus.subscribe(lambda event: deltas.append(event) if isinstance(event, ChatDelta) else None)
    with fake_chat(*switches) as endpoint:
        asked = Answer(bus, "a", Question(({"role": "user", "content": "hi"},)))
        return asyncio.run(asked.run(endpoint, 20.0)), deltas


@pytest.mark.parametrize("name", CASES)
def test_the_deltas_add_up_to_the_answer(name: str) -> None:
    content, text, reasoning = CASES[name]
    done, deltas = answered("--text", content, "--piece", "3", "--rate", "300", "--cut", "5")
    assert (done.text, done.reasoning) == (text, reasoning)
    shown, thought = "", ""
    for delta in deltas:
        if delta.moved:
            shown, thought = "", thought + shown
        shown, thought = shown + delta.text, thought + delta.reasoning
    assert shown.strip() == text.strip()
    # Harmony's bare words are known for what they are only when the second one has come.
    if "without" not in name:
        assert "".join(thought.split()) == "".join(reasoning.split())


def test_moved_deltas_merge_as_if_they_came_one_by_one() -> None:
    first = ChatDelta("a", "They gr", "")
    moved = ChatDelta("a", "Hello", "eet.", moved=True)
    last = ChatDelta("a", "!", "")
    assert (
        first.merged(moved).merged(last)
        == first.merged(moved.merged(last))
        == ChatDelta("a", "Hello!", "They greet.", moved=True)
    )


def test_the_time_of_thinking_is_told_for_both_forms() -> None:
    for switches in (("--reasoning", "20"), ("--text", "<think>" + "x" * 80 + "</think>" + "y" * 80, "--piece", "4")):
        done, _ = answered("--tokens", "40", "--rate", "50", *switches)
        assert done.speed.thinking_s is not None
        assert 0.2 < done.speed.thinking_s < done.speed.total_s * 0.8
        assert done.speed.thinking_tokens is not None
        assert 15 <= done.speed.thinking_tokens <= 28
    assert answered("--tokens", "3")[0].speed.thinking_s is None


@pytest.mark.parametrize("switches", [("--tools",), ("--odd-chunks", "--empty-every", "2"), ("--per-chunk", "7")])
def test_what_is_no_text_changes_no_count(switches: tuple[str, ...]) -> None:
    done, _ = answered("--tokens", "40", *switches)
    assert (done.error, done.speed.completion_tokens) == (None, 40)


def test_an_answer_of_nothing_visible_is_blank() -> None:
    done, _ = answered("--tokens", "6", "--empty-every", "1")
    assert (done.text, done.blank, done.speed.completion_tokens) == ("", True, 6)
    thought, _ = answered("--tokens", "6", "--reasoning", "6")
    assert thought.blank
    assert thought.reasoning


def test_a_burst_of_two_thousand_tokens_a_second_loses_nothing() -> None:
    done, deltas = answered("--tokens", "2000", "--rate", "2000", "--per-chunk", "3")
    assert done.speed.completion_tokens == 2000
    assert "".join(delta.text for delta in deltas) == done.text
    assert len(done.speed.samples) <= 240
