"""Questions and answers: asked, changed, asked again, continued, taken away; the file holds what is shown."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QScrollArea, QTextBrowser, QWidget
from pytestqt.qtbot import QtBot

from core.chat.tree import Message, to_markdown
from core.events import FinishReason, ServerState
from core.paths import Paths
from core.settings import SettingsStore
from gui.pages.chat.verbs import Verb
from tests.gui.chatting import Chatting
from tests.support.fake_chat_server import fake_chat, seen

SEA = ("--text", "The **sea** is wide.")


@contextmanager
def chatting(bot: QtBot, home: Paths, *switches: str) -> Iterator[Chatting]:
    with fake_chat(*(switches or SEA)) as endpoint:
        made = Chatting(bot, home)
        made.serve(endpoint)
        yield made
        made.close()


@pytest.fixture
def chat(qtbot: QtBot, home: Paths) -> Iterator[Chatting]:
    with chatting(qtbot, home) as made:
        yield made


def version(chat: Chatting, place: int) -> str:
    label = chat.widget(place).findChild(QLabel, "messageVersion")
    return label.text() if isinstance(label, QLabel) and label.isVisible() else ""


def left_of(chat: Chatting, widget: QWidget) -> int:
    """Where its words or its picture begin."""
    inset = (widget.width() - widget.iconSize().width()) // 2 if isinstance(widget, QPushButton) else 0
    return widget.mapTo(chat.page, widget.contentsRect().topLeft()).x() + inset


def carded(parent: QWidget, kind: str) -> QFrame:
    return next(frame for frame in parent.findChildren(QFrame) if frame.property("card") == kind)


@pytest.mark.parametrize("size", [(640, 560), (1500, 900)])
def test_all_of_an_answer_begins_where_the_composer_does(chat: Chatting, size: tuple[int, int]) -> None:
    chat.page.resize(*size)
    chat.ask("one")
    chat.use(1, Verb.COPY)
    answer = chat.widget(1)
    copy = answer.findChild(QPushButton, "message-copy")
    parts = [*answer.findChildren(QTextBrowser, "answerText"), *answer.findChildren(QLabel, "answerStats"), copy]
    card = carded(chat.page.composer, "composer")
    starts = [left_of(chat, part) for part in (*parts, card) if part is not None]
    assert max(starts) - min(starts) <= 3, starts  # a picture has some air of its own
    ends = [frame.mapTo(chat.page, frame.rect().topRight()).x() for frame in (carded(chat.widget(0), "bubble"), card)]
    assert abs(ends[0] - ends[1]) <= 1, ends
    assert chat.find(QPushButton, "answerSpeedButton").x() > chat.find(QLabel, "answerStats").x()


def test_an_edited_question_is_a_version_beside_the_old_one(chat: Chatting) -> None:
    chat.ask("one")
    chat.ask("two")
    chat.use(0, Verb.EDIT)
    assert chat.box.toPlainText() == "one"
    assert chat.sees("editingBar")
    chat.ask("one, better")
    assert not chat.sees("editingBar")
    assert chat.questions == ["one, better"]
    assert version(chat, 0) == "2/2"
    chat.use(0, Verb.OLDER)
    chat.until(lambda: chat.questions == ["one", "two"])
    assert version(chat, 0) == "1/2"
    chat.use(0, Verb.NEWER)
    chat.until(lambda: chat.questions == ["one, better"])
    assert chat.said() == ["one, better", "The **sea** is wide."]


def test_a_change_that_is_given_up_brings_the_draft_back(chat: Chatting) -> None:
    chat.ask("one")
    chat.type("my draft")
    chat.use(0, Verb.EDIT)
    assert chat.box.toPlainText() == "one"
    chat.bot.keyClick(chat.box, Qt.Key.Key_Escape)
    assert chat.box.toPlainText() == "my draft"
    assert not chat.sees("editingBar")
    assert chat.said() == ["one", "The **sea** is wide."]


def test_another_answer_stands_beside_the_first(chat: Chatting) -> None:
    chat.ask("one")
    first = chat.last().id
    chat.use(1, Verb.AGAIN)
    chat.until(lambda: len(chat.chats.ends) == 2)
    chat.settled()
    assert version(chat, 1) == "2/2"
    assert chat.answers == ["The sea is wide."]
    chat.use(1, Verb.OLDER)
    chat.until(lambda: version(chat, 1) == "1/2")
    assert chat.last().id == first


def test_a_cut_answer_goes_on_in_its_place(qtbot: QtBot, home: Paths) -> None:
    with chatting(qtbot, home, "--tokens", "6", "--finish", "length") as chat:
        chat.ask("one")
        assert "stopped at the length limit" in chat.text("answerStats")
        before = chat.last()
        chat.use(1, Verb.GO_ON)
        chat.until(lambda: len(chat.chats.ends) == 2)
        chat.settled()
        after = chat.last()
        assert after.id == before.id
        assert after.content.startswith(before.content)
        assert len(after.content) > len(before.content)
        assert len(chat.answers) == 1
        assert chat.answers[0].split() == after.content.split()


def test_a_deleted_turn_comes_back(chat: Chatting) -> None:
    chat.ask("one")
    chat.ask("two")
    chat.use(0, Verb.DELETE)
    chat.until(lambda: chat.questions == ["two"])
    assert chat.said() == ["two", "The **sea** is wide."]
    assert chat.sees("turnUndo")
    chat.press("turnUndoUndo")
    chat.until(lambda: chat.questions == ["one", "two"])
    assert len(chat.said()) == 4


def test_a_message_is_copied_as_it_was_written(chat: Chatting) -> None:
    chat.ask("one")
    chat.use(1, Verb.COPY)
    assert QGuiApplication.clipboard().text() == "The **sea** is wide."


def test_stop_ends_the_answer_and_keeps_what_came(qtbot: QtBot, home: Paths) -> None:
    with chatting(qtbot, home, "--tokens", "2000", "--rate", "50") as chat:
        chat.send("one")
        chat.until(lambda: bool(chat.answers) and len(chat.answers[0]) > 10)
        chat.bot.keyClick(chat.box, Qt.Key.Key_Escape)
        chat.settled()
        assert "stopped by you" in chat.text("answerStats")
        assert 10 < len(chat.last().content) < 5000
        assert chat.last().finish is FinishReason.CANCELLED


def test_nothing_is_sent_without_a_server_and_nothing_is_lost(qtbot: QtBot, home: Paths) -> None:
    chat = Chatting(qtbot, home)
    assert chat.sees("goLaunchButton")
    chat.send("a question")
    assert chat.box.toPlainText() == "a question"
    assert not chat.page.messages.messages
    with qtbot.waitSignal(chat.presenter.launch_wanted):
        chat.press("goLaunchButton")
    chat.close()


def test_a_refused_question_is_given_back(chat: Chatting) -> None:
    chat.ask("one")
    chat.chats.endpoint = None  # gone, and nobody said so yet
    chat.send("two")
    chat.until(lambda: chat.sees("errorBanner"))
    assert chat.box.toPlainText() == "two"
    assert chat.questions == ["one"]
    assert chat.said() == ["one", "The **sea** is wide."]


def test_a_server_that_dies_leaves_a_marked_answer_that_goes_on_after_a_launch(qtbot: QtBot, home: Paths) -> None:
    with chatting(qtbot, home, "--tokens", "40", "--drop-after", "8") as chat:
        chat.send("one")
        chat.until(lambda: bool(chat.chats.ends))
        chat.no_server(ServerState.FAILED)
        chat.settled()
        part = chat.last()
        assert part.finish is FinishReason.ERROR
        assert part.content
        assert chat.sees("answerBanner")
        assert "cut off" in chat.text("answerStats")
        assert "cut off" in chat.text("chatStateText")
        with qtbot.waitSignal(chat.presenter.relaunch_wanted) as asked:
            chat.press("chatStateFirst")
        assert asked.args == ["starter"]
        chat.no_server(ServerState.STARTING)
        chat.until(lambda: "starting" in chat.text("chatStateText"))
        with fake_chat("--text", " and so on.") as another:
            chat.serve(another)
            chat.until(lambda: len(chat.chats.ends) == 2)
            chat.settled()
            whole = chat.last()
            assert (whole.id, whole.finish) == (part.id, FinishReason.STOP)
            assert whole.content == f"{part.content} and so on."
            assert not chat.sees("answerBanner")
            assert not chat.sees("chatState")
            assert seen(another)[-1]["continue_final_message"] is True


def test_a_cut_answer_can_be_continued_at_once(qtbot: QtBot, home: Paths) -> None:
    with chatting(qtbot, home, "--tokens", "40", "--drop-after", "8") as chat:
        chat.send("one")
        chat.until(lambda: bool(chat.chats.ends))
        chat.settled()
        assert chat.text("chatStateText") == "The last answer was cut off."
        with fake_chat("--text", " and so on.") as another:
            chat.serve(another)
            chat.press("chatStateFirst")
            chat.until(lambda: len(chat.chats.ends) == 2)
            chat.settled()
            assert chat.last().content.endswith(" and so on.")


def test_an_answer_elsewhere_is_told_and_can_be_stopped_or_looked_at(qtbot: QtBot, home: Paths) -> None:
    with chatting(qtbot, home, "--tokens", "2000", "--rate", "50") as chat:
        chat.send("one long question")
        chat.until(lambda: bool(chat.answers) and len(chat.answers[0]) > 10)
        first = chat.presenter.current.id
        chat.presenter.current.new()
        chat.until(lambda: chat.presenter.current.id != first)
        chat.until(lambda: "one long question" in chat.text("chatStateText"))
        chat.type("meanwhile")
        assert not chat.find(QPushButton, "sendButton").isEnabled()
        chat.press("chatStateFirst")
        chat.until(lambda: chat.presenter.current.id == first)
        here = len(chat.answers[0])
        chat.until(lambda: len(chat.answers[0]) > here + 10)
        assert chat.sees("stopAnswerButton")
        chat.press("stopAnswerButton")
        chat.settled()
        assert chat.answers[0].split() == chat.last().content.split()


def test_two_pages_of_one_conversation_do_not_diverge(qtbot: QtBot, home: Paths) -> None:
    with chatting(qtbot, home) as one:
        one.ask("one")
        assert one.chats.endpoint is not None
        other = Chatting(qtbot, home)
        other.serve(one.chats.endpoint)
        other.until(lambda: other.questions == ["one"])
        one.ask("two")
        other.until(lambda: other.questions == ["one", "two"])
        assert other.said() == one.said()
        other.close()


def test_older_messages_come_when_the_reader_scrolls_up(chat: Chatting) -> None:
    conversation = chat.presenter.current.id
    turns = [Message(role, f"{role} {n}") for n in range(45) for role in ("user", "assistant")]
    file = chat.chats.path.with_name("long.md")
    file.write_text(to_markdown(turns, "long"), encoding="utf-8")
    (info,) = chat.result(chat.chats.verbs.import_file, str(file))
    assert info.id != conversation
    chat.presenter.current.open(info.id)
    chat.until(lambda: len(chat.page.messages.messages) == 40)
    assert chat.questions[-1] == "user 44"
    assert chat.text("earlierMessages").startswith("50 earlier")
    area = chat.page.messages.findChild(QScrollArea)
    assert isinstance(area, QScrollArea)
    chat.until(lambda: area.verticalScrollBar().maximum() > 0)
    area.verticalScrollBar().setValue(0)
    chat.until(lambda: len(chat.page.messages.messages) == 80)
    chat.until(lambda: chat.questions[0] == "user 5")
    # What was loaded stays when the conversation changes.
    kept = chat.widget(0)
    chat.use(79, Verb.DELETE)
    chat.until(lambda: len(chat.page.messages.messages) == 79)
    assert chat.widget(0) is kept


def test_the_size_of_the_text_is_kept_for_the_next_start(qtbot: QtBot, home: Paths) -> None:
    with chatting(qtbot, home, "--text", "One two.") as chat:
        chat.ask("one")
        usual = chat.find(QTextBrowser, "answerText").font().pointSizeF()
        for _ in range(2):
            chat.page.zoom_wanted.emit(1)
        chat.until(lambda: SettingsStore(home.settings_file).current.chat_zoom == 125)
        assert chat.find(QTextBrowser, "answerText").font().pointSizeF() == pytest.approx(1.25 * usual)
    with chatting(qtbot, home) as later:
        later.until(lambda: later.answers == ["One two."])
        for name in ("answerText", "questionText"):
            assert later.find(QTextBrowser, name).font().pointSizeF() == pytest.approx(1.25 * usual)
        later.page.zoom_wanted.emit(0)
        later.until(lambda: SettingsStore(home.settings_file).current.chat_zoom == 100)
