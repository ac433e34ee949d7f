"""Another language chosen in the settings: the whole window speaks it at once, and nothing that runs ends."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTextBrowser,
    QWidget,
)

from gui.window import PAGES
from tests.gui.conftest import Window
from tests.support.fake_engine import FakeEngine

CATALOGUE = Path(__file__).parents[2] / "resources" / "translations" / "stowage_ru.ts"


def english() -> frozenset[str]:
    """Texts of the window that are not the same in Russian."""
    found: set[str] = set()
    for message in ET.parse(CATALOGUE).iter("message"):
        source, russian = message.findtext("source") or "", message.findtext("translation") or ""
        if russian and russian != source:
            found.add(source)
    return frozenset(found)


def texts(window: Window) -> set[str]:
    """Everything that stands in the window or is said of it, on the page that is shown."""
    found: set[str] = set()
    for widget in window.main.findChildren(QWidget):
        if not widget.isVisible():
            continue
        found |= {widget.accessibleName(), widget.toolTip()}
        if isinstance(widget, QLabel | QAbstractButton):
            found.add(widget.text().strip("\u2002"))
        if isinstance(widget, QLineEdit | QPlainTextEdit):
            found.add(widget.placeholderText())
        if isinstance(widget, QComboBox):
            found |= {widget.itemText(number) for number in range(widget.count())}
    return found - {""}


def choose(window: Window, setting: str, value: str) -> None:
    window.go("settings")
    box = window.find(QComboBox, f"{setting}Box")
    place = box.findData(value)
    box.setCurrentIndex(place)
    box.activated.emit(place)


def switch(window: Window, language: str) -> None:
    before = window.main.inside
    with window.bot.waitSignal(window.app.filled, timeout=30_000):
        choose(window, "language", language)
    assert window.main.inside is not before


def ask(window: Window, text: str) -> None:
    box = window.find(QPlainTextEdit, "chatInput")
    box.setPlainText(text)
    window.bot.keyClick(box, Qt.Key.Key_Return)


def answers(window: Window) -> list[str]:
    return [part.toPlainText() for part in window.main.findChildren(QTextBrowser, "answerText")]


def test_the_whole_window_changes_and_what_runs_goes_on(window: Window, engine: FakeEngine, model: Path) -> None:
    window.add_engine(engine)
    window.add_model(model)
    window.launch_until_ready(model)
    assert window.app.services is not None
    server = window.app.services.server_status
    window.press("openChatButton")
    ask(window, "one two three")
    window.until(lambda: window.sees("sendButton") and "echo: one two three" in answers(window))
    window.find(QPlainTextEdit, "chatInput").setPlainText("half a thought")

    switch(window, "ru")
    assert window.main.shown_page == "settings"
    assert window.app.language == "ru"
    focused = window.main.focusWidget()
    assert focused is not None
    assert focused.objectName() == "languageBox"
    for page in PAGES:
        window.go(page)
        window.until(lambda: not texts(window) & english())
    assert window.text("statusServer") == "Готов"

    assert window.app.services.server_status.launch_id == server.launch_id
    window.go("launch")
    window.until(lambda: window.sees("stopServerButton"))
    assert "Starting to load model" in window.find(QPlainTextEdit, "logView").toPlainText()
    window.go("chat")
    window.until(lambda: answers(window) == ["echo: one two three"])
    window.until(lambda: window.find(QPlainTextEdit, "chatInput").toPlainText() == "half a thought")
    ask(window, "again")
    window.until(lambda: answers(window) == ["echo: one two three", "echo: again"])
    window.until(lambda: window.sees("sendButton"))

    switch(window, "en")
    window.go("chat")
    assert window.main.nav_buttons["models"].accessibleName() == "Models"
    assert len(window.main.findChildren(QWidget, "chatInput")) == 1


def test_it_waits_for_an_answer_that_is_being_written(window: Window, engine: FakeEngine, model: Path) -> None:
    engine.behave(FAKE_TOKENS_PER_S="20")
    window.add_engine(engine)
    window.add_model(model)
    window.launch_until_ready(model)
    window.press("openChatButton")
    question = " ".join(f"word{n}" for n in range(30))
    ask(window, question)
    window.until(lambda: any("echo" in answer for answer in answers(window)))
    choose(window, "language", "ru")
    window.until(lambda: window.sees("languageComes"))
    assert window.app.language == "en"
    with window.bot.waitSignal(window.app.filled, timeout=30_000):
        pass
    window.go("chat")
    window.until(lambda: answers(window) == [f"echo: {question}"])
    assert window.app.language == "ru"


def test_keys_work_after_the_change(window: Window) -> None:
    switch(window, "ru")
    with window.bot.waitActive(window.main):
        window.main.activateWindow()
    window.bot.keyClick(window.main, Qt.Key.Key_4, Qt.KeyboardModifier.ControlModifier)
    assert window.main.shown_page == PAGES[3]
    window.bot.keyClick(window.main, Qt.Key.Key_Slash, Qt.KeyboardModifier.ControlModifier)
    window.until(lambda: window.sees("shortcutList"))


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_colours_change_at_once(window: Window, theme: str) -> None:
    choose(window, "theme", "light" if theme == "dark" else "dark")
    window.until(lambda: window.app.theme.dark is (theme == "light"))
    choose(window, "theme", theme)
    window.until(lambda: window.app.theme.dark is (theme == "dark"))
    ground = window.main.grab().toImage().pixelColor(20, window.main.height() - 5)
    assert (ground.lightness() < 128) is (theme == "dark")
