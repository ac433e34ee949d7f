"""Chat with the real engine and the real model; every figure is held against the server's own."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from core.chat.conversation import ApiMessage, Conversation
from core.chat.params import Params
from core.chat.service import ChatService
from core.engine.endpoint import Endpoint
from core.engine.metrics import GENERATED, RUNNING, TIME_PER_OUTPUT_TOKEN, Metrics, fetch
from core.events import ChatDelta, ChatDone, EngineInfo, EventBus, FinishReason
from tests.support.fake_chat_server import until
from tests.support.real_server import real_server

QUESTION = "What is the capital of France? Answer in one sentence."
CONTEXT_TOKENS = 1024

pytestmark = pytest.mark.timeout(240)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, real_engine: EngineInfo, starter_path: str) -> Iterator[Endpoint]:
    with real_server(tmp_path_factory.mktemp("server"), real_engine, starter_path, CONTEXT_TOKENS) as endpoint:
        yield endpoint


def answer(endpoint: Endpoint, messages: Sequence[ApiMessage], params: Params) -> ChatDone:
    async def main() -> ChatDone:
        service = ChatService(EventBus(), lambda: endpoint)
        try:
            return await service.start_answer("a", messages, params)
        finally:
            await service.close()

    return asyncio.run(main())


def page(endpoint: Endpoint) -> Metrics:
    return asyncio.run(fetch(endpoint))


def generated(endpoint: Endpoint) -> float:
    return page(endpoint).value(GENERATED) or 0.0


def prompt_tokens(endpoint: Endpoint, messages: Sequence[ApiMessage]) -> int:
    """What the server's own tokenizer makes of a conversation."""
    body = json.dumps({"model": endpoint.model, "messages": list(messages)}).encode()
    request = urllib.request.Request(f"{endpoint.base_url}/tokenize", body, {"Content-Type": "application/json"})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=20) as reply:
        return int(json.load(reply)["count"])


def test_a_question_is_answered_and_every_token_counted(server: Endpoint) -> None:
    messages = Conversation().asked(QUESTION).to_api()
    before = generated(server)
    done = answer(server, messages, Params(max_tokens=64, temperature=0.0))
    assert "Paris" in done.text
    assert (done.finish, done.error, done.speed.exact) == (FinishReason.STOP, None, True)
    assert done.speed.prompt_tokens == prompt_tokens(server, messages)
    assert done.speed.completion_tokens == generated(server) - before


def test_the_speed_is_the_servers_own_within_five_percent(server: Endpoint) -> None:
    messages = Conversation("You write long stories.").asked("Tell a story about a lighthouse.").to_api()
    before = page(server).histogram(TIME_PER_OUTPUT_TOKEN)
    done = answer(server, messages, Params(max_tokens=150, temperature=0.0))
    mean_s = page(server).histogram(TIME_PER_OUTPUT_TOKEN).since(before)
    assert mean_s.count == 1
    assert mean_s.mean is not None
    assert done.speed.decode_tokens_per_s == pytest.approx(1 / mean_s.mean, rel=0.05)


def test_the_conversation_is_remembered(server: Endpoint) -> None:
    short = Params(max_tokens=40, temperature=0.0)
    talk = Conversation().asked("What is the capital of France?")
    first = answer(server, talk.to_api(), short)
    talk = talk.answered(first.text, first.reasoning).asked("And of Germany?")
    second = answer(server, talk.to_api(), short)
    assert "Berlin" in second.text
    assert second.speed.prompt_tokens == prompt_tokens(server, talk.to_api())
    # The same words without what was said before mean nothing to the model.
    assert "Berlin" not in answer(server, Conversation().asked("And of Germany?").to_api(), short).text


def test_stop_frees_the_server_within_two_seconds(server: Endpoint) -> None:
    async def main() -> ChatDone:
        bus, deltas, ends = EventBus(), list[ChatDelta](), list[ChatDone]()
        bus.subscribe(lambda event: deltas.append(event) if isinstance(event, ChatDelta) else None)
        bus.subscribe(lambda event: ends.append(event) if isinstance(event, ChatDone) else None)
        service = ChatService(bus, lambda: server)
        service.start_answer("a", Conversation().asked("Count from 1 to 300.").to_api(), Params(max_tokens=900))

        async def writing() -> bool:
            return len(deltas) > 5

        async def idle() -> bool:
            return (await fetch(server)).value(RUNNING) == 0.0

        await until(writing, 60.0)
        await service.stop()
        await until(idle, 2.0)
        await service.close()
        (done,) = ends
        return done

    done = asyncio.run(main())
    assert (done.finish, done.error) == (FinishReason.CANCELLED, None)
    assert done.text
    assert 0 < done.speed.completion_tokens < 900


def test_more_tokens_than_fit_are_capped_to_what_fits(server: Endpoint) -> None:
    question = Conversation().asked("Say yes.").to_api()
    done = answer(server, question, Params(max_tokens=10 * CONTEXT_TOKENS, temperature=0.0))
    assert done.error is None
    assert done.text


def test_a_conversation_beyond_the_context_names_both_numbers(server: Endpoint) -> None:
    done = answer(server, Conversation().asked("word " * 1500).to_api(), Params(max_tokens=16))
    assert done.error is not None
    assert done.error.code == "chat.too_long"
    assert done.error.facts["limit"] == CONTEXT_TOKENS
    prompt = done.error.facts["prompt_tokens"]
    assert isinstance(prompt, int)
    assert prompt > CONTEXT_TOKENS


@pytest.mark.parametrize(
    ("changes", "code"), [({"api_key": "not-the-key"}, "chat.unauthorized"), ({"model": "other"}, "chat.model_gone")]
)
def test_the_wrong_key_and_the_wrong_model_are_told_apart(server: Endpoint, changes: dict[str, str], code: str) -> None:
    done = answer(replace(server, **changes), Conversation().asked("hi").to_api(), Params(max_tokens=4))
    assert done.error is not None
    assert done.error.code == code
    assert "not-the-key" not in repr(done)
