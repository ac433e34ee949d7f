"""A quotation of a message: a bar beside it."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QTextFrame
from PySide6.QtWidgets import QTextEdit
from shiboken6 import isValid

from gui.pages.chat.text_style import TextStyle
from gui.theme import STEP

BAR: Final = 3.0


class Quote:
    def __init__(self, frame: QTextFrame, view: QTextEdit, style: TextStyle) -> None:
        self.frame = frame
        self._view = view
        self._style = style
        self._rect: QRectF | None = None

    def rect(self) -> QRectF:
        """Of the bar, in the viewport; kept until `moved`."""
        if self._rect is None:
            self._rect = QRectF()
            if isValid(self.frame):
                found = self._view.document().documentLayout().frameBoundingRect(self.frame)
                form = self.frame.frameFormat()
                left = found.left() + form.leftMargin() - STEP - BAR
                above = form.topMargin()
                self._rect = QRectF(left, found.top() + above, BAR, found.height() - above - form.bottomMargin())
        return self._rect

    def moved(self) -> None:
        self._rect = None

    def paint(self, painter: QPainter) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._style.line)
        painter.drawRoundedRect(self.rect(), BAR / 2, BAR / 2)
