"""The chat without a mouse and without eyes, in long words and from right to left: nothing is cut off or nameless."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, Qt, QTranslator
from PySide6.QtGui import QAccessible, QShortcut
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QLineEdit, QPushButton, QScrollArea, QTextBrowser, QWidget
from pytestqt.qtbot import QtBot

from core.engine.endpoint import Endpoint
from core.events import ServerState
from core.paths import Paths
from gui import shortcuts
from gui.dialogs.shortcut_list import ShortcutList
from gui.pages.chat.message_tools import MessageTools
from gui.pages.chat.speed_line import SpeedDetails
from gui.pages.chat.verbs import Verb
from gui.window import BUDGET_HEIGHT, SIDE_WIDTH, SMALLEST, STATUS_HEIGHT
from tests.gui.chatting import Chatting
from tests.gui.conftest import Window
from tests.gui.test_access import cut_off, nameless
from tests.support.fake_chat_server import fake_chat

# What the window leaves to a page at its smallest.
ROOM = (SMALLEST[0] - SIDE_WIDTH, SMALLEST[1] - BUDGET_HEIGHT - STATUS_HEIGHT)


class Stretched(QTranslator):
    """Every text half as long again, as the longest of languages; placeholders stay."""

    def translate(self, _context: str, source: str, _comment: str | None = None, number: int = -1) -> str:
        filler = "~" * max(2, len(source) // 2)
        return f"{source}{filler}".replace("%Ln", str(number))

    def isEmpty(self) -> bool:
        return False


@pytest.fixture
def stretched(qapp: QApplication) -> Iterator[None]:
    translator = Stretched()
    qapp.installTranslator(translator)
    yield
    qapp.removeTranslator(translator)


@pytest.fixture
def right_to_left(qapp: QApplication) -> Iterator[None]:
    qapp.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    yield
    qapp.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


@pytest.fixture
def chat(qtbot: QtBot, home: Paths, server: Endpoint) -> Iterator[Chatting]:
    made = Chatting(qtbot, home)
    yield made
    made.close()


@pytest.fixture(scope="module")
def server() -> Iterator[Endpoint]:
    with fake_chat("--text", "The **sea** is wide.", "--reasoning", "1", "--adapter", "poet") as endpoint:
        yield endpoint


def states(chat: Chatting, server: Endpoint) -> Iterator[str]:
    """The page in every state that it has, one after another."""
    yield "no server"
    chat.serve(server)
    yield "empty"
    chat.ask("a question that is somewhat longer than the others")
    chat.use(1, Verb.AGAIN)
    chat.until(lambda: len(chat.chats.ends) == 2)
    chat.settled()
    for message in chat.page.messages.messages:
        message.findChildren(MessageTools)[0].wake()
    yield "answered"
    chat.use(0, Verb.EDIT)
    yield "editing"
    chat.press("cancelEditButton")
    chat.press("controlsButton")
    chat.until(lambda: chat.sees("adapterChoice"))
    yield "controls"
    chat.press("controlsButton")
    if not chat.page.sidebar.isVisible():
        chat.press("sidebarButton")
    yield "conversations"
    chat.use(0, Verb.DELETE)
    chat.until(lambda: chat.sees("turnUndo"))
    yield "deleted"
    chat.press("turnUndoUndo")
    chat.until(lambda: bool(chat.answers))
    chat.no_server(ServerState.IDLE)
    chat.until(lambda: chat.sees("chatState"))
    yield "server gone"


def look(bot: QtBot, home: Paths, server: Endpoint, language: str = "en") -> dict[str, list[str]]:
    chat = Chatting(bot, home, language=language)
    chat.page.resize(*ROOM)
    problems: dict[str, list[str]] = {}
    for state in states(chat, server):
        chat.bot.wait(30)
        assert chat.page.size().toTuple() == ROOM, state
        # The meter may give up its bar.
        cut = [problem for problem in cut_off(chat.page) if "contextButton" not in problem]
        if found := [*cut, *outside(chat.page), *overlapping(chat.page)]:
            problems[state] = found
    chat.close()
    return problems


def outside(root: QWidget) -> list[str]:
    """Visible buttons and labels that stick out of what holds them."""
    found = [
        f"{inside.width()} pixels in a view of {area.viewport().width()}"
        for area in root.findChildren(QScrollArea)
        if (inside := area.widget()) is not None and area.isVisible() and inside.width() > area.viewport().width()
    ]
    for widget in root.findChildren(QWidget):
        holder = widget.parentWidget()
        if not isinstance(widget, QPushButton | QLabel) or not widget.isVisible() or holder is None:
            continue
        if not holder.rect().contains(widget.geometry()):
            found.append(f"{widget.objectName()!r} {widget.geometry().getRect()} in {holder.rect().getRect()}")
    return found


def overlapping(root: QWidget) -> list[str]:
    """Visible siblings of one layout that lie on each other."""
    found = []
    for holder in [root, *root.findChildren(QWidget)]:
        layout = holder.layout()
        if layout is None or not holder.isVisible():
            continue
        items = [layout.itemAt(n) for n in range(layout.count())]
        widgets = [item.widget() for item in items if item is not None]
        shown = [widget for widget in widgets if widget is not None and widget.isVisible()]
        for place, one in enumerate(shown):
            for other in shown[place + 1 :]:
                if one.geometry().intersects(other.geometry()):
                    found.append(f"{one.objectName() or type(one)} on {other.objectName() or type(other)}")
    return found


def test_every_control_has_a_name_in_every_state(chat: Chatting, server: Endpoint) -> None:
    problems = {state: found for state in states(chat, server) if (found := nameless(chat.page))}
    assert problems == {}


@pytest.mark.parametrize("language", ["en", "ru"])
def test_nothing_is_cut_off(qtbot: QtBot, home: Paths, server: Endpoint, language: str, qapp: QApplication) -> None:
    from gui.languages import speak

    owner = QWidget()
    speak(qapp, language, owner)
    problems = look(qtbot, home, server, language)
    owner.deleteLater()
    assert problems == {}


@pytest.mark.usefixtures("stretched")
def test_nothing_is_cut_off_in_a_language_of_long_words(qtbot: QtBot, home: Paths, server: Endpoint) -> None:
    assert QCoreApplication.translate("Composer", "Send").startswith("Send~")
    assert look(qtbot, home, server) == {}


@pytest.mark.usefixtures("right_to_left")
def test_nothing_is_cut_off_from_right_to_left(qtbot: QtBot, home: Paths, server: Endpoint) -> None:
    assert look(qtbot, home, server) == {}


def test_a_screen_reader_hears_who_said_what(chat: Chatting, server: Endpoint) -> None:
    chat.serve(server)
    chat.ask("how wide is the sea?")
    heard = []
    for name in ("questionText", "answerText"):
        interface = QAccessible.queryAccessibleInterface(chat.find(QTextBrowser, name))
        assert interface is not None
        text = interface.textInterface()
        assert text is not None
        heard.append((interface.text(QAccessible.Text.Name), text.text(0, text.characterCount())))
    assert heard[0] == ("You said", "how wide is the sea?")
    assert heard[1][0].startswith("Answer")
    assert heard[1][1].endswith(" is wide.")
    chat.until(lambda: len(chat.titles) == 1)
    row = QAccessible.queryAccessibleInterface(chat.list).child(1)
    assert row is not None
    assert row.text(QAccessible.Text.Name).startswith("how wide is the sea?")


def test_tab_reaches_the_tools_of_a_message_and_a_key_uses_them(chat: Chatting, server: Endpoint) -> None:
    chat.serve(server)
    chat.ask("one")
    chat.ask("two")
    with chat.bot.waitActive(chat.page):
        chat.page.activateWindow()
    first = chat.widget(0)
    tools = first.findChild(MessageTools)
    assert isinstance(tools, MessageTools)
    text = first.findChild(QTextBrowser, "questionText")
    assert isinstance(text, QTextBrowser)
    text.setFocus()
    seen: list[str] = []
    for _ in range(6):
        chat.bot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        focused = QApplication.focusWidget()
        assert focused is not None
        seen.append(focused.objectName())
    assert seen[:3] == ["message-copy", "message-edit", "message-delete"]
    button = first.findChild(QPushButton, "message-edit")
    assert isinstance(button, QPushButton)
    button.setFocus()
    chat.bot.keyClick(button, Qt.Key.Key_Space)
    assert chat.box.toPlainText() == "one"


def test_the_keys_of_the_list_are_the_keys_that_work(chat: Chatting, server: Endpoint) -> None:
    chat.serve(server)
    chat.ask("one")
    chat.until(lambda: len(chat.titles) == 1)
    with chat.bot.waitActive(chat.page):
        chat.page.activateWindow()
    working = {one.key().toString() for one in chat.page.findChildren(QShortcut)}
    own = {"Return", "Shift+Return", "Esc"}  # the message field hears them itself
    assert {key for keys in shortcuts.CHAT.values() for key in keys} - own == working
    control = Qt.KeyboardModifier.ControlModifier
    chat.bot.keyClick(chat.page, Qt.Key.Key_F, control)
    assert QApplication.focusWidget() is chat.find(QLineEdit, "conversationSearch")
    chat.bot.keyClick(chat.page, Qt.Key.Key_B, control)
    assert not chat.page.sidebar.isVisible()
    chat.bot.keyClick(chat.page, Qt.Key.Key_Period, control)
    assert chat.page.controls.isVisible()
    chat.bot.keyClick(chat.page, Qt.Key.Key_Period, control)
    assert QApplication.focusWidget() is chat.box
    chat.bot.keyClick(chat.page, Qt.Key.Key_E, control)
    assert chat.box.toPlainText() == "one"
    chat.bot.keyClick(chat.box, Qt.Key.Key_Escape)
    chat.bot.keyClick(chat.page, Qt.Key.Key_R, control)
    chat.until(lambda: len(chat.chats.ends) == 2)
    chat.settled()
    chat.bot.keyClick(chat.page, Qt.Key.Key_C, control | Qt.KeyboardModifier.ShiftModifier)
    assert "sea" in QApplication.clipboard().text()
    chat.bot.keyClick(chat.page, Qt.Key.Key_N, control)
    chat.until(lambda: chat.questions == [])


def test_the_list_of_shortcuts_opens_with_its_key(window: Window) -> None:
    with window.bot.waitActive(window.main):
        window.main.activateWindow()
    window.bot.keyClick(window.main, Qt.Key.Key_Slash, Qt.KeyboardModifier.ControlModifier)
    window.until(lambda: window.sees("shortcutList"))
    dialog = window.find(QDialog, "shortcutList")
    texts = [label.text() for label in dialog.findChildren(QLabel)]
    assert len(texts) == 3 + 2 * sum(len(lines) for _, lines in shortcuts.groups())
    assert "Ctrl+N" in texts
    assert cut_off(dialog) == []
    assert nameless(dialog) == []
    window.press("shortcutListClose")
    window.until(lambda: window.main.findChild(ShortcutList) is None)


def test_the_figures_of_an_answer_open_and_close_with_a_key(chat: Chatting, server: Endpoint) -> None:
    chat.serve(server)
    chat.ask("one")
    button = chat.find(QPushButton, "answerSpeedButton")
    chat.bot.keyClick(button, Qt.Key.Key_Space)
    details = chat.page.findChild(SpeedDetails)
    assert isinstance(details, SpeedDetails)
    chat.until(details.isVisible)
    words = [label.text() for label in details.findChildren(QLabel)]
    assert "Time to first token" in words
    assert "Writing speed" in words
    assert details.findChildren(QLabel, "speedReconciled")
    assert nameless(details) == []
    chat.until(lambda: cut_off(details) == [])
    chat.bot.keyClick(button, Qt.Key.Key_Space)
    chat.until(lambda: chat.page.findChild(SpeedDetails) is None)
