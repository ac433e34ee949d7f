"""Bytes into lines."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.engine.log_lines import CUT_MARK, LineSplitter, Tail
from core.redact import Redactor


def split(*chunks: bytes, limit: int = 1000) -> list[str]:
    splitter = LineSplitter(limit)
    return [line for chunk in chunks for line in splitter.feed(chunk)] + splitter.finish()


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"one\ntwo\n", ["one", "two"]),
        (b"one\r\ntwo\r\n\r\n", ["one", "two"]),
        (b"\r10%\r20%\r30%\n", ["10%", "20%", "30%"]),
        (b"no end", ["no end"]),
        (b"\n\n\n", []),
        (b"\x1b[1;31mred\x1b[0m \x1b]0;title\x07text\n", ["red text"]),
        (b"tab\tstays\x00\x07\n", ["tab\tstays"]),
        (b"\xff\xfe \xc3\x28\n", ["\ufffd\ufffd \ufffd("]),
        ("Привет ✓\n".encode(), ["Привет ✓"]),
    ],
)
def test_lines(data: bytes, lines: list[str]) -> None:
    assert split(data) == lines
    assert split(*[data[i : i + 1] for i in range(len(data))]) == lines


def test_a_line_comes_as_soon_as_it_ends() -> None:
    splitter = LineSplitter()
    assert splitter.feed(b"half") == []
    assert splitter.feed(b" whole\nnext") == ["half whole"]
    assert splitter.feed(b"\r") == ["next"]
    assert splitter.finish() == []


@pytest.mark.parametrize("piece", [1, 700, 5000])
def test_a_long_line_is_cut_and_its_rest_dropped(piece: int) -> None:
    data = b"x" * 5000 + b"\nafter\n"
    first, after = split(*[data[i : i + piece] for i in range(0, len(data), piece)])
    assert first == "x" * (len(first) - len(CUT_MARK)) + CUT_MARK
    assert len(first) <= 1000 + len(CUT_MARK)
    assert after == "after"


def test_a_cut_never_shows_a_part_of_a_secret() -> None:
    """At whatever place of the line it stands."""
    redact = Redactor(["SECRET" * 10])
    for before in range(300, 1100, 7):
        splitter = LineSplitter(1000, redact)
        (line,) = splitter.feed(b"x" * before + b"SECRET" * 10 + b"y" * 2000)
        assert "S" not in line
        assert line.endswith(CUT_MARK)


@given(st.binary(max_size=300), st.lists(st.integers(1, 40), max_size=30))
def test_where_the_chunks_end_changes_nothing(data: bytes, cuts: list[int]) -> None:
    chunks: list[bytes] = []
    rest = data
    for cut in cuts:
        chunks.append(rest[:cut])
        rest = rest[cut:]
    lines = split(*chunks, rest, limit=4000)
    assert lines == split(data, limit=4000)
    assert not any(re.search(r"[\r\n\x00]", line) for line in lines)


def test_the_tail_is_bounded_and_counts_what_it_dropped() -> None:
    tail = Tail(max_lines=3, max_chars=10)
    tail.extend(["1", "2", "3", "4"])
    assert list(tail) == ["2", "3", "4"]
    tail.extend(["123456789"])
    assert list(tail) == ["4", "123456789"]
    tail.extend(["far more than ten characters"])
    assert tail.take() == (["far more than ten characters"], 5)
    assert tail.take() == ([], 0)
