"""Answers as they are written: formatted bit by bit, the same in the end, and never a way out of the window."""

from __future__ import annotations

import random

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from gui.pages.chat.answer_text import AnswerText
from gui.pages.chat.markdown import Blocks, Look, MarkdownRenderer
from gui.pages.chat.message_list import MOST_ALIVE, MessageList
from gui.pages.chat.messages import Question

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

The end, with 日本語 and 🙂.
"""


@pytest.fixture
def renderer() -> MarkdownRenderer:
    return MarkdownRenderer(Look("grey", "mono", "grey"))


def pieces(seed: int) -> list[str]:
    chance = random.Random(seed)
    found: list[str] = []
    rest = SOURCE
    while rest:
        size = chance.choice((1, 2, 3, 7, 20, 60))
        found.append(rest[:size])
        rest = rest[size:]
    return found


@pytest.mark.parametrize("seed", range(20))
def test_blocks_joined_are_the_whole_text(renderer: MarkdownRenderer, seed: int) -> None:
    blocks = Blocks(renderer)
    closed: list[str] = []
    rest = ""
    for piece in pieces(seed):
        finished, rest = blocks.feed(piece)
        closed += finished
    assert [*closed, *([rest] if rest else [])] == renderer.blocks(SOURCE)


def lines(view: AnswerText) -> list[tuple[str, str]]:
    """Every line with a text or a mark of its own: (its list's mark, its text)."""
    found: list[tuple[str, str]] = []
    block = view.document().begin()
    while block.isValid():
        mark = block.textList().itemText(block) if block.textList() is not None else ""
        if mark or block.text().strip():
            found.append((mark, block.text().strip()))
        block = block.next()
    return found


@pytest.mark.parametrize("seed", range(8))
def test_the_text_while_written_reads_like_the_finished_one(qtbot: QtBot, seed: int) -> None:
    written, finished = AnswerText(), AnswerText()
    qtbot.addWidget(written)
    qtbot.addWidget(finished)
    for piece in pieces(seed):
        written.append_markdown(piece)
        written.flush()
    finished.finish(SOURCE)

    assert lines(written) == lines(finished)
    assert "return x  # ` and ~ and * stay" in finished.toPlainText().replace("\u00a0", " ")


def test_html_images_and_odd_links_do_not_pass(renderer: MarkdownRenderer) -> None:
    shown = renderer.html(
        "<script>x</script> <img src=http://a/b.png>\n\n![alt](http://a/b.png) ![f](file:///etc/passwd)\n\n"
        "[j](javascript:alert(1)) [f](file:///etc/passwd) [ok](https://example.com)"
        " [t](ftp://example.com) [r](settings.json) [d](data:text/plain,x)"
    )
    assert "<script" not in shown
    assert "<img" not in shown
    assert "[alt]" in shown
    assert shown.count("<a ") == 1
    assert 'href="https://example.com"' in shown


def test_nothing_is_ever_loaded(qtbot: QtBot, tmp_path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret", encoding="utf-8")
    view = AnswerText()
    qtbot.addWidget(view)
    assert view.loadResource(2, QUrl.fromLocalFile(str(secret))) is None
    view.setHtml(f'<img src="{secret.as_uri()}">')
    assert "secret" not in view.toPlainText()


def test_a_link_asks_before_anything_opens(qtbot: QtBot) -> None:
    view = AnswerText()
    qtbot.addWidget(view)
    view.finish("[ok](https://example.com)")
    with qtbot.waitSignal(view.link_wanted) as asked:
        view.anchorClicked.emit(QUrl("https://example.com"))
    assert asked.args == [QUrl("https://example.com")]
    assert not view.openLinks()


def test_the_view_is_as_high_as_its_text(qtbot: QtBot) -> None:
    view = AnswerText()
    qtbot.addWidget(view)
    view.resize(400, 50)
    view.show()
    view.finish("short")
    low = view.height()
    view.finish("word " * 400)
    assert view.height() > 5 * low
    assert view.height() >= view.document().size().height()


def test_a_long_conversation_keeps_the_newest_and_says_how_many_it_left_out(qtbot: QtBot) -> None:
    messages = MessageList()
    qtbot.addWidget(messages)
    messages.show()
    for number in range(MOST_ALIVE + 3):
        messages.add(Question(f"question {number}"))

    def shown() -> list[str]:
        return [text.toPlainText() for text in messages.findChildren(AnswerText) if text.isVisible()]

    qtbot.waitUntil(lambda: len(shown()) == MOST_ALIVE)
    assert shown()[0] == "question 3"
    note = messages.findChildren(QLabel, "earlierMessages")[0]
    assert note.isVisible()
    assert note.text().startswith("3 earlier")
    messages.clear()
    assert not note.isVisible()
