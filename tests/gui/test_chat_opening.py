"""A conversation that is opened shows its end first; what is above it comes later and moves nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from core.paths import Paths
from gui.pages.chat.message_list import MOST_ALIVE
from tests.gui.chatting import Chatting
from tests.support.chat_corpus import SECTION
from tests.support.chat_history import line_of, put

TURNS = 60


@pytest.fixture
def chatting(qtbot: QtBot, home: Paths, request: pytest.FixtureRequest) -> Iterator[Chatting]:
    """With long answers, or those that the test wants."""
    home.ensure()
    answer = getattr(request, "param", SECTION)
    texts = [(f"Question {n}?", answer.format(number=n)) for n in range(TURNS)]
    put(home.data / "conversations.db", (line_of(texts, "Long"),))
    made = Chatting(qtbot, home)
    yield made
    made.close()


def area(chatting: Chatting) -> QScrollArea:
    return chatting.page.messages.findChildren(QScrollArea)[0]


def place(chatting: Chatting, message: QWidget) -> int:
    return message.mapTo(area(chatting).viewport(), QPoint()).y()


def whole(chatting: Chatting) -> bool:
    return len(chatting.page.messages.messages) == MOST_ALIVE


def test_the_end_is_there_first_and_stays_in_sight(chatting: Chatting) -> None:
    chatting.until(lambda: bool(chatting.page.messages.messages))
    at_first = chatting.page.messages.messages
    assert len(at_first) < MOST_ALIVE / 2
    assert chatting.questions[-1] == f"Question {TURNS - 1}?"
    chatting.until(lambda: whole(chatting))
    assert chatting.page.messages.messages[-len(at_first) :] == at_first
    shown = [f"Question {n}?" for n in range(TURNS - MOST_ALIVE // 2, TURNS)]
    chatting.until(lambda: chatting.questions == shown)
    bar = area(chatting).verticalScrollBar()
    chatting.until(lambda: bar.maximum() > 0 and bar.value() == bar.maximum())


@pytest.mark.parametrize("chatting", ["Short answer {number}."], indirect=True)
def test_who_reads_further_up_meanwhile_stays_there(chatting: Chatting) -> None:
    bar = area(chatting).verticalScrollBar()
    chatting.until(lambda: bar.maximum() > 100)
    bar.setValue(bar.maximum() - 60)
    assert not chatting.page.messages.follows
    assert not whole(chatting)
    seen = next(message for message in chatting.page.messages.messages if place(chatting, message) >= 0)
    before = place(chatting, seen)
    chatting.until(lambda: whole(chatting))
    chatting.until(lambda: place(chatting, seen) == before)
    assert bar.maximum() > 1000


def test_a_verb_on_what_is_not_made_yet_finds_it(chatting: Chatting) -> None:
    """A search hit far above, an answer to a question: they do not wait for the rest."""
    chatting.until(lambda: bool(chatting.presenter.turns.messages))
    first = chatting.presenter.turns.messages[0]
    chatting.presenter.turns.bring(first.id)
    assert whole(chatting)
    chatting.until(lambda: 0 <= place(chatting, chatting.widget(0)) < 60)
