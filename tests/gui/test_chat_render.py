"""Answers as they are written: formatted bit by bit, the same in the end, copied as text, never a way out of the
window."""

from __future__ import annotations

import itertools
import random

import pytest
from PySide6.QtCore import QMimeData, QPoint, QUrl
from PySide6.QtGui import QColor, QGuiApplication, QTextBlock, QTextBlockFormat, QTextCursor
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from core.typeset.code import Ink
from gui.bridge import Bridge
from gui.pages.chat.answer_text import AnswerText
from gui.pages.chat.rendering import Rendering
from gui.pages.chat.text_style import DARK, LIGHT, TextStyle
from gui.theme import DARK as DARK_PALETTE
from gui.theme import LIGHT as LIGHT_PALETTE
from gui.theme import Role, contrast, palette_of

SOURCE = """\
1. a list first
2. then more

# Title

A paragraph with **bold**, `code` and
a second line.

- one
- two
  - nested

1. first
2. second

> a quotation

| a | b |
|---|---|
| 1 | 2 |

```python
def f(x):
    return x  # ` and ~ and * stay

print(f(1))
```

- [x] done
- [ ] open

The end, with 日本語 and 🙂.
"""


@pytest.fixture
def rendering(bridge: Bridge) -> Rendering:
    return Rendering(bridge)


def shown_view(qtbot: QtBot, rendering: Rendering, text: str = "") -> AnswerText:
    view = AnswerText(rendering)
    qtbot.addWidget(view)
    view.resize(600, 50)
    view.show()
    if text:
        view.finish(text)
        qtbot.waitUntil(lambda: not view.busy)
    return view


def pieces(seed: int) -> list[str]:
    chance = random.Random(seed)
    found: list[str] = []
    rest = SOURCE
    while rest:
        size = chance.choice((1, 2, 3, 7, 20, 60))
        found.append(rest[:size])
        rest = rest[size:]
    return found


def blocks(view: AnswerText) -> list[QTextBlock]:
    found: list[QTextBlock] = []
    block = view.document().begin()
    while block.isValid():
        found.append(block)
        block = block.next()
    return found


def lines(view: AnswerText) -> list[tuple[str, str]]:
    """Every line with a text or a mark of its own: (its list's mark, its text)."""
    found: list[tuple[str, str]] = []
    for block in blocks(view):
        mark = block.textList().itemText(block) if block.textList() is not None else ""
        if mark or block.text().strip():
            found.append((mark, block.text().strip()))
    return found


def colours(view: AnswerText, text: str) -> set[str]:
    """What colours the line that holds `text` is written in beside the usual one."""
    block = next(block for block in blocks(view) if text in block.text())
    return {piece.format.foreground().color().name() for piece in block.layout().formats()}  # type: ignore[attr-defined]


@pytest.mark.parametrize("seed", range(8))
def test_the_text_while_written_reads_like_the_finished_one(qtbot: QtBot, rendering: Rendering, seed: int) -> None:
    written, finished = shown_view(qtbot, rendering), shown_view(qtbot, rendering, SOURCE)
    for piece in pieces(seed):
        written.append_markdown(piece)
        written.flush()
    assert lines(written) == lines(finished)
    assert "    return x  # ` and ~ and * stay" in finished.plain_text()


def test_what_is_finished_is_not_written_again(qtbot: QtBot, rendering: Rendering) -> None:
    """Only the open rest changes: a selection in what is finished stays, and so does its place in the document."""
    view = shown_view(qtbot, rendering)
    view.append_markdown("First paragraph.\n\nSecond one.\n\nThird ")
    view.flush()
    cursor = view.textCursor()
    cursor.setPosition(6)
    cursor.setPosition(15, QTextCursor.MoveMode.KeepAnchor)
    view.setTextCursor(cursor)
    changed: list[int] = []
    view.document().contentsChange.connect(lambda place, _removed, _added: changed.append(place))
    for _ in range(20):
        view.append_markdown("word ")
        view.flush()
    view.finish(view.source())
    qtbot.waitUntil(lambda: not view.busy)
    assert min(changed) >= len("First paragraph.")
    assert view.textCursor().selectedText() == "paragraph"


def test_open_code_grows_without_being_written_again(qtbot: QtBot, rendering: Rendering) -> None:
    view = shown_view(qtbot, rendering)
    view.append_markdown("```python\na = 1\n")
    view.flush()
    frame = view.codes[0].frame
    for number in range(30):
        view.append_markdown(f"b{number} = '`'\n")
        view.flush()
    assert view.codes[0].frame is frame
    assert len(view.codes) == 1
    view.append_markdown("```\n\nafter\n")
    view.flush()
    assert view.codes[0].source.startswith("a = 1\nb0 = '`'\n")
    assert view.codes[0].source.endswith("b29 = '`'")
    assert lines(view)[-1] == ("", "after")


def test_a_link_whose_address_comes_last_is_right_in_the_end(qtbot: QtBot, rendering: Rendering) -> None:
    text = "See [the page][p] first.\n\nThen more.\n\n[p]: https://example.com/page\n"
    view = shown_view(qtbot, rendering)
    for place in range(0, len(text), 9):
        view.append_markdown(text[place : place + 9])
        view.flush()
    assert "[the page][p]" in view.plain_text()
    view.finish(text)
    qtbot.waitUntil(lambda: "[p]" not in view.plain_text())
    assert view.plain_text() == "See the page first.\nThen more."


def test_a_continued_answer_goes_on_in_its_last_paragraph(qtbot: QtBot, rendering: Rendering) -> None:
    view = shown_view(qtbot, rendering, "One.\n\n```py\nx = 1\n")
    view.append_markdown("y = 2\n```\nend")
    view.flush()
    qtbot.waitUntil(lambda: not view.busy)
    assert view.codes[0].source == "x = 1\ny = 2"
    assert lines(view)[-1] == ("", "end")
    assert view.source() == "One.\n\n```py\nx = 1\ny = 2\n```\nend"


def test_a_long_answer_is_read_elsewhere_and_written_in_turns(qtbot: QtBot, rendering: Rendering) -> None:
    text = "\n\n".join(f"Paragraph {number} with **weight**." for number in range(900))
    view = shown_view(qtbot, rendering)
    view.finish(text)
    assert view.plain_text() == ""
    with qtbot.waitSignal(view.settled):
        pass
    assert view.plain_text().splitlines()[-1] == "Paragraph 899 with weight."
    assert len(view.plain_text().splitlines()) == 900


# ---- code --------------------------------------------------------------------------------------------------------


def test_code_gets_its_colours_and_a_button_that_copies_it(qtbot: QtBot, rendering: Rendering) -> None:
    view = shown_view(qtbot, rendering, SOURCE)
    qtbot.waitUntil(lambda: bool(colours(view, "def f(x)")))
    inks = DARK if view.style_of_text.dark else LIGHT
    assert colours(view, "def f(x)") >= {inks[Ink.KEYWORD], inks[Ink.NAME]}
    assert inks[Ink.COMMENT] in colours(view, "return x")
    button = view.findChildren(QPushButton, "copyCode")[0]
    assert button.accessibleName() == "Copy the code (python)"
    assert button.isVisible()
    assert view.codes[0].rect().contains(button.geometry().center())
    button.click()
    assert QGuiApplication.clipboard().text().startswith("def f(x):\n    return x  # ` and ~ and * stay\n\nprint")


def test_positions_of_colours_count_as_qt_counts(qtbot: QtBot, rendering: Rendering) -> None:
    view = shown_view(qtbot, rendering, "```python\n'🙂🙂' # c\n```")
    qtbot.waitUntil(lambda: bool(colours(view, "# c")))
    block = next(block for block in blocks(view) if "# c" in block.text())
    last = block.layout().formats()[-1]  # type: ignore[attr-defined]
    assert (last.start, last.length) == (7, 3)


@pytest.mark.parametrize(("inks", "palette"), [(LIGHT, LIGHT_PALETTE), (DARK, DARK_PALETTE)])
def test_colours_of_code_can_be_read(inks: dict[Ink, str], palette: dict) -> None:
    ground = QColor(palette[Role.AlternateBase])
    assert {ink: round(contrast(QColor(colour), ground), 1) for ink, colour in inks.items()} == {
        ink: pytest.approx(max(4.5, contrast(QColor(colour), ground)), abs=0.06) for ink, colour in inks.items()
    }
    assert set(inks) == set(Ink)


# ---- other marks -------------------------------------------------------------------------------------------------


def test_tasks_have_boxes(qtbot: QtBot, rendering: Rendering) -> None:
    view = shown_view(qtbot, rendering, SOURCE)
    marker = {block.text(): block.blockFormat().marker() for block in blocks(view)}
    assert marker["done"] is QTextBlockFormat.MarkerType.Checked
    assert marker["open"] is QTextBlockFormat.MarkerType.Unchecked
    assert marker["one"] is QTextBlockFormat.MarkerType.NoMarker


def room_before(view: AnswerText, text: str) -> int:
    """Empty columns between the text of a list item and its mark."""
    block = next(block for block in blocks(view) if block.text() == text)
    line = block.layout().lineAt(0).naturalTextRect().translated(block.layout().position())
    start, middle = round(line.left()), round(line.center().y())
    picture = view.grab().toImage()
    rows = range(middle - 3, middle + 4)
    ground = picture.pixelColor(picture.width() - 1, middle)
    empty = (all(picture.pixelColor(column, row) == ground for row in rows) for column in range(start - 1, -1, -1))
    return sum(1 for _ in itertools.takewhile(bool, empty))


def test_a_mark_keeps_a_distance_from_its_text(qtbot: QtBot, rendering: Rendering) -> None:
    view = shown_view(qtbot, rendering, "- one\n  - nested\n    - deeper\n- [x] done\n\n1. first")
    space = view.fontMetrics().horizontalAdvance(" ")
    room = {text: room_before(view, text) for text in ("one", "nested", "deeper", "done")}
    assert all(space < gap < 4 * space for gap in room.values()), (room, space)


def test_every_block_has_its_own_direction(qtbot: QtBot, rendering: Rendering) -> None:
    view = shown_view(qtbot, rendering, "English first.\n\nمرحبا بالعالم\n\n- עברית\n\n```\nשלום\n```")
    direction = {block.text(): block.textDirection().name for block in blocks(view) if block.text()}
    assert direction == {
        "English first.": "LeftToRight",
        "مرحبا بالعالم": "RightToLeft",
        "עברית": "RightToLeft",
        "שלום": "LeftToRight",
    }


def test_numbers_of_a_list_go_on_where_they_were_cut(qtbot: QtBot, rendering: Rendering) -> None:
    view = shown_view(qtbot, rendering)
    for piece in ("3. a\n", "1. b\n", "1. c\n", "\n", "1. d\n"):
        view.append_markdown(piece)
        view.flush()
    assert lines(view) == [("3.", "a"), ("4.", "b"), ("5.", "c"), ("6.", "d")]


def test_a_selection_is_copied_as_text(qtbot: QtBot, rendering: Rendering) -> None:
    view = shown_view(qtbot, rendering, "Two\n\n1. one 🙂\n2. two\n\n`x`")
    view.selectAll()
    data: QMimeData = view.createMimeDataFromSelection()
    assert data.text() == "Two\n1. one 🙂\n2. two\nx"
    assert not data.hasHtml()
    cursor = view.textCursor()
    cursor.setPosition(view.document().findBlockByNumber(1).position() + 4)
    cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
    view.setTextCursor(cursor)
    assert view.createMimeDataFromSelection().text() == "🙂"


def test_the_view_is_as_high_as_its_text(qtbot: QtBot, rendering: Rendering) -> None:
    view = shown_view(qtbot, rendering, "short")
    low = view.height()
    view.finish("word " * 400)
    assert view.height() > 5 * low
    assert view.height() >= view.document().size().height()


def test_another_theme_and_size_write_it_again_with_the_same_words(qtbot: QtBot, rendering: Rendering) -> None:
    view = shown_view(qtbot, rendering, SOURCE)
    before, height = view.plain_text(), view.height()
    view.setPalette(palette_of(DARK_PALETTE))
    font = view.font()
    font.setPointSizeF(font.pointSizeF() * 1.5)
    view.setFont(font)
    view.restyle()
    qtbot.waitUntil(lambda: not view.busy)
    assert view.plain_text() == before
    assert view.style_of_text.dark
    assert view.height() > 1.2 * height
    assert TextStyle(view.palette(), font).points == view.style_of_text.points


def test_a_sleeping_answer_is_as_high_and_wakes_whole(qtbot: QtBot, rendering: Rendering) -> None:
    view = shown_view(qtbot, rendering, SOURCE)
    before, height = view.plain_text(), view.height()
    view.sleep()
    assert view.plain_text() == ""
    assert view.height() == height
    view.wake()
    qtbot.waitUntil(lambda: not view.busy)
    assert view.plain_text() == before
    assert abs(view.height() - height) <= 2


def test_a_link_asks_before_anything_opens(qtbot: QtBot, rendering: Rendering) -> None:
    view = shown_view(qtbot, rendering, "[ok](https://example.com)")
    with qtbot.waitSignal(view.link_wanted) as asked:
        view.anchorClicked.emit(QUrl(view.anchorAt(QPoint(5, 8))))
    assert asked.args == [QUrl("https://example.com")]
    assert not view.openLinks()
