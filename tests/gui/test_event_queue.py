"""The order in which a frame's events come out."""

from __future__ import annotations

from core.events import ChatDelta, Event, JobDone, LogLines, Progress, ShowWindow
from gui.event_queue import Entry, EventQueue


def progress(done: int, job: str = "a") -> Progress:
    return Progress(job, "download", 1, 1, done_bytes=done)


def drained(*events: Event) -> list[Entry]:
    queue = EventQueue()
    for event in events:
        queue.put(event)
    return queue.drain()


def test_every_event_that_matters_comes_out_in_order() -> None:
    events = [JobDone("a"), ShowWindow(), JobDone("b"), JobDone("a")]
    assert drained(*events) == events


def test_progress_keeps_only_the_latest_of_each_job() -> None:
    assert drained(progress(1), progress(1, "b"), progress(2), progress(3)) == [progress(3), progress(1, "b")]


def test_text_is_joined_and_loses_nothing() -> None:
    assert drained(ChatDelta("x", "one "), ChatDelta("y", "-"), ChatDelta("x", "two")) == [
        ChatDelta("x", "one two"),
        ChatDelta("y", "-"),
    ]


def test_nothing_overtakes_an_event_that_must_be_delivered() -> None:
    assert drained(progress(1), JobDone("a"), progress(2)) == [progress(1), JobDone("a"), progress(2)]
    lines = [LogLines("l", ("1",)), ShowWindow(), LogLines("l", ("2",))]
    assert drained(*lines) == lines


def test_the_reader_is_woken_once_per_frame() -> None:
    queue = EventQueue()
    assert [queue.put(ShowWindow()), queue.put(ShowWindow())] == [True, False]
    queue.drain()
    assert queue.put(ShowWindow())
    queue.drain()
    assert queue.drain() == []
