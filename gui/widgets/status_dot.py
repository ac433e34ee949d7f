"""A small sign of a state: shape and fill tell it as well as colour."""

from __future__ import annotations

import enum

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QWidget


class Sign(enum.Enum):
    OFF = "off"
    BUSY = "busy"
    ON = "on"
    BAD = "bad"


class StatusDot(QWidget):
    """OFF is a ring, BUSY a half-filled ring, ON a filled dot, BAD a cross. The words stand beside it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sign = Sign.OFF
        self.setFixedSize(self.sizeHint())

    def sizeHint(self) -> QSize:
        return QSize(14, 14)

    def show_sign(self, sign: Sign) -> None:
        if sign is not self._sign:
            self._sign = sign
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        roles = {
            Sign.OFF: QPalette.ColorRole.Dark,
            Sign.BUSY: QPalette.ColorRole.Accent,
            Sign.ON: QPalette.ColorRole.Accent,
            Sign.BAD: QPalette.ColorRole.BrightText,
        }
        colour = self.palette().color(roles[self._sign])
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colour, 1.8))
        ring = QRectF(2.5, 2.5, 9, 9)
        if self._sign is Sign.BAD:
            painter.drawLine(QPointF(3.5, 3.5), QPointF(10.5, 10.5))
            painter.drawLine(QPointF(10.5, 3.5), QPointF(3.5, 10.5))
        else:
            painter.setBrush(colour if self._sign is Sign.ON else Qt.BrushStyle.NoBrush)
            painter.drawEllipse(ring)
        if self._sign is Sign.BUSY:
            painter.setBrush(colour)
            painter.drawPie(ring, 90 * 16, 180 * 16)
        painter.end()
