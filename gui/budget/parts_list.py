"""The legend of one bar: a swatch, a name and a size for each part, and for each part of a plan."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QGridLayout, QLabel, QSizePolicy, QWidget

from gui.budget.bar import paint_swatch, parts_of
from gui.budget.inks import inks_of
from gui.budget.view import BudgetView, Look
from gui.theme import STEP
from gui.widgets.texts import plain, quiet

COLUMNS = 2


class Swatch(QWidget):
    """A small piece of a part's tone and pattern."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = Look.FREE
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(3 * STEP, 14)

    def show_look(self, look: Look) -> None:
        if look is not self._look:
            self._look = look
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_swatch(painter, QRectF(0, 0, self.width(), self.height()), inks_of(QApplication.palette())[self._look])
        painter.end()


class PartsList(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("budgetParts")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(STEP)
        self._grid.setVerticalSpacing(STEP // 2)
        self._rows: list[tuple[Swatch, QLabel, QLabel]] = []
        for column in range(COLUMNS):
            self._grid.setColumnStretch(3 * column + 1, 1)
            self._grid.setColumnMinimumWidth(3 * column + 2, 10 * STEP)

    def show_view(self, view: BudgetView) -> None:
        parts = [part for part in parts_of(view) if part.look is not Look.OVERFLOW]
        while len(self._rows) < len(parts):
            self._add_row()
        for number, (swatch, name, size) in enumerate(self._rows):
            shown = number < len(parts)
            for widget in (swatch, name, size):
                widget.setVisible(shown)
            if shown:
                part = parts[number]
                head, _, meaning = part.meaning.partition("\n")
                words, _, amount = head.rpartition(": ")
                swatch.show_look(part.look)
                name.setText(words)
                size.setText(amount)
                name.setToolTip(meaning)

    def _add_row(self) -> None:
        row, column = divmod(len(self._rows), COLUMNS)
        swatch, name, size = Swatch(self), plain(parent=self), quiet(parent=self, wrap=False)
        for place, widget in enumerate((swatch, name, size)):
            self._grid.addWidget(widget, row, 3 * column + place)
        self._rows.append((swatch, name, size))
