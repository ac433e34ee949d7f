"""The parts of a settings card: a box with few values, a grid under a heading."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QFrame, QGridLayout

from gui.theme import FIELD_HEIGHT, STEP
from gui.widgets.cards import column
from gui.widgets.texts import heading


class ChoiceBox(QComboBox):
    """A setting with few values. `picked` with the setting's name and value, only when the user chose."""

    picked = Signal(str, str)

    def __init__(self, setting: str, meaning: str, values: tuple[tuple[str, str], ...]) -> None:
        super().__init__()
        self._setting = setting
        self.setObjectName(f"{setting}Box")
        self.setAccessibleName(meaning)
        self.view().setAccessibleName(meaning)
        for value, words in values:
            self.addItem(words, value)
        self.setMinimumHeight(FIELD_HEIGHT)
        self.activated.connect(self._activated)

    def show_value(self, value: str) -> None:
        with QSignalBlocker(self):
            self.setCurrentIndex(max(0, self.findData(value)))

    def _activated(self) -> None:
        self.picked.emit(self._setting, str(self.currentData()))


def grid_card(title: str) -> tuple[QFrame, QGridLayout]:
    card = QFrame()
    card.setProperty("card", "true")
    layout = column(card, spacing=STEP, margin=2 * STEP)
    layout.addWidget(heading(title))
    grid = QGridLayout()
    grid.setHorizontalSpacing(3 * STEP)
    grid.setVerticalSpacing(STEP)
    layout.addLayout(grid)
    return card, grid


def breakable(path: str) -> str:
    """A path that may wrap at its separators (a zero-width space after each)."""
    return path.replace("/", "/\u200b")
