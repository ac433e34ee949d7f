"""The Chat page in its states, for `screenshots.py`: conversations, versions, figures, the panel, search, no server."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from gui.app import App

Condition = Callable[[], bool]
Save = Callable[[str, "QWidget"], None]
QUESTIONS = ("Plan a weekend in Tbilisi", "Why is the sky blue?", "A short poem about the sea")


def chat_states(app: App, save: Save) -> Generator[Condition]:
    """A server runs, and one conversation has an answer already."""
    from PySide6.QtWidgets import QLineEdit, QListView, QPushButton

    from gui.dialogs.shortcut_list import ShortcutList

    window = app.window

    def shown(name: str) -> Condition:
        return lambda: any(one.isVisible() for one in window.findChildren(QPushButton, name))

    def press(name: str) -> None:
        next(one for one in window.findChildren(QPushButton, name) if one.isVisible()).click()

    def rows() -> int:
        model = window.findChildren(QListView, "conversationList")[0].model()
        return 0 if model is None else model.rowCount()

    for question in QUESTIONS:
        press("newConversationButton")
        yield shown("suggestion0")
        yield from _ask(app, question)
    yield lambda: rows() > len(QUESTIONS) + 1
    page = window.page("chat")
    press("message-again")
    yield shown("stopAnswerButton")
    yield shown("sendButton")
    yield _after(300)
    save("chat-versions", window)
    press("answerSpeedButton")
    yield shown("speedPlotButton")
    press("speedPlotButton")
    yield _after(200)
    save("chat-figures", window)
    press("answerSpeedButton")
    press("controlsButton")
    yield _after(300)
    save("chat-controls", window)
    press("controlsButton")
    if not page.findChildren(QListView, "conversationList")[0].isVisible():
        press("sidebarButton")
    page.findChildren(QLineEdit, "conversationSearch")[0].setText("capital")
    yield lambda: 0 < rows() < 20
    yield _after(400)
    save("chat-search", window)
    page.findChildren(QLineEdit, "conversationSearch")[0].clear()
    yield _after(200)
    save("chat-conversations", window)
    dialog = ShortcutList(window)
    dialog.open()
    yield _after(200)
    save("shortcuts", dialog)
    dialog.reject()


def _ask(app: App, text: str) -> Generator[Condition]:
    from PySide6.QtWidgets import QPlainTextEdit, QPushButton

    window = app.window
    window.findChildren(QPlainTextEdit, "chatInput")[0].setPlainText(text)
    next(one for one in window.findChildren(QPushButton, "sendButton") if one.isVisible()).click()
    yield lambda: window.findChildren(QPushButton, "stopAnswerButton")[0].isVisible()
    yield lambda: window.findChildren(QPushButton, "sendButton")[0].isVisible()


def _after(milliseconds: int) -> Condition:
    from PySide6.QtCore import QElapsedTimer

    clock = QElapsedTimer()
    clock.start()
    return lambda: clock.elapsed() >= milliseconds
