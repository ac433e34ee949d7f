"""One streamed answer, from servers that behave and from those that do not."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import aclosing

import pytest

from core.chat.client import stream_chat
from core.chat.params import Params
from core.chat.speed import Usage
from core.chat.wire import StreamItem
from core.engine.endpoint import Endpoint
from core.engine.metrics import GENERATED, RUNNING, fetch
from core.errors import AppError
from tests.fakes.fake_chat import PROMPT_TOKENS, WORDS
from tests.support.fake_chat_server import KEY, fake_chat, seen, until

HELLO = ({"role": "system", "content": "be brief"}, {"role": "user", "content": "hello"})


def text_of(tokens: int, first: int = 0) -> str:
    return "".join(WORDS[number % len(WORDS)] for number in range(first, tokens))


def ask(
    endpoint: Endpoint, params: Params | None = None, silence_s: float = 30.0
) -> tuple[list[StreamItem], AppError | None]:
    """All that came, and the failure that ended it."""
    items: list[StreamItem] = []

    async def collect() -> None:
        async with aclosing(stream_chat(endpoint, HELLO, params or Params(), silence_s=silence_s)) as stream:
            async for item in stream:
                items.append(item)

    try:
        asyncio.run(collect())
    except AppError as error:
        return items, error
    return items, None


def content(items: list[StreamItem]) -> str:
    return "".join(item.content for item in items)


@pytest.mark.parametrize(
    "switches",
    [
        (),
        ("--cut", "1"),
        ("--newline", "crlf", "--cut", "7"),
        ("--newline", "cr"),
        ("--odd-chunks",),
        ("--no-done",),
        ("--finish", ""),
        ("--per-chunk", "3", "--first-chunk", "2"),
        ("--usage", "end"),
    ],
)
def test_the_whole_answer_arrives(switches: tuple[str, ...]) -> None:
    with fake_chat(*switches) as endpoint:
        items, error = ask(endpoint)
    assert error is None
    assert content(items) == text_of(20)
    assert [item.usage for item in items if item.usage][-1] == Usage(PROMPT_TOKENS, 20)
    times = [item.at_s for item in items]
    assert times == sorted(times)


def test_the_request_asks_for_exact_counts_and_carries_what_was_chosen() -> None:
    with fake_chat("--key", KEY) as endpoint:
        _, error = ask(endpoint, Params(max_tokens=5, temperature=0.0, seed=3))
        (body,) = seen(endpoint)
    assert error is None
    assert body == {
        "model": "fake",
        "messages": list(HELLO),
        "stream": True,
        "stream_options": {"include_usage": True, "continuous_usage_stats": True},
        "max_tokens": 5,
        "temperature": 0.0,
        "seed": 3,
    }


@pytest.mark.parametrize("field", ["reasoning", "reasoning_content"])
def test_reasoning_under_either_name_stays_apart_from_the_answer(field: str) -> None:
    with fake_chat("--reasoning", "4", "--reasoning-field", field) as endpoint:
        items, error = ask(endpoint)
    assert error is None
    assert "".join(item.reasoning for item in items) == text_of(4)
    assert content(items) == text_of(20, first=4)


def test_the_finish_reason_is_told() -> None:
    with fake_chat("--finish", "length") as endpoint:
        items, _ = ask(endpoint)
    assert [item.finish for item in items if item.finish] == ["length"]


def test_no_usage_at_all() -> None:
    with fake_chat("--usage", "none") as endpoint:
        items, error = ask(endpoint)
    assert error is None
    assert content(items) == text_of(20)
    assert not any(item.usage for item in items)


OVER_LONG = (
    "This model's maximum context length is 64 tokens. However, your prompt contains at least 65 input tokens, "
    "which exceeds this limit even without any output tokens. Please reduce the length of the input prompt."
)


@pytest.mark.parametrize(
    ("status", "body", "code", "facts"),
    [
        (401, '{"error":"Unauthorized"}', "chat.unauthorized", {}),
        (
            404,
            '{"error":{"message":"The model `x` does not exist.","code":404}}',
            "chat.model_gone",
            {"reason": "The model `x` does not exist."},
        ),
        (500, "Internal Server Error", "chat.server_error", {"status": 500, "reason": "Internal Server Error"}),
        (400, '{"object":"error","message":"no","code":400}', "chat.refused", {"status": 400, "reason": "no"}),
        (422, '{"detail":"odd"}', "chat.refused", {"status": 422, "reason": "odd"}),
        (400, json.dumps({"error": {"message": OVER_LONG}}), "chat.too_long", {"prompt_tokens": 65, "limit": 64}),
        (
            400,
            '{"error":{"message":"Input length (90) exceeds model\'s maximum context length (64)."}}',
            "chat.too_long",
            {"prompt_tokens": 90, "limit": 64},
        ),
        (
            400,
            '{"error":{"message":"maximum context length"}}',
            "chat.too_long",
            {"prompt_tokens": None, "limit": None},
        ),
    ],
)
def test_refusals_have_their_own_codes(status: int, body: str, code: str, facts: dict[str, object]) -> None:
    with fake_chat("--status", str(status), "--body", body) as endpoint:
        items, error = ask(endpoint)
        requests = seen(endpoint)
    assert error is not None
    assert (items, error.code, error.facts, len(requests)) == ([], code, facts, 1)


def test_a_wrong_key_is_unauthorized() -> None:
    with fake_chat("--key", "another") as endpoint:
        _, error = ask(endpoint)
    assert error is not None
    assert error.code == "chat.unauthorized"
    assert KEY not in str(error)


@pytest.mark.parametrize("name", ["continuous_usage_stats", "stream_options"])
def test_a_server_that_does_not_know_the_option_is_asked_again_without(name: str) -> None:
    with fake_chat("--reject", name, "--usage", "end") as endpoint:
        items, error = ask(endpoint)
        requests = seen(endpoint)
    assert error is None
    assert content(items) == text_of(20)
    assert f'"{name}"' not in json.dumps(requests[-1])


def test_more_tokens_than_the_model_has_room_for_are_not_asked_again() -> None:
    with fake_chat("--max-model-len", "64") as endpoint:
        items, error = ask(endpoint, Params(max_tokens=1024))
        requests = seen(endpoint)
    assert error is None
    assert content(items) == text_of(20)
    assert [body.get("max_tokens") for body in requests] == [1024, None]


def test_old_wording_of_too_many_tokens_with_room_left() -> None:
    message = (
        "This model's maximum context length is 8192 tokens. However, you requested 8204 tokens (12 in the messages, "
        "8192 in the completion). Please reduce the length of the messages or completion."
    )
    body = json.dumps({"object": "error", "message": message})
    with fake_chat("--status", "400", "--body", body) as endpoint:
        _, error = ask(endpoint, Params(max_tokens=8192))
        requests = seen(endpoint)
    assert error is not None
    assert error.facts == {"prompt_tokens": 12, "limit": 8192}
    assert [request.get("max_tokens") for request in requests] == [8192, None]


def test_a_template_without_a_system_role_gets_it_in_the_question() -> None:
    with fake_chat("--reject-system") as endpoint:
        items, error = ask(endpoint)
        requests = seen(endpoint)
    assert error is None
    assert content(items) == text_of(20)
    assert requests[-1]["messages"] == [{"role": "user", "content": "be brief\n\nhello"}]


@pytest.mark.parametrize(
    ("switches", "code", "tokens"),
    [
        (("--drop-after", "7"), "chat.connection_lost", 7),
        (("--end-after", "7"), "chat.connection_lost", 7),
        (("--finish", "", "--no-done"), "chat.connection_lost", 20),
        (("--error-after", "7"), "chat.server_error", 7),
        (("--garbage-after", "7"), "chat.bad_stream", 7),
        (("--silent-after", "7"), "chat.silent", 7),
    ],
)
def test_an_answer_that_breaks_keeps_what_came(switches: tuple[str, ...], code: str, tokens: int) -> None:
    began = time.monotonic()
    with fake_chat(*switches) as endpoint:
        items, error = ask(endpoint, silence_s=0.5)
    assert time.monotonic() - began < 20
    assert error is not None
    assert error.code == code
    assert content(items) == text_of(tokens)


def test_keep_alive_comments_are_no_silence() -> None:
    with fake_chat("--silent-after", "3", "--keep-alive", "0.1", "--silence", "1.2") as endpoint:
        items, error = ask(endpoint, silence_s=0.6)
    assert error is None
    assert content(items) == text_of(20)


def test_a_page_that_is_no_stream() -> None:
    with fake_chat("--content-type", "text/html") as endpoint:
        items, error = ask(endpoint)
    assert error is not None
    assert (items, error.code, error.facts["reason"]) == ([], "chat.bad_stream", "content-type text/html")


def test_nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    _, error = ask(Endpoint("http://127.0.0.1:9", "fake", KEY))
    assert error is not None
    assert error.code == "chat.connection_lost"


def test_proxies_of_the_environment_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with fake_chat() as endpoint:
        _, error = ask(endpoint)
    assert error is None


def test_leaving_early_stops_the_generation() -> None:
    async def leave(endpoint: Endpoint) -> float | None:
        async with aclosing(stream_chat(endpoint, HELLO)) as stream:
            async for item in stream:
                if item.content:
                    break
            assert (await fetch(endpoint)).value(RUNNING) == 1.0

        async def idle() -> bool:
            return (await fetch(endpoint)).value(RUNNING) == 0.0

        await until(idle)
        return (await fetch(endpoint)).value(GENERATED)

    with fake_chat("--tokens", "100000", "--rate", "50") as endpoint:
        generated = asyncio.run(leave(endpoint))
    assert generated is not None
    assert generated < 5000
