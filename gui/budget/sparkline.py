"""A thin line of the last minutes: how full it was."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPolygonF

# Less of the time is a speck in a small picture, not a line.
SHORTEST = 0.2


def paint_trace(
    painter: QPainter,
    place: QRectF,
    trace: tuple[tuple[float, float], ...],
    line: QColor,
    ground: QColor,
    shortest: float = SHORTEST,
) -> None:
    """`trace` as in `BudgetView`, drawn once it covers the share `shortest` of the time. The newest value is at the
    right edge; time without samples stays empty."""
    if len(trace) < 2 or trace[-1][0] - trace[0][0] < shortest:
        return
    left, low, width, height = place.left(), place.bottom(), place.width(), place.height()
    points = [QPointF(left + at * width, low - value * height) for at, value in trace]
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ground)
    painter.drawPolygon(QPolygonF([QPointF(points[0].x(), low), *points, QPointF(points[-1].x(), low)]))
    # Single lines of width 1: a wide pen along a polyline of noise costs fifty times as much (measured).
    painter.setPen(line)
    painter.drawLines([QLineF(one, other) for one, other in pairwise(points)])
