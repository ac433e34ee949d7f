"""The sign of a verdict: a filled dot fits, a half one is tight, a ring does not fit."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gui.budget.ghost import Verdict


def paint_sign(painter: QPainter, place: QRectF, verdict: Verdict, colour: QColor) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    ring = place.adjusted(1, 1, -1, -1)
    painter.setPen(QPen(colour, 1.6))
    painter.setBrush(colour if verdict is Verdict.FITS else Qt.BrushStyle.NoBrush)
    painter.drawEllipse(ring)
    if verdict is Verdict.TIGHT:
        painter.setBrush(colour)
        painter.drawPie(ring, 90 * 16, 180 * 16)
    painter.restore()
