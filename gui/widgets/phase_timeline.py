"""The phases of a start as a line of steps: done, running (with its share), still to come, left out."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from gui.theme import STEP

RADIUS = 9.0


class StepState(enum.Enum):
    AHEAD = "ahead"
    RUNNING = "running"
    DONE = "done"
    SKIPPED = "skipped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Step:
    """`note` stands under the name: a time or a percentage; `fraction` 0-1 or None."""

    name: str
    state: StepState
    note: str = ""
    fraction: float | None = None
    meaning: str = ""


class PhaseTimeline(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("phaseTimeline")
        self.setAccessibleName(self.tr("Phases of the start"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._steps: tuple[Step, ...] = ()

    @property
    def steps(self) -> tuple[Step, ...]:
        return self._steps

    def show_steps(self, steps: tuple[Step, ...]) -> None:
        if steps != self._steps:
            self._steps = steps
            self.setAccessibleDescription(", ".join(f"{s.name} {s.note}".strip() for s in steps if s.note))
            self.update()

    def sizeHint(self) -> QSize:
        line = self.fontMetrics().lineSpacing()
        widest = max((self.fontMetrics().horizontalAdvance(s.name) for s in self._steps), default=80)
        return QSize((widest + 2 * STEP) * max(1, len(self._steps)), round(2 * RADIUS) + 2 * line + 2 * STEP)

    def minimumSizeHint(self) -> QSize:
        return QSize(40 * STEP, self.sizeHint().height())

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip and self._steps:
            place = min(len(self._steps) - 1, int(event.pos().x() / (self.width() / len(self._steps))))
            QToolTip.showText(event.globalPos(), self._steps[place].meaning, self)
            return True
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self._steps:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        width = self.width() / len(self._steps)
        centres = [QPointF(width * (place + 0.5), RADIUS + 4) for place in range(len(self._steps))]
        for place, step in enumerate(self._steps[1:], 1):
            passed = step.state in (StepState.DONE, StepState.RUNNING, StepState.SKIPPED, StepState.FAILED)
            painter.setPen(QPen(self._colour(QPalette.ColorRole.Accent if passed else QPalette.ColorRole.Mid), 2))
            gap = QPointF(RADIUS + 5, 0)
            painter.drawLine(centres[place - 1] + gap, centres[place] - gap)
        for centre, step in zip(centres, self._steps, strict=True):
            self._paint_sign(painter, centre, step)
            self._paint_words(painter, QRectF(centre.x() - width / 2, 2 * RADIUS + 10, width, 0), step)
        painter.end()

    def _paint_sign(self, painter: QPainter, centre: QPointF, step: Step) -> None:
        accent, mid = self._colour(QPalette.ColorRole.Accent), self._colour(QPalette.ColorRole.Mid)
        circle = QRectF(centre.x() - RADIUS, centre.y() - RADIUS, 2 * RADIUS, 2 * RADIUS)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        match step.state:
            case StepState.DONE:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(accent)
                painter.drawEllipse(circle)
                painter.setPen(QPen(self._colour(QPalette.ColorRole.HighlightedText), 2))
                painter.drawPolyline([centre + QPointF(x, y) for x, y in ((-4, 0.5), (-1.2, 3.2), (4.2, -3))])
            case StepState.RUNNING:
                painter.setPen(QPen(mid if step.fraction is not None else accent, 2.5))
                painter.drawEllipse(circle)
                painter.setPen(QPen(accent, 2.5))
                if step.fraction is not None:
                    painter.drawArc(circle, 90 * 16, -round(step.fraction * 360 * 16))
                painter.setBrush(accent)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.drawEllipse(centre, 3.5, 3.5)
            case StepState.FAILED:
                painter.setPen(QPen(self._colour(QPalette.ColorRole.BrightText), 2))
                painter.drawEllipse(circle)
                painter.drawLine(centre + QPointF(-3, -3), centre + QPointF(3, 3))
                painter.drawLine(centre + QPointF(3, -3), centre + QPointF(-3, 3))
            case StepState.SKIPPED:
                painter.setPen(QPen(mid, 2))
                painter.drawEllipse(circle)
                painter.drawLine(centre + QPointF(-3.5, 0), centre + QPointF(3.5, 0))
            case StepState.AHEAD:
                painter.setPen(QPen(mid, 2))
                painter.drawEllipse(circle)

    def _paint_words(self, painter: QPainter, place: QRectF, step: Step) -> None:
        line = self.fontMetrics().lineSpacing()
        strong = step.state in (StepState.RUNNING, StepState.FAILED)
        calm = step.state in (StepState.AHEAD, StepState.SKIPPED)
        font = self.font()
        font.setBold(strong)
        painter.setFont(font)
        role = QPalette.ColorRole.PlaceholderText if calm else QPalette.ColorRole.Text
        painter.setPen(self._colour(role))
        name = painter.fontMetrics().elidedText(step.name, Qt.TextElideMode.ElideRight, int(place.width()) - 4)
        centred = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
        painter.drawText(QRectF(place.x(), place.y(), place.width(), line), centred, name)
        painter.setFont(self.font())
        painter.setPen(self._colour(QPalette.ColorRole.PlaceholderText))
        painter.drawText(QRectF(place.x(), place.y() + line, place.width(), line), centred, step.note)

    def _colour(self, role: QPalette.ColorRole):
        return self.palette().color(role)
