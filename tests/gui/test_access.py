"""Every page can be used without eyes and without a mouse, and nothing is cut off in either language."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QPlainTextEdit, QWidget

from gui.window import PAGES, SMALLEST
from tests.gui.conftest import Window, Windows
from tests.support.fake_engine import FakeEngine


def nameless(root: QWidget) -> list[str]:
    """Widgets below `root` that the Tab key reaches and that tell a screen reader nothing."""
    found: list[str] = []
    for widget in root.findChildren(QWidget):
        if not widget.focusPolicy() & Qt.FocusPolicy.TabFocus or widget.objectName().startswith("qt_"):
            continue
        parent = widget.parent()
        if parent is not None and parent.inherits("QComboBoxPrivateContainer"):
            continue  # the list that drops down speaks for its box
        interface = QAccessible.queryAccessibleInterface(widget)
        name = interface.text(QAccessible.Text.Name) if interface is not None else ""
        if not name.strip():
            found.append(f"{type(widget).__name__} {widget.objectName()!r} in {type(widget.parent()).__name__}")
    return found


def cut_off(root: QWidget) -> list[str]:
    """Visible labels and buttons that have less room than their text needs."""
    found: list[str] = []
    for widget in root.findChildren(QWidget):
        if not widget.isVisible() or not isinstance(widget, QLabel | QAbstractButton):
            continue
        if isinstance(widget.parent(), QLineEdit):
            continue  # Qt's own button inside a field
        needed = widget.minimumSizeHint() if isinstance(widget, QLabel) else widget.sizeHint()
        if isinstance(widget, QLabel) and widget.wordWrap():
            high = widget.heightForWidth(widget.width())
            if widget.height() < high or widget.width() < needed.width():
                found.append(f"{widget.text()!r}: {widget.size().toTuple()} of {needed.width()} x {high}")
        elif widget.width() < needed.width() or widget.height() < needed.height():
            found.append(f"{widget.text()!r} {widget.objectName()}: {widget.size().toTuple()} of {needed.toTuple()}")
    return found


def test_every_control_of_every_page_has_a_name(window: Window, engine: FakeEngine, model: Path) -> None:
    window.add_engine(engine)
    window.add_model(model)
    window.launch_until_ready(model)
    assert "\n".join(nameless(window.main)) == ""
    window.main.close()
    window.until(lambda: window.sees("closeDialog"))
    assert "\n".join(nameless(window.main)) == ""
    window.press("closeDialog-cancel")


@pytest.mark.parametrize("language", ["en", "ru"])
def test_nothing_is_cut_off_in_the_smallest_window(
    windows: Windows, engine: FakeEngine, model: Path, language: str
) -> None:
    window = windows.start(language=language)
    window.main.resize(*SMALLEST)
    assert window.main.minimumSizeHint().width() <= SMALLEST[0]
    assert window.main.minimumSizeHint().height() <= SMALLEST[1]
    problems: dict[str, list[str]] = {}

    def look(state: str) -> None:
        for page in PAGES:
            window.go(page)
            assert window.main.size().toTuple() == SMALLEST
            if found := window.lasting(lambda: cut_off(window.main)):
                problems[f"{page} {state}"] = found

    window.until(lambda: window.sees("guideButton"))
    look("at first")
    window.add_engine(engine)
    window.add_model(model)
    look("with an engine")
    window.launch_until_ready(model)
    look("with a server")
    assert problems == {}


def test_pages_are_reached_by_keys(window: Window) -> None:
    with window.bot.waitActive(window.main):
        window.main.activateWindow()
    for number, page in enumerate(PAGES, 1):
        window.bot.keyClick(window.main, getattr(Qt.Key, f"Key_{number}"), Qt.KeyboardModifier.ControlModifier)
        assert window.main.shown_page == page
        assert window.main.nav_buttons[page].isChecked()


def test_tab_leaves_every_text_field(window: Window) -> None:
    assert [box.objectName() for box in window.main.findChildren(QPlainTextEdit) if not box.tabChangesFocus()] == []


def test_the_window_speaks_russian(windows: Windows) -> None:
    window = windows.start(language="ru")
    assert [button.accessibleName() for button in window.main.nav_buttons.values()] == [
        "Модели",
        "Запуск",
        "Чат",
        "Сравнение",
        "Движки",
        "Настройки",
    ]
    window.until(lambda: window.text("statusServer") == "Сервер не запущен")
