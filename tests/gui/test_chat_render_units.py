"""A text in pieces gives the same blocks as the whole text, however it is cut: fuzzed with hypothesis."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from gui.bridge import Bridge
from gui.pages.chat.answer_text import AnswerText
from gui.pages.chat.maths_rules import BLOCK
from gui.pages.chat.rendering import Rendering
from gui.pages.chat.units import Splitter, Unit, correction, same, whole_text

PIECES = [
    "# h\n",
    "para",
    "\n",
    "\n\n",
    "- a\n",
    "- [x] t\n",
    "* b\n",
    "1. one\n",
    "2. two\n",
    "7) x\n",
    "  - nested\n",
    "    ind\n",
    "\t",
    "> q\n",
    "```py\n",
    "```\n",
    "~~~\n",
    "x = `1`\n",
    "¦a¦b¦\n",
    "¦-¦:-:¦\n",
    "¦1¦2¦\n",
    "$x_1$",
    "$$\n",
    "\\[\n",
    "\\]\n",
    "\\(a\\)",
    "$5 and $6",
    "---\n",
    "===\n",
    "**b**",
    "*e*",
    "~~s~~",
    "[l](https://e.com)",
    "![i](http://e.com/a.png)",
    "<b>html</b>\n",
    "<!-- c -->\n",
    "   ",
    "\\",
    "`",
    "🙂",
    "привет",
    "مرحبا",
    "\u2028",
    "\x0b",
    "\r",
    "\r\n",
    "\x00",
    "�",
    "\u2029",
    "\ufdd0",
    "￼",
    "&amp;",
    "10. ten\n",
    "+ p\n",
    "\xa0",
    "1986. y\n",
    "- ",
    "-\n",
    "0. z\n",
    "[r]: https://e.com\n",
    "[r]",
]
MARKDOWN = st.lists(
    st.one_of(st.sampled_from([piece.replace("¦", "|") for piece in PIECES]), st.text(max_size=6)), max_size=25
).map("".join)


@st.composite
def cut(draw: st.DrawFn) -> tuple[str, list[str]]:
    text = draw(MARKDOWN)
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=12)))
    edges = [0, *cuts, len(text)]
    return text, [text[begin:end] for begin, end in itertools.pairwise(edges)]


def in_pieces(pieces: list[str]) -> list[Unit]:
    splitter = Splitter()
    for piece in pieces:
        splitter.feed(piece)
    return [*splitter.closed, *splitter.open_units()]


def formula_open(units: list[Unit]) -> bool:
    """A formula without its end is taken for one while the text grows; at the end it is looked at again."""
    return any(token.type == BLOCK and token.hidden for unit in units[-1:] for token in unit.tokens)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(cut())
def test_pieces_give_the_units_of_the_whole(case: tuple[str, list[str]]) -> None:
    text, pieces = case
    if "]:" in text or text.endswith("\r"):
        return
    got, want = in_pieces(pieces), whole_text(text)
    if formula_open(got):
        return
    if got and got[-1].tokens[0].type == "fence":
        # A last line that may be the code's end is held back.
        got, want = got[:-1], want[: len(got) - 1]
    assert [unit.signature for unit in got] == [unit.signature for unit in want]


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(cut())
def test_whatever_is_left_is_corrected_at_the_end(case: tuple[str, list[str]]) -> None:
    text, pieces = case
    got, want = in_pieces(pieces), whole_text(text)
    found = correction(text, got)
    assert (got if found is None else found) == want or same(got, want) == len(got) == len(want)


@pytest.fixture
def rendering(bridge: Bridge) -> Rendering:
    return Rendering(bridge)


def test_any_text_in_any_pieces_ends_as_the_whole_on_the_screen(qtbot: QtBot, rendering: Rendering) -> None:
    """The widgets too: never an exception, the same text in the end."""
    written, whole = AnswerText(rendering), AnswerText(rendering)
    for view in (written, whole):
        qtbot.addWidget(view)
        view.resize(500, 40)
        view.show()

    @settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(cut())
    def one(case: tuple[str, list[str]]) -> None:
        text, pieces = case
        for view in (written, whole):
            view.finish("")
        for piece in pieces:
            written.append_markdown(piece)
            written.flush()
        for view in (written, whole):
            view.finish(text)
        qtbot.waitUntil(lambda: not written.busy and not whole.busy)
        assert written.plain_text() == whole.plain_text()

    one()


@pytest.mark.parametrize("end", ["```", "`````  "])
def test_code_ends_with_its_own_mark_only(end: str) -> None:
    splitter = Splitter()
    shown = ""
    for character in f"```md\n~~~\n``\n ``` x\nlast\n{end}\nafter\n":
        step = splitter.feed(character)
        shown += step.grown
        if step.sealed:
            break
    assert splitter.closed[0].tokens[0].content == "~~~\n``\n ``` x\nlast\n"
    assert shown == "~~~\n``\n ``` x\nlast"
