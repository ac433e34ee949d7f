"""Paints one bar of parts into a rectangle. No state: the cell, the details and the legend all draw the same way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPainterPath, QPen

from gui.budget.inks import Ink
from gui.budget.view import BudgetView, Look, Span

RADIUS = 4.0
PAD = 5.0
GAP = 1.0
THINNEST = 2.0

Inks = Mapping[Look, Ink]


def paint_bar(painter: QPainter, place: QRectF, view: BudgetView, inks: Inks, font: QFont, chosen: int = -1) -> None:
    """`chosen`: the part under the keyboard's cursor, counted as in `parts_of`; -1 for none."""
    if not view.spans:
        _paint_unknown(painter, place, inks[Look.FREE])
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    outline = QPainterPath()
    outline.addRoundedRect(place, RADIUS, RADIUS)
    painter.setClipPath(outline)
    painter.fillPath(outline, inks[Look.FREE].ground)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setFont(font)
    metrics = QFontMetricsF(font)
    boxes = [(box, span) for box, span in boxes_of(place, view)]
    plan_ends = max((box.right() for box, span in boxes if span.look is Look.GHOST), default=0.0)
    for box, span in boxes:
        _paint_part(painter, box, span, inks[span.look])
        # The plan lies over the free part: what is written there begins behind it.
        room = box.adjusted(max(0.0, plan_ends - box.left()), 0, 0, 0) if span.look is Look.FREE else box
        _paint_label(painter, room, span, inks[span.look], metrics)
    painter.restore()
    if 0 <= chosen < len(boxes):
        _paint_choice(painter, boxes[chosen][0], inks[Look.OTHER].text)


def parts_of(view: BudgetView) -> tuple[Span, ...]:
    """All parts in the order of the keyboard: as they lie in the bar, then the plan's."""
    return (*view.spans, *view.ghosts)


def boxes_of(place: QRectF, view: BudgetView) -> Iterator[tuple[QRectF, Span]]:
    """Where each part lies. One that is too thin to see is left out unless it means something bad."""
    for span in parts_of(view):
        left = round(place.left() + span.start * place.width())
        right = round(place.left() + span.end * place.width())
        yield QRectF(left, place.top(), max(0, right - left), place.height()), span


def part_at(place: QRectF, view: BudgetView, x: float) -> int:
    """The part at a point, the plan's before what lies below; -1 for none."""
    found = -1
    for number, (box, _span) in enumerate(boxes_of(place, view)):
        if box.left() <= x < max(box.right(), box.left() + THINNEST):
            found = number
    return found


def paint_swatch(painter: QPainter, place: QRectF, ink: Ink) -> None:
    painter.fillRect(place, ink.ground)
    if ink.pattern.style() != Qt.BrushStyle.NoBrush:
        painter.fillRect(place, ink.pattern)
    painter.setPen(ink.edge)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(place.adjusted(0, 0, -1, -1))


def _paint_part(painter: QPainter, box: QRectF, span: Span, ink: Ink) -> None:
    if box.width() < THINNEST:
        if box.width() <= 0:
            return
    elif span.look is not Look.FREE:
        box = box.adjusted(0, 0, -GAP, 0)
    if span.look is not Look.FREE:
        painter.fillRect(box, ink.ground)
        if ink.pattern.style() != Qt.BrushStyle.NoBrush:
            painter.fillRect(box, ink.pattern)
        if span.look is Look.GHOST:
            painter.setPen(QPen(ink.edge, 1, Qt.PenStyle.DashLine))
            painter.drawRect(box.adjusted(0, 0, -1, -1))
        elif ink.edge != ink.ground:
            _paint_edge(painter, box, ink)


def _paint_edge(painter: QPainter, box: QRectF, ink: Ink) -> None:
    """Four lines inside the box: crisp at every scale, and cut by the bar's round ends."""
    painter.fillRect(QRectF(box.left(), box.top(), box.width(), 1), ink.edge)
    painter.fillRect(QRectF(box.left(), box.bottom() - 1, box.width(), 1), ink.edge)
    painter.fillRect(QRectF(box.left(), box.top(), 1, box.height()), ink.edge)
    painter.fillRect(QRectF(box.right() - 1, box.top(), 1, box.height()), ink.edge)


def _paint_label(painter: QPainter, box: QRectF, span: Span, ink: Ink, metrics: QFontMetricsF) -> None:
    for text in span.labels:
        width = metrics.horizontalAdvance(text)
        if width + 2 * PAD > box.width():
            continue
        if ink.pattern.style() != Qt.BrushStyle.NoBrush:
            # Letters on a pattern are hard to read: the ground shows below them.
            plate = QRectF(box.left() + PAD - 3, box.top() + 2, width + 6, box.height() - 4)
            painter.fillRect(plate, ink.ground)
        painter.setPen(ink.text)
        painter.drawText(box.adjusted(PAD, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        return


def _paint_unknown(painter: QPainter, place: QRectF, ink: Ink) -> None:
    """A dashed outline with nothing in it: not to be taken for an empty, free memory."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(ink.edge, 1, Qt.PenStyle.DashLine))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(place.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
    painter.restore()


def _paint_choice(painter: QPainter, box: QRectF, colour) -> None:
    painter.setPen(QPen(colour, 2))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(QRectF(box.left() + 1, box.top() + 1, max(4.0, box.width() - 3), box.height() - 2))
