"""The list to tick off beside the choice of where a per-layer table lives."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QLabel

from gui.icons import set_icon
from gui.pages.launch.table_words import CheckedLine, Mark
from gui.theme import STEP
from gui.widgets.cards import column, row
from gui.widgets.texts import plain

_ICONS = {
    Mark.GOOD: ("check", QPalette.ColorRole.Accent),
    Mark.CAREFUL: ("warning", QPalette.ColorRole.BrightText),
    Mark.NOTE: ("info", QPalette.ColorRole.PlaceholderText),
}


class TableCard(QFrame):
    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("tableChecks")
        self.setProperty("card", "chip")
        self.setAccessibleName(self.tr("What to know about the per-layer table"))
        self._shown: tuple[CheckedLine, ...] = ()
        self._lines: dict[str, tuple[QLabel, QLabel]] = {}
        self._rows = column(self, spacing=STEP // 2)
        self._rows.setContentsMargins(2 * STEP, STEP, 2 * STEP, STEP)

    def show_lines(self, lines: tuple[CheckedLine, ...]) -> None:
        if lines == self._shown:
            return
        for line in lines:
            if line.id not in self._lines:
                self._add(line.id)
            sign, text = self._lines[line.id]
            set_icon(sign, *_ICONS[line.mark])
            text.setText(line.text)
        self._shown = lines

    def _add(self, name: str) -> None:
        sign, text = QLabel(), plain()
        sign.setFixedWidth(3 * STEP)
        text.setObjectName(f"tableCheck-{name}")
        line = row(spacing=STEP)
        line.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(text, 1)
        self._rows.addLayout(line)
        self._lines[name] = sign, text
