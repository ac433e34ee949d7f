"""The sign of a fit: a filled dot, a half one, a ring; a dotted ring while it is not known. Words stand beside it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QApplication, QWidget

from core.hub.model import Fit
from gui.budget.ghost import Verdict
from gui.budget.sign import paint_sign

_SHAPES = {Fit.FITS: Verdict.FITS, Fit.TIGHT: Verdict.TIGHT, Fit.OFFLOAD: Verdict.TIGHT, Fit.NO: Verdict.NO}
_ROLES = {
    Fit.FITS: QPalette.ColorRole.Accent,
    Fit.TIGHT: QPalette.ColorRole.Accent,
    Fit.OFFLOAD: QPalette.ColorRole.Text,
    Fit.NO: QPalette.ColorRole.BrightText,
    Fit.UNKNOWN: QPalette.ColorRole.PlaceholderText,
}
SIZE = 13


def fit_colour(fit: Fit | None, palette: QPalette) -> QColor:
    return palette.color(QPalette.ColorRole.PlaceholderText if fit is None else _ROLES[fit])


def paint_fit(painter: QPainter, place: QRectF, fit: Fit | None, colour: QColor) -> None:
    if fit is not None and fit in _SHAPES:
        paint_sign(painter, place, _SHAPES[fit], colour)
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colour, 1.4, Qt.PenStyle.DotLine))
    # What was painted before may have left its own: a filled dot would say that it fits.
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawEllipse(place.adjusted(1, 1, -1, -1))
    painter.restore()


class FitSign(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._fit: Fit | None = None
        self.setFixedSize(self.sizeHint())

    def sizeHint(self) -> QSize:
        return QSize(SIZE + 2, SIZE + 2)

    def show_fit(self, fit: Fit | None) -> None:
        if fit is not self._fit:
            self._fit = fit
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_fit(painter, QRectF(1, 1, SIZE, SIZE), self._fit, fit_colour(self._fit, QApplication.palette()))
        painter.end()
