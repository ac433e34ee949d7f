"""Events: what may be joined or replaced on the way to the window, and what may not."""

from __future__ import annotations

import logging

import pytest

from core.events import (
    ChatDelta,
    Delivery,
    ErrorInfo,
    Event,
    EventBus,
    LogLines,
    Notice,
    Progress,
    ServerStatus,
    ShowWindow,
    SpeedCard,
)


def test_log_lines_join_in_order_and_count_what_they_lose() -> None:
    first = LogLines("a", tuple(f"{n}" for n in range(LogLines.KEEP)), dropped=3)
    joined = first.merged(LogLines("a", ("x", "y"), dropped=1))
    assert joined.lines[-2:] == ("x", "y")
    assert len(joined.lines) == LogLines.KEEP
    assert joined.dropped == 3 + 1 + 2


def test_chat_text_joins_and_the_newest_speed_wins() -> None:
    old = ChatDelta("a", "Par", "think", SpeedCard(completion_tokens=1))
    joined = old.merged(ChatDelta("a", "is", "ing", SpeedCard(completion_tokens=2)))
    assert (joined.text, joined.reasoning, joined.speed.completion_tokens) == ("Paris", "thinking", 2)


@pytest.mark.parametrize("event", [ServerStatus(), Notice(ErrorInfo("app.bug")), ShowWindow()])
def test_status_and_news_are_delivered_every_time(event: Event) -> None:
    assert event.delivery is Delivery.EVERY


def test_progress_of_different_jobs_does_not_replace_each_other() -> None:
    assert Progress("a", "venv", 1, 2).key != Progress("b", "venv", 1, 2).key


def test_a_listener_that_fails_is_logged_and_the_others_still_hear(caplog: pytest.LogCaptureFixture) -> None:
    bus = EventBus()
    heard: list[object] = []

    def broken(_event: object) -> None:
        raise RuntimeError("on purpose")

    bus.subscribe(broken)
    stop = bus.subscribe(heard.append)
    with caplog.at_level(logging.ERROR):
        bus.emit(ShowWindow())
    assert heard == [ShowWindow()]
    assert "on purpose" in caplog.text
    stop()
    stop()
    with caplog.at_level(logging.ERROR):
        bus.emit(ShowWindow())
    assert len(heard) == 1
