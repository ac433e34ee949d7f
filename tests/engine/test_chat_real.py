"""Chat with the real engine and the real model; every figure is held against the server's own."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import time
import urllib.request
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import pytest

from core.chat.conversation import ApiMessage, Conversation
from core.chat.params import OutputFormat, Params
from core.chat.service import ChatService
from core.chat.tree import Message
from core.engine.command import LaunchRequest
from core.engine.endpoint import Endpoint
from core.engine.metrics import GENERATED, RUNNING, TIME_PER_OUTPUT_TOKEN, Metrics, fetch
from core.engine.supervisor import Supervisor
from core.events import ChatDelta, ChatDone, EngineInfo, EventBus, FinishReason, ServerState
from core.speed_counters import FINISHED, PROMPT
from tests.support.chats import Chats, chat_child, line, run
from tests.support.fake_chat_server import until
from tests.support.plan_log import CONTEXT as CONTEXT_TOKENS
from tests.support.plan_log import assert_as_planned
from tests.support.real_server import alive, supervised, tree_of
from tests.support.serving import wait_for

QUESTION = "What is the capital of France? Answer in one sentence."
NOTICED_S = 10.0
DECODE = "vllm:request_decode_time_seconds"
T = TypeVar("T")

pytestmark = pytest.mark.timeout(240)


@dataclass
class Running:
    supervisor: Supervisor
    endpoint: Endpoint
    log_of_start: str


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, real_engine: EngineInfo, starter_path: Path) -> Iterator[Running]:
    request = LaunchRequest("starter", str(starter_path), real_engine, max_model_len=CONTEXT_TOKENS)
    with supervised(tmp_path_factory.mktemp("server"), request) as (supervisor, endpoint):
        yield Running(supervisor, endpoint, "\n".join(supervisor.log_tail()))


@pytest.fixture
def server(running: Running) -> Endpoint:
    return running.endpoint


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


def test_the_plan_said_what_it_takes(running: Running, real_engine: EngineInfo, starter_path: Path) -> None:
    assert_as_planned(real_engine, starter_path, running.log_of_start)


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


def test_the_server_says_what_it_takes_and_keeps_to_a_form(server: Endpoint, starter_path: str, tmp_path: Path) -> None:
    async def ask() -> None:
        chats = Chats(tmp_path, server, Path(starter_path))
        found = await chats.verbs.abilities()
        assert found is not None
        assert (found.max_model_len, found.images, found.thinking) == (CONTEXT_TOKENS, False, False)
        assert found.version >= (0, 32)
        for output in (OutputFormat("regex", "[0-9]{3}"), OutputFormat("choice", "412\n413")):
            one = await chats.new(Params(max_tokens=16, temperature=0.0, output=output))
            answer = (await chats.ask(one, "Say a number.")).messages[-1]
            assert answer.error is None
            assert re.fullmatch("[0-9]{3}", answer.content)
        await chats.close()

    asyncio.run(ask())


def test_the_figures_of_twenty_answers_are_the_servers_within_two_percent(server: Endpoint, tmp_path: Path) -> None:
    async def ask(chats: Chats) -> None:
        for number in range(20):
            one = await chats.new(Params(max_tokens=24, temperature=0.0))
            await chats.ask(one, f"Write the number {number} in words, then say something about it.")

    before = page(server)
    cards = [done.speed for done in run(tmp_path, server, ask).ends]
    after = page(server)
    assert len(cards) == 20
    counted = {name: (after.value(name) or 0) - (before.value(name) or 0) for name in (GENERATED, PROMPT, FINISHED)}
    assert counted[FINISHED] == 20
    assert sum(card.completion_tokens for card in cards) == pytest.approx(counted[GENERATED], rel=0.02)
    assert sum(card.prompt_tokens for card in cards) == pytest.approx(counted[PROMPT], rel=0.02)
    decoding = after.histogram(DECODE).since(before.histogram(DECODE))
    ours_s = sum((card.completion_tokens - 1) / card.decode_tokens_per_s for card in cards if card.decode_tokens_per_s)
    assert ours_s == pytest.approx(decoding.sum, rel=0.02)
    assert all(card.checked for card in cards)
    counts = {"prompt_tokens", "completion_tokens"}
    assert [one for card in cards for one in card.disagreements if one.figure in counts] == []


def test_a_conversation_that_outgrows_the_context_is_trimmed_with_a_mark(server: Endpoint, tmp_path: Path) -> None:
    async def fill(chats: Chats) -> None:
        one = await chats.new(Params(max_tokens=8, temperature=0.0, at_limit="trim"))
        answer = Message("assistant", "")
        for number in range(6):
            answer = (await chats.ask(one, f"Note {number}: " + "word " * 220)).messages[-1]
            assert answer.error is None
            assert answer.content
        assert answer.trimmed > 0
        meter = await chats.verbs.meter(one, delay_s=0.0)
        assert meter is not None
        assert (meter.limit, meter.over) == (CONTEXT_TOKENS, True)

    run(tmp_path, server, fill)


def test_thirty_turns_killed_in_the_last_answer_are_whole(server: Endpoint, tmp_path: Path) -> None:
    questions = [f"Say the number {number}." for number in range(29)]

    async def begin(chats: Chats) -> None:
        await chats.verbs.rename(await chats.new(Params(max_tokens=6, temperature=0.0, at_limit="trim")), "thirty")

    async def listed(chats: Chats) -> str:
        return (await chats.verbs.list())[0].id

    run(tmp_path, None, begin)
    conversation = asyncio.run(with_chats(tmp_path, listed))
    with chat_child(tmp_path, server, conversation, *questions) as child:
        for _ in questions:
            while line(child) != "DONE":
                pass
    asyncio.run(with_chats(tmp_path, lambda chats: longer(chats, conversation)))
    with chat_child(tmp_path, server, conversation, "Tell a long story about the sea.") as child:
        line(child)
        began = time.monotonic()
        while time.monotonic() - began < 1.1:
            assert line(child).startswith("WROTE")
        child.kill()
        child.wait()

    async def look(chats: Chats) -> None:
        whole = await chats.verbs.open(conversation, limit=100)
        assert [message.content for message in whole.messages if message.role == "user"][:29] == questions
        assert len(whole.messages) == 60
        answers = [message for message in whole.messages if message.role == "assistant"]
        assert all(message.finish and message.speed for message in answers[:-1])
        # A small model now and then says nothing.
        assert sum(bool(message.content) for message in answers) > 20
        last = whole.messages[-1]
        assert (last.finish, last.can_continue) == (FinishReason.INTERRUPTED, True)
        done = await chats.done(await chats.verbs.go_on(conversation, last.id), 60.0)
        assert done.error is None
        assert done.text.startswith(last.content)
        assert len(done.text) > len(last.content)

    run(tmp_path, server, look)


async def longer(chats: Chats, conversation: str) -> None:
    await chats.verbs.set_params(conversation, Params(max_tokens=200, temperature=0.0, at_limit="trim"))


async def with_chats(folder: Path, step: Callable[[Chats], Awaitable[T]]) -> T:
    chats = Chats(folder)
    try:
        return await step(chats)
    finally:
        await chats.close()


@pytest.mark.parametrize(
    ("changes", "code"), [({"api_key": "not-the-key"}, "chat.unauthorized"), ({"model": "other"}, "chat.model_gone")]
)
def test_the_wrong_key_and_the_wrong_model_are_told_apart(server: Endpoint, changes: dict[str, str], code: str) -> None:
    done = answer(replace(server, **changes), Conversation().asked("hi").to_api(), Params(max_tokens=4))
    assert done.error is not None
    assert done.error.code == code
    assert "not-the-key" not in repr(done)


def test_a_killed_engine_core_is_noticed_and_nothing_is_left(running: Running) -> None:
    """Last: it is the end of this server."""
    supervisor = running.supervisor
    tree = tree_of(supervisor)
    (core,) = [process for process in tree if process.name == "VLLM::EngineCor"]
    os.kill(core.pid, signal.SIGKILL)
    assert wait_for(lambda: supervisor.status.state is ServerState.FAILED, NOTICED_S)
    assert supervisor.status.error is not None
    assert supervisor.status.error.code == "server.engine_died"
    assert supervisor.endpoint is None
    assert alive(tree) == []
