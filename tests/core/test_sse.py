"""The SSE decoder: the grammar, any cut, any garbage."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.chat.sse import BOM, SseDecoder, SseEvent


def decode(*pieces: bytes, max_line_bytes: int = 1000) -> list[SseEvent]:
    decoder = SseDecoder(max_line_bytes)
    found = [event for piece in pieces for event in decoder.feed(piece)]
    return found + decoder.finish()


# Pieces that make the interesting cases likely: line ends of all kinds, fields, comments, characters of several bytes.
LINES = st.sampled_from(
    [
        b"data: one",
        b"data:two",
        b"data",
        b"data: ",
        b": comment",
        b"event: error",
        b"id: 5",
        b"nobody: knows",
        "data:日本🙂".encode(),
        b"data: \xff\xc3",
        b"",
        b"",
        BOM,
        b"x" * 1100,
    ]
)
STREAMS = st.one_of(
    st.lists(st.tuples(LINES, st.sampled_from([b"\n", b"\r\n", b"\r"]))).map(
        lambda parts: b"".join(line + end for line, end in parts)
    ),
    st.binary(max_size=200),
)


@given(STREAMS, st.lists(st.integers(min_value=0, max_value=400), max_size=12))
def test_any_cut_gives_the_same_events(stream: bytes, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    assert decode(*(stream[start:end] for start, end in pairwise(edges))) == decode(stream)


@given(STREAMS)
def test_byte_by_byte_is_the_whole(stream: bytes) -> None:
    assert decode(*(stream[place : place + 1] for place in range(len(stream)))) == decode(stream)


@given(st.lists(st.text(alphabet=st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]))))
def test_what_is_written_is_read(texts: list[str]) -> None:
    stream = "".join(f"data: {text}\n\n" for text in texts).encode()
    assert [event.data for event in decode(stream, max_line_bytes=10**6)] == texts


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(end: str) -> None:
    assert decode(f"data: a{end}data: b{end}{end}data: c{end}{end}".encode()) == [SseEvent("a\nb"), SseEvent("c")]


def test_a_crlf_cut_in_two_is_one_line_end() -> None:
    assert decode(b"data: a\r", b"\ndata: b\r", b"\n\r", b"\n") == [SseEvent("a\nb")]


def test_an_event_comes_with_its_blank_line_not_later() -> None:
    decoder = SseDecoder()
    assert decoder.feed(b"data: a\r\n") == []
    assert decoder.feed(b"\r") == [SseEvent("a")]
    assert decoder.feed(b"\n") == []


def test_comments_unknown_fields_and_events_without_data_give_nothing() -> None:
    assert decode(b": keep-alive\n\nretry: 3\nevent: x\n\nid: 1\n\n") == []


def test_the_event_type_belongs_to_one_event() -> None:
    assert decode(b"event: error\ndata: a\n\ndata: b\n\n") == [SseEvent("a", "error"), SseEvent("b")]


def test_a_byte_order_mark_at_the_start_only() -> None:
    assert decode(BOM[:1], BOM[1:] + b"data: a\n\n" + BOM + b"data: b\n\n") == [SseEvent("a")]


def test_one_space_after_the_colon_is_not_data() -> None:
    assert decode(b"data:a\ndata: b\ndata:  c\n\n") == [SseEvent("a\nb\n c")]


def test_split_and_broken_utf8() -> None:
    text = "data: é\n\n".encode()
    assert decode(text[:7], text[7:]) == [SseEvent("é")]
    assert decode(b"data: \xff\n\n") == [SseEvent("\ufffd")]


def test_a_stream_without_its_last_blank_line() -> None:
    assert decode(b"data: a\n\ndata: [DONE]") == [SseEvent("a"), SseEvent("[DONE]")]


def test_a_line_beyond_the_limit_is_dropped_and_counted() -> None:
    decoder = SseDecoder(max_line_bytes=10)
    pieces = [b"data: " + b"x" * 5, b"y" * 100, b"\ndata: ok\n\n"]
    assert [event for piece in pieces for event in decoder.feed(piece)] == [SseEvent("ok")]
    assert decoder.dropped_lines == 1
