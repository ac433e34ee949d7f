"""One budget in the strip: its name and figure, the last minutes, the bar."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
)
from PySide6.QtWidgets import QApplication, QProgressBar, QSizePolicy, QToolTip, QWidget

from gui.budget.bar import boxes_of, paint_bar, part_at, parts_of
from gui.budget.inks import inks_of, mixed
from gui.budget.motion import Glide
from gui.budget.sign import paint_sign
from gui.budget.sparkline import paint_trace
from gui.budget.view import BudgetView, Look
from gui.theme import STEP, scaled_font

NARROWEST: Final = 19 * STEP
SPARK: Final = 7 * STEP
EDGE: Final = 4


def _heights(font: QFont) -> tuple[int, int]:
    """Of the line of words and of the bar."""
    words = QFontMetricsF(scaled_font(font, 0.95, strong=True)).height()
    return round(words), round(QFontMetricsF(scaled_font(font, 0.82)).height()) + 4


def cell_height(font: QFont) -> int:
    return sum(_heights(font)) + 3 * EDGE


class BudgetCell(QProgressBar):
    """A meter: a screen reader hears its name, MiB in use of all MiB, and the parts as its description. Tab reaches
    it, the arrow keys go through the parts, Enter opens the details (`opened` with the budget's id).

    It is a QProgressBar because Qt tells screen readers of that one's value; nothing of its looks is used.
    """

    opened = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "budget")
        self.setTextVisible(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setMinimumWidth(NARROWEST)
        self.setMouseTracking(True)
        self.glide = Glide(self)
        self.glide.moved.connect(self.update)
        self._view: BudgetView | None = None
        self._chosen = -1
        self._marked = False
        self._take_looks()

    @property
    def view(self) -> BudgetView | None:
        """What it shows, or is on its way to."""
        return self._view

    @property
    def chosen(self) -> int:
        return self._chosen

    def show_view(self, view: BudgetView) -> None:
        if view == self._view:
            return
        before, self._view = self._view, view
        if before is None or before.id != view.id:
            self.setObjectName(f"budget-{view.id}")
            self._chosen = -1
        self._chosen = min(self._chosen, len(parts_of(view)) - 1)
        self.setAccessibleName(f"{view.title} {view.name}".strip())
        self._describe()
        # QProgressBar paints at once whenever its value moves; the glide does that in its own time.
        self.setUpdatesEnabled(False)
        self.setRange(0, max(1, view.total_mib))
        self.setValue(view.used_mib)
        self.setUpdatesEnabled(True)
        self.glide.go(view)

    def mark(self, marked: bool) -> None:
        """Whether this is the one whose details are shown."""
        if marked != self._marked:
            self._marked = marked
            self.update()

    # ---- size and looks --------------------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(30 * STEP, self._height)

    def minimumSizeHint(self) -> QSize:
        return QSize(NARROWEST, self._height)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._take_looks()
        super().changeEvent(event)

    def _take_looks(self) -> None:
        # Not the widget's own palette: a style sheet for progress bars overwrites roles in it.
        self._palette = QApplication.palette()
        self._inks = inks_of(self._palette)
        self._small = scaled_font(self.font(), 0.82)
        self._strong = scaled_font(self.font(), 0.95, strong=True)
        self._plain = scaled_font(self.font(), 0.95)
        self._head, self._bar = _heights(self.font())
        self._height = cell_height(self.font())
        self.updateGeometry()

    def bar_place(self) -> QRectF:
        top = 2 * EDGE + self._head
        return QRectF(EDGE, top, self.width() - 2 * EDGE, self._bar)

    # ---- painting --------------------------------------------------------------------------------------------------

    def paintEvent(self, _event: QPaintEvent) -> None:
        view = self.glide.view
        if view is None:
            return
        painter = QPainter(self)
        if self._marked:
            self._paint_mark(painter)
        self._paint_head(painter, view)
        paint_bar(painter, self.bar_place(), view, self._inks, self._small, self._chosen if self.hasFocus() else -1)
        if self.hasFocus():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(self._palette.color(QPalette.ColorRole.Accent), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 6, 6)
        painter.end()

    def _paint_mark(self, painter: QPainter) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self._palette.color(QPalette.ColorRole.Dark))
        painter.setBrush(self._palette.color(QPalette.ColorRole.Base))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        painter.restore()

    def _paint_head(self, painter: QPainter, view: BudgetView) -> None:
        """Title and name at the left, the figure at the right, the verdict or the last minutes between them."""
        palette = self._palette
        line = QRectF(EDGE + 1, EDGE, self.width() - 2 * EDGE - 2, self._head)
        metrics, strong = QFontMetricsF(self._plain), QFontMetricsF(self._strong)
        middle = Qt.AlignmentFlag.AlignVCenter
        left = line.left() + strong.horizontalAdvance(view.title) + STEP * 0.75
        figure = view.figure
        if metrics.horizontalAdvance(figure) > line.right() - left:
            figure = view.short_figure
        painter.setFont(self._plain)
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        painter.drawText(line, middle | Qt.AlignmentFlag.AlignRight, figure)
        right = line.right() - metrics.horizontalAdvance(figure) - STEP
        painter.setFont(self._strong)
        painter.drawText(line, middle | Qt.AlignmentFlag.AlignLeft, view.title)
        if view.verdict is not None:
            right = self._paint_verdict(painter, view, QRectF(left, line.top(), right - left, line.height()))
        elif right - left >= SPARK + metrics.horizontalAdvance(view.name[:6]):
            place = QRectF(right - SPARK, line.top() + 2, SPARK, line.height() - 4)
            colour = palette.color(QPalette.ColorRole.PlaceholderText)
            paint_trace(painter, place, view.trace, colour, mixed(colour, palette.color(QPalette.ColorRole.Base), 0.22))
            right = place.left() - STEP
        name = metrics.elidedText(view.name, Qt.TextElideMode.ElideRight, right - left)
        fits = metrics.horizontalAdvance(name) < right - left
        if fits and (name == view.name or len(name) > 5):
            painter.setFont(self._plain)
            painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
            painter.drawText(QRectF(left, line.top(), right - left, line.height()), middle, name)

    def _paint_verdict(self, painter: QPainter, view: BudgetView, room: QRectF) -> float:
        """The sign with its words, or the sign alone where there is no room. Returns where it begins."""
        assert view.verdict is not None
        metrics = QFontMetricsF(self._plain)
        width = metrics.horizontalAdvance(view.verdict_text)
        words = view.verdict_text if width + 2 * STEP <= room.width() else ""
        left = room.right() - (width if words else 0) - 2 * STEP
        role = QPalette.ColorRole.BrightText if view.ghosts[-1].look is Look.OVERFLOW else QPalette.ColorRole.Text
        colour = self._palette.color(role)
        paint_sign(painter, QRectF(left, room.center().y() - 5, 10, 10), view.verdict, colour)
        painter.setFont(self._plain)
        painter.setPen(colour)
        painter.drawText(QRectF(left + 14, room.top(), width + 2, room.height()), Qt.AlignmentFlag.AlignVCenter, words)
        return left - STEP

    # ---- hands -----------------------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip and self._view is not None:
            number = self._part_at(event.pos())
            text = self._view.meaning if number < 0 else parts_of(self._view)[number].meaning
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)

    def _part_at(self, point: QPoint) -> int:
        place = self.bar_place()
        if self._view is None or not place.contains(point.toPointF()):
            return -1
        return part_at(place, self._view, point.x())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self._open()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        if event.key() in steps:
            self._choose(self._chosen + steps[Qt.Key(event.key())])
        elif event.key() == Qt.Key.Key_Home:
            self._choose(0)
        elif event.key() == Qt.Key.Key_End and self._view is not None:
            self._choose(len(parts_of(self._view)) - 1)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._open()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event) -> None:
        self._chosen = -1
        self._describe()
        super().focusOutEvent(event)

    def _open(self) -> None:
        if self._view is not None:
            self.opened.emit(self._view.id)

    def _choose(self, number: int) -> None:
        """Go to a part: its outline, its words as a tooltip and as the description that a screen reader hears."""
        if self._view is None or not parts_of(self._view):
            return
        self._chosen = max(0, min(number, len(parts_of(self._view)) - 1))
        self._describe()
        box = list(boxes_of(self.bar_place(), self._view))[self._chosen][0]
        text = parts_of(self._view)[self._chosen].meaning
        QToolTip.showText(self.mapToGlobal(box.topLeft().toPoint() + QPoint(0, -5 * STEP)), text, self, QRect())
        self.update()

    def _describe(self) -> None:
        if self._view is None:
            return
        parts = parts_of(self._view)
        chosen = 0 <= self._chosen < len(parts)
        self.setAccessibleDescription(parts[self._chosen].meaning if chosen else self._view.description)
