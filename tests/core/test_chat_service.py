"""The running answer as events: batches in order, one end, whatever happens."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from core.chat.params import Params
from core.chat.service import ChatService
from core.engine.endpoint import Endpoint
from core.engine.metrics import RUNNING, fetch
from core.errors import AppError
from core.events import ChatDelta, ChatDone, ErrorInfo, Event, EventBus, FinishReason
from tests.fakes.fake_chat import PROMPT_TOKENS, WORDS
from tests.support.fake_chat_server import fake_chat, until

HELLO = ({"role": "user", "content": "hello"},)


class Heard:
    """All chat events of one run."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.bus = EventBus()
        self.bus.subscribe(self.events.append)

    @property
    def deltas(self) -> list[ChatDelta]:
        return [event for event in self.events if isinstance(event, ChatDelta)]

    @property
    def ends(self) -> list[ChatDone]:
        return [event for event in self.events if isinstance(event, ChatDone)]


def run(
    endpoint: Endpoint | None, steps: Callable[[ChatService, Heard], Awaitable[None]], silence_s: float = 30.0
) -> Heard:
    heard = Heard()

    async def main() -> None:
        service = ChatService(heard.bus, lambda: endpoint, silence_s=silence_s)
        try:
            await steps(service, heard)
        finally:
            await service.close()

    asyncio.run(main())
    return heard


async def whole(service: ChatService, heard: Heard) -> None:
    done = await service.start_answer("a1", HELLO)
    assert heard.events[-1] is done


def text_of(tokens: int, first: int = 0) -> str:
    return "".join(WORDS[number % len(WORDS)] for number in range(first, tokens))


def test_the_deltas_add_up_and_the_end_is_last() -> None:
    with fake_chat("--tokens", "60", "--rate", "200", "--reasoning", "10") as endpoint:
        heard = run(endpoint, whole)
    (done,) = heard.ends
    assert heard.events[-1] is done
    assert "".join(delta.text for delta in heard.deltas) == done.text == text_of(60, first=10)
    assert "".join(delta.reasoning for delta in heard.deltas) == done.reasoning == text_of(10)
    assert (done.answer_id, done.finish, done.error) == ("a1", FinishReason.STOP, None)
    assert all(delta.answer_id == "a1" for delta in heard.deltas)


def test_the_card_at_the_end_is_exact() -> None:
    with fake_chat("--tokens", "61", "--rate", "100", "--per-chunk", "3", "--first-chunk", "5") as endpoint:
        (done,) = run(endpoint, whole).ends
    speed = done.speed
    assert (speed.prompt_tokens, speed.completion_tokens, speed.exact, speed.final) == (PROMPT_TOKENS, 61, True, True)
    assert speed.decode_tokens_per_s == pytest.approx(100, rel=0.15)
    assert speed.ttft_s is not None
    assert 0.05 <= speed.ttft_s <= speed.total_s


def test_the_live_figure_follows_the_usage() -> None:
    with fake_chat("--tokens", "80", "--rate", "100", "--empty-every", "2") as endpoint:
        heard = run(endpoint, whole)
    counts = [delta.speed.completion_tokens for delta in heard.deltas]
    assert counts == sorted(counts)
    assert counts[-1] > 70
    rate = heard.deltas[-1].speed.decode_tokens_per_s
    assert rate == pytest.approx(100, rel=0.2)
    assert not heard.deltas[-1].speed.final


def test_fast_tokens_come_in_frames() -> None:
    with fake_chat("--tokens", "4000", "--rate", "2000") as endpoint:
        began = time.monotonic()
        heard = run(endpoint, whole)
        took_s = time.monotonic() - began
    (done,) = heard.ends
    assert done.text == text_of(4000)
    assert len(heard.deltas) <= took_s / 0.016 + 2


def test_the_first_text_does_not_wait_for_more() -> None:
    with fake_chat("--silent-after", "1") as endpoint:

        async def first(service: ChatService, heard: Heard) -> None:
            service.start_answer("a1", HELLO)

            async def came() -> bool:
                return bool(heard.deltas)

            await until(came)
            assert not heard.ends

        heard = run(endpoint, first)
    assert heard.deltas[0].text == WORDS[0]


def test_stop_keeps_the_text_and_frees_the_server() -> None:
    with fake_chat("--tokens", "100000", "--rate", "100") as endpoint:

        async def stopped(service: ChatService, heard: Heard) -> None:
            service.start_answer("a1", HELLO)

            async def some() -> bool:
                return len(heard.deltas) >= 3

            await until(some)
            await service.stop()
            assert len(heard.ends) == 1
            assert not service.busy

            async def idle() -> bool:
                return (await fetch(endpoint)).value(RUNNING) == 0.0

            await until(idle, 2.0)

        heard = run(endpoint, stopped)
    (done,) = heard.ends
    assert (done.finish, done.error) == (FinishReason.CANCELLED, None)
    assert done.text == "".join(delta.text for delta in heard.deltas) == text_of(done.speed.completion_tokens)
    assert done.speed.exact


def test_stopped_before_it_began_still_ends_once() -> None:
    with fake_chat() as endpoint:

        async def at_once(service: ChatService, heard: Heard) -> None:
            service.start_answer("a1", HELLO)
            await service.stop()
            assert [done.finish for done in heard.ends] == [FinishReason.CANCELLED]

        run(endpoint, at_once)


def test_close_ends_the_answer() -> None:
    with fake_chat("--silent-after", "2") as endpoint:

        async def left_running(service: ChatService, heard: Heard) -> None:
            service.start_answer("a1", HELLO)

            async def some() -> bool:
                return bool(heard.deltas)

            await until(some)
            await service.close()
            assert len(heard.ends) == 1

        heard = run(endpoint, left_running)
    assert [done.finish for done in heard.ends] == [FinishReason.CANCELLED]


@pytest.mark.parametrize(
    ("switches", "code"),
    [
        (("--drop-after", "7"), "chat.connection_lost"),
        (("--silent-after", "7"), "chat.silent"),
        (("--error-after", "7"), "chat.server_error"),
    ],
)
def test_a_failure_stands_beside_the_text_that_came(switches: tuple[str, ...], code: str) -> None:
    with fake_chat(*switches) as endpoint:
        (done,) = run(endpoint, whole, silence_s=0.5).ends
    assert done.finish is FinishReason.ERROR
    assert done.error is not None
    assert done.error.code == code
    assert done.text == text_of(7)


def test_length_is_told() -> None:
    with fake_chat("--finish", "length") as endpoint:
        (done,) = run(endpoint, whole).ends
    assert done.finish is FinishReason.LENGTH


def test_what_cannot_begin_says_why() -> None:
    async def refused(service: ChatService, messages: tuple[dict[str, str], ...]) -> str:
        try:
            service.start_answer("a2", messages, Params())
        except AppError as error:
            return error.code
        return ""

    async def without_server(service: ChatService, heard: Heard) -> None:
        assert await refused(service, HELLO) == "chat.no_server"
        assert await refused(service, ({"role": "user", "content": "  "},)) == "chat.empty"

    assert run(None, without_server).events == []
    with fake_chat("--silent-after", "0") as endpoint:

        async def twice(service: ChatService, heard: Heard) -> None:
            service.start_answer("a1", HELLO)
            assert await refused(service, HELLO) == "chat.busy"
            await service.stop()

        assert len(run(endpoint, twice).ends) == 1


def test_after_an_end_the_next_answer_begins() -> None:
    with fake_chat() as endpoint:

        async def two(service: ChatService, heard: Heard) -> None:
            await service.start_answer("a1", HELLO)
            await service.start_answer("a2", HELLO)

        heard = run(endpoint, two)
    assert [done.answer_id for done in heard.ends] == ["a1", "a2"]


def test_answers_leave_no_socket_open() -> None:
    handles = Path("/proc/self/fd")
    with fake_chat("--tokens", "5") as endpoint:
        run(endpoint, whole)
        gc.collect()
        before = len(list(handles.iterdir()))
        for _ in range(5):
            run(endpoint, whole)
        gc.collect()
        assert len(list(handles.iterdir())) <= before


def test_a_server_that_sleeps_is_woken_by_the_question_and_its_refusal_is_the_answers_end() -> None:
    heard = Heard()
    woken: list[str] = []

    async def wake() -> None:
        woken.append("woken")
        if len(woken) > 1:
            raise AppError("server.cannot_sleep")

    async def main(endpoint: Endpoint) -> None:
        service = ChatService(heard.bus, lambda: endpoint, rouse=wake)
        assert (await service.start_answer("a1", HELLO)).error is None
        assert (await service.start_answer("a2", HELLO)).error == ErrorInfo("server.cannot_sleep")
        await service.close()

    with fake_chat("--tokens", "5", "--rate", "200") as endpoint:
        asyncio.run(main(endpoint))
    assert len(woken) == 2
    assert [done.text for done in heard.ends] == [text_of(5), ""]
