"""Tokens per second over one answer, painted by hand."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPalette, QPolygonF
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget

from gui import figures
from gui.budget.inks import mixed
from gui.theme import STEP, scaled_font

TOKENS_EACH = 4


def rates(trace: Sequence[tuple[float, int]], buckets: int = 60) -> tuple[tuple[float, float], ...]:
    """(seconds, tokens per second) over equal stretches of time, each long enough for several tokens.

    Args:
        trace: (seconds since the request, tokens so far), rising.
    """
    if len(trace) < 2 or trace[-1][0] <= trace[0][0]:
        return ()
    began, ended = trace[0][0], trace[-1][0]
    tokens = trace[-1][1] - trace[0][1]
    count = max(1, min(buckets, len(trace) - 1, tokens // TOKENS_EACH))
    width = (ended - began) / count
    found: list[tuple[float, float]] = []
    place, before = 0, trace[0][1]
    for number in range(1, count + 1):
        edge = began + number * width
        while place + 1 < len(trace) and trace[place + 1][0] <= edge + 1e-9:
            place += 1
        found.append((edge - width / 2, (trace[place][1] - before) / width))
        before = trace[place][1]
    return tuple(found)


class SpeedPlot(QWidget):
    def __init__(self, language: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._points: tuple[tuple[float, float], ...] = ()
        self.setObjectName("speedPlot")
        self.setAccessibleName(self.tr("Tokens per second over this answer"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(40 * STEP, 12 * STEP)

    @property
    def points(self) -> tuple[tuple[float, float], ...]:
        return self._points

    def show_trace(self, trace: Sequence[tuple[float, int]]) -> None:
        self._points = rates(trace)
        if self._points:
            least, most = min(rate for _, rate in self._points), max(rate for _, rate in self._points)
            self.setAccessibleDescription(
                self.tr("Between {least} and {most} tok/s").format(
                    least=figures.decimal(least, 1, self._language), most=figures.decimal(most, 1, self._language)
                )
            )
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self._points:
            return
        palette = QApplication.palette()
        quiet, base = palette.color(QPalette.ColorRole.PlaceholderText), palette.color(QPalette.ColorRole.Base)
        accent = palette.color(QPalette.ColorRole.Accent)
        small = scaled_font(self.font(), 0.82)
        line = QFontMetricsF(small).height()
        place = QRectF(0.5, line + 2, self.width() - 1, self.height() - 2 * line - 6)
        top = max(rate for _, rate in self._points) or 1.0
        began, ended = self._points[0][0], self._points[-1][0]
        span = (ended - began) or 1.0

        def at(point: tuple[float, float]) -> QPointF:
            share = (point[0] - began) / span
            return QPointF(place.left() + place.width() * share, place.bottom() - place.height() * point[1] / top)

        painter = QPainter(self)
        painter.setFont(small)
        painter.setPen(palette.color(QPalette.ColorRole.Midlight))
        painter.drawLine(place.topLeft(), place.topRight())
        painter.drawLine(place.bottomLeft(), place.bottomRight())
        spots = [at(point) for point in self._points]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(mixed(accent, base, 0.18))
        ends = [QPointF(spots[-1].x(), place.bottom()), QPointF(spots[0].x(), place.bottom())]
        painter.drawPolygon(QPolygonF([*spots, *ends]))
        painter.setPen(accent)
        # Lines one by one: a wide polyline over noisy figures costs 70 times as much (facts on hand-painting).
        painter.drawLines([QLineF(one, other) for one, other in pairwise(spots)])
        painter.setPen(quiet)
        self._paint_words(painter, place, line, top)
        painter.end()

    def _paint_words(self, painter: QPainter, place: QRectF, line: float, top: float) -> None:
        above = QRectF(place.left(), 0, place.width(), line)
        below = QRectF(place.left(), place.bottom() + 3, place.width(), line)
        seconds = self.tr("{seconds} s")
        painter.drawText(
            above,
            Qt.AlignmentFlag.AlignLeft,
            self.tr("{rate} tok/s").format(rate=figures.decimal(top, 0 if top >= 10 else 1, self._language)),
        )
        for align, at_s in (
            (Qt.AlignmentFlag.AlignLeft, self._points[0][0]),
            (Qt.AlignmentFlag.AlignRight, self._points[-1][0]),
        ):
            painter.drawText(below, align, seconds.format(seconds=figures.decimal(at_s, 1, self._language)))
