"""The last ten minutes of one budget, larger."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget

from gui.budget.inks import mixed
from gui.budget.sparkline import paint_trace
from gui.theme import STEP, scaled_font


class TraceChart(QWidget):
    """`top` is what a full bar means ("12.0 GiB")."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("budgetTrace")
        self.setAccessibleName(self.tr("The last ten minutes"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._trace: tuple[tuple[float, float], ...] = ()
        self._top = ""

    def sizeHint(self) -> QSize:
        return QSize(40 * STEP, 9 * STEP)

    def show_trace(self, trace: tuple[tuple[float, float], ...], top: str) -> None:
        if (trace, top) != (self._trace, self._top):
            self._trace, self._top = trace, top
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        palette = QApplication.palette()
        quiet, base = palette.color(QPalette.ColorRole.PlaceholderText), palette.color(QPalette.ColorRole.Base)
        small = scaled_font(self.font(), 0.82)
        line = QFontMetricsF(small).height()
        place = QRectF(0, line / 2, self.width() - 1, self.height() - 1.6 * line)
        painter = QPainter(self)
        painter.setFont(small)
        painter.setPen(palette.color(QPalette.ColorRole.Midlight))
        painter.drawLine(place.topLeft(), place.topRight())
        painter.drawLine(place.bottomLeft(), place.bottomRight())
        paint_trace(painter, place, self._trace, palette.color(QPalette.ColorRole.Accent), mixed(quiet, base, 0.2), 0.0)
        painter.setPen(quiet)
        words = QRectF(0, place.bottom() + 1, place.width(), line)
        painter.drawText(words, Qt.AlignmentFlag.AlignLeft, self.tr("10 min ago"))
        painter.drawText(words, Qt.AlignmentFlag.AlignRight, self.tr("now"))
        painter.drawText(QRectF(4, place.top() + 1, place.width(), line), Qt.AlignmentFlag.AlignLeft, self._top)
        painter.end()
