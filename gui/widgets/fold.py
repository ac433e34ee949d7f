"""A line that unfolds what is seldom needed."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QToolButton, QWidget

from gui.theme import STEP
from gui.widgets.cards import column


class Fold(QWidget):
    """`body` is hidden until the line `text` is pressed."""

    opened = Signal(bool)

    def __init__(self, text: str, body: QWidget, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._line = QToolButton()
        self._line.setObjectName(name)
        self._line.setProperty("kind", "fold")
        self._line.setText(text)
        self._line.setAccessibleName(text)
        self._line.setCheckable(True)
        self._line.setArrowType(Qt.ArrowType.RightArrow)
        self._line.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._line.toggled.connect(self._toggle)
        self._body = body
        layout = column(self, spacing=STEP // 2)
        layout.addWidget(self._line, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addWidget(body)
        body.hide()

    def retitle(self, text: str) -> None:
        if text != self._line.text():
            self._line.setText(text)
            self._line.setAccessibleName(text)

    def is_open(self) -> bool:
        return self._line.isChecked()

    def open(self, shown: bool) -> None:
        self._line.setChecked(shown)

    def _toggle(self, shown: bool) -> None:
        self._line.setArrowType(Qt.ArrowType.DownArrow if shown else Qt.ArrowType.RightArrow)
        self._body.setVisible(shown)
        self.opened.emit(shown)
