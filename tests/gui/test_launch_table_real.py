"""A per-layer table on disk, from the choice in the window to a question: the real engine, the plugin's counters."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QPlainTextEdit, QTextBrowser, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from core.paths import Paths
from gui.widgets.one_line import OneLine
from tests.gui.conftest import Window, Windows

START_MS = 150_000

pytestmark = [pytest.mark.timeout(290), pytest.mark.patient]


def rows(window: Window) -> int:
    """Looked up since the server was ready, as the running server's line says."""
    found = re.search(r"([\d,]+) table rows?", window.find(OneLine, "tableLine").full_text)
    return int(found[1].replace(",", "")) if found is not None else 0


def test_chosen_launched_proven_and_read_by_a_question(
    user_with_engine: Paths, gemma4_path: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    windows = Windows(user_with_engine, qapp, qtbot)
    try:
        window = windows.start(context_tokens=1024)
        window.add_model(gemma4_path)
        window.go("launch")
        models = window.find(QComboBox, "modelBox")
        models.setCurrentIndex(models.findData(str(gemma4_path)))
        models.activated.emit(models.currentIndex())
        window.until(lambda: window.sees("tablesBox"))
        window.find(QToolButton, "tableFold").setChecked(True)
        window.until(lambda: "takes Stowage's plugin" in window.find(QLabel, "tableCheck-engine").text())
        places = window.find(QComboBox, "tablesBox")
        places.setCurrentIndex(places.findData("disk"))
        window.press("launchButton")
        window.until(lambda: window.sees("stopServerButton"), START_MS)
        chip = "chip-ple_disk"
        window.until(lambda: window.sees(chip) and window.find(QWidget, chip).property("verdict") == "took_effect")
        assert window.find(QWidget, chip).accessibleName() == "Per-layer table on disk: took effect"
        window.until(lambda: rows(window) > 0)
        before = rows(window)

        window.press("openChatButton")
        question = window.find(QPlainTextEdit, "chatInput")
        window.bot.keyClicks(question, "What is a lighthouse?")
        window.bot.keyClick(question, Qt.Key.Key_Return)
        window.until(lambda: any(b.toPlainText() for b in window.main.findChildren(QTextBrowser, "answerText")))
        window.go("launch")
        window.until(lambda: rows(window) > before)
    finally:
        windows.end_all()
