"""The list of messages: it follows, lets go, keeps the place, and holds about forty answers of a long talk."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QScrollArea, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from core.speed_card import NO_FIGURES, SpeedCard
from gui.bridge import Bridge
from gui.pages.chat.answer_text import AnswerText
from gui.pages.chat.message_list import MOST_ALIVE, MessageList
from gui.pages.chat.messages import Answer, Question
from gui.pages.chat.rendering import Rendering

TEXT = "A paragraph of an answer, long enough to fill more than one line of the list that it stands in.\n\n" * 4


class Talk:
    def __init__(self, bot: QtBot, rendering: Rendering) -> None:
        self.bot = bot
        self.rendering = rendering
        self.list = MessageList()
        bot.addWidget(self.list)
        self.list.resize(700, 500)
        self.list.show()
        area = self.list.findChild(QScrollArea)
        assert area is not None
        self.bar = area.verticalScrollBar()
        self.newest = self.list.findChildren(QPushButton, "toNewestButton")[0]

    def answer(self, text: str) -> Answer:
        made = Answer("model", "en", self.rendering)
        made.finish(text, "", NO_FIGURES, "", None)
        return made

    def fill(self, count: int = 12) -> None:
        for number in range(count):
            self.list.add(self.answer(f"Answer {number}.\n\n{TEXT}"))
        self.bot.waitUntil(self.at_end)

    def begun(self) -> Answer:
        """An answer of which nothing has come yet."""
        made = Answer("model", "en", self.rendering)
        self.list.add(made)
        self.bot.waitUntil(made.isVisible)
        return made

    def at_end(self) -> bool:
        return self.bar.maximum() > 0 and self.bar.value() == self.bar.maximum()

    def top(self, message: Answer) -> int:
        return message.mapTo(self.list, QPoint()).y()

    def wheel(self, turns: int, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """Over a message, and on to what is around it until somebody takes it: Qt does so for a real wheel only."""
        text = next(text for text in self.list.findChildren(AnswerText) if not text.visibleRegion().isEmpty())
        place = QPointF(text.visibleRegion().boundingRect().center())
        target: QWidget | None = text.viewport()
        while target is not None:
            event = QWheelEvent(
                place,
                QPointF(text.mapToGlobal(place.toPoint())),
                QPoint(),
                QPoint(0, 120 * turns),
                Qt.MouseButton.NoButton,
                modifier,
                Qt.ScrollPhase.NoScrollPhase,
                False,
            )
            event.ignore()
            QApplication.sendEvent(target, event)
            if event.isAccepted():
                return
            target = target.parentWidget()


@pytest.fixture
def talk(qtbot: QtBot, bridge: Bridge) -> Talk:
    return Talk(qtbot, Rendering(bridge))


def test_it_follows_until_the_reader_scrolls_up_and_again_with_the_button(qtbot: QtBot, talk: Talk) -> None:
    talk.fill()
    newest = talk.list.messages[-1]
    assert isinstance(newest, Answer)
    newest.add("More.\n\n" * 30, "", NO_FIGURES)
    qtbot.waitUntil(lambda: newest.height() > 700 and talk.at_end())
    assert not talk.newest.isVisible()

    talk.wheel(3)
    assert not talk.list.follows
    assert talk.newest.isVisible()
    place = talk.top(newest)
    height = newest.height()
    newest.add("Even more.\n\n" * 10, "", NO_FIGURES)
    qtbot.waitUntil(lambda: newest.height() > height + 100)
    assert talk.top(newest) == place

    talk.newest.click()
    assert talk.at_end()
    assert not talk.newest.isVisible()


def test_scrolling_to_the_end_follows_again(talk: Talk) -> None:
    talk.fill()
    talk.wheel(2)
    assert not talk.list.follows
    talk.wheel(-20)
    assert talk.list.follows


def test_nothing_moves_when_earlier_messages_come(qtbot: QtBot, talk: Talk) -> None:
    talk.fill()
    wanted: list[bool] = []
    talk.list.older_wanted.connect(lambda: wanted.append(True))
    talk.list.show_left_out(30)
    for _ in range(20):
        talk.wheel(20)
    assert wanted
    first = talk.list.messages[0]
    assert isinstance(first, Answer)
    place, count = talk.top(first), talk.bar.maximum()
    talk.list.put_first([talk.answer(f"Old {number}.\n\n{TEXT}") for number in range(20)])
    qtbot.waitUntil(lambda: talk.bar.maximum() > count + 2000)
    assert abs(talk.top(first) - place) <= 1


@pytest.mark.parametrize("change", ["theme", "zoom"])
def test_what_is_read_stays_in_sight_through_a_change_of_looks(qtbot: QtBot, talk: Talk, change: str) -> None:
    talk.fill(30)
    talk.wheel(25)
    read = next(message for message in talk.list.messages if talk.top(message) >= 0)  # type: ignore[arg-type]
    assert isinstance(read, Answer)
    place, height = talk.top(read), read.height()
    if change == "theme":
        talk.list.restyle()
    else:
        talk.wheel(1, Qt.KeyboardModifier.ControlModifier)
        talk.list.zoom(1)
        qtbot.waitUntil(lambda: read.height() > height)
    texts = talk.list.findChildren(AnswerText)
    qtbot.waitUntil(lambda: not talk.list.restyling and not any(text.busy for text in texts))
    assert abs(talk.top(read) - place) <= 2
    talk.list.zoom(0)


def test_the_newest_stays_in_sight_when_the_window_gets_narrow(qtbot: QtBot, talk: Talk) -> None:
    talk.fill()
    talk.list.resize(380, 500)
    qtbot.waitUntil(lambda: talk.list.width() == 380 and talk.at_end())


def test_the_oldest_beyond_forty_are_left_out_and_counted(qtbot: QtBot, talk: Talk) -> None:
    for number in range(MOST_ALIVE + 3):
        talk.list.add(Question(f"question {number}"))
    assert len(talk.list.messages) == MOST_ALIVE
    note = talk.list.findChildren(QLabel, "earlierMessages")[0]
    assert note.isVisible()
    assert note.text().startswith("3 earlier")
    talk.list.clear()
    assert not note.isVisible()


def test_answers_far_away_sleep_and_wake_when_somebody_comes(qtbot: QtBot, talk: Talk) -> None:
    talk.fill()
    talk.wheel(1)
    talk.list.put_first([talk.answer(f"Old {number}.\n\n{TEXT}") for number in range(60)])

    def held() -> int:
        return sum(
            bool(text.document().characterCount() > 1) for text in talk.list.findChildren(AnswerText, "answerText")
        )

    qtbot.waitUntil(lambda: held() < MOST_ALIVE)
    height = talk.bar.maximum()
    talk.bar.setValue(0)
    first = talk.list.messages[0].findChildren(AnswerText, "answerText")[0]
    qtbot.waitUntil(lambda: "Old 0." in first.plain_text())
    assert held() < MOST_ALIVE
    assert abs(talk.bar.maximum() - height) < 200


# ---- thinking ----------------------------------------------------------------------------------------------------


def fold(answer: Answer) -> QToolButton:
    return answer.findChildren(QToolButton, "answerReasoning")[0]


def thoughts(answer: Answer) -> AnswerText:
    return answer.findChildren(AnswerText, "thinkingText")[0]


def test_thinking_is_in_sight_while_it_runs_and_folded_after(qtbot: QtBot, talk: Talk) -> None:
    answer = talk.begun()
    assert not fold(answer).isVisible()
    answer.add("", "First I **think**. ", SpeedCard(completion_tokens=4))
    qtbot.waitUntil(lambda: thoughts(answer).plain_text() == "First I think.")
    assert thoughts(answer).isVisible()
    assert fold(answer).text() == "Thinking: 0:00 · 4 tokens"

    answer.add("The answer.", "", SpeedCard(completion_tokens=9, thinking_s=2.12, thinking_tokens=7))
    assert not thoughts(answer).isVisible()
    assert fold(answer).text() == "Thought for 2.1 s · 7 tokens"
    assert fold(answer).accessibleName() == fold(answer).text()
    answer.finish("The answer.", "First I **think**. ", SpeedCard(thinking_s=75.0, thinking_tokens=1234), "", None)
    assert fold(answer).text() == "Thought for 1:15 · 1,234 tokens"
    fold(answer).click()
    assert thoughts(answer).isVisible()
    assert thoughts(answer).plain_text().strip() == "First I think."


def test_a_fold_that_somebody_moved_stays(qtbot: QtBot, talk: Talk) -> None:
    answer = talk.begun()
    answer.add("", "Thoughts. ", NO_FIGURES)
    fold(answer).click()
    answer.add("", "More thoughts.", NO_FIGURES)
    assert not thoughts(answer).isVisible()
    fold(answer).click()
    qtbot.waitUntil(lambda: thoughts(answer).isVisible())
    answer.add("Text.", "", NO_FIGURES)
    assert thoughts(answer).isVisible()
    qtbot.waitUntil(lambda: thoughts(answer).plain_text() == "Thoughts. More thoughts.")


def test_thoughts_of_an_old_answer_are_not_formatted_before_somebody_looks(talk: Talk) -> None:
    answer = Answer("model", "en", talk.rendering)
    answer.finish("Text.", "Old **thoughts**.", NO_FIGURES, "", None)
    talk.list.add(answer)
    assert answer.findChildren(AnswerText, "thinkingText") == []
    fold(answer).click()
    assert thoughts(answer).plain_text() == "Old thoughts."


def test_what_turned_out_to_be_thinking_moves_there(qtbot: QtBot, talk: Talk) -> None:
    answer = talk.begun()
    answer.add("Hmm, let me see.", "", NO_FIGURES)
    answer.move_to_reasoning()
    answer.add("It is 4.", "", NO_FIGURES)
    fold(answer).click()
    qtbot.waitUntil(lambda: thoughts(answer).plain_text() == "Hmm, let me see.")
    text = answer.findChildren(AnswerText, "answerText")[0]
    qtbot.waitUntil(lambda: text.plain_text() == "It is 4.")
