"""The strip of all budgets, at home on every page: a row of cells, two or more rows where there are many."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.budget.cell import NARROWEST, BudgetCell, cell_height
from gui.budget.view import BudgetView
from gui.theme import STEP

BETWEEN: Final = STEP


class BudgetPanel(QWidget):
    """Cells keep their places; a new GPU or disk gets a cell, one that is gone loses it. `opened` with a budget's
    id."""

    opened = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("budgetPanel")
        self.setAccessibleName(self.tr("Memory and disks"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._cells: list[BudgetCell] = []
        self._animated = True
        self._line = cell_height(self.font())

    @property
    def cells(self) -> tuple[BudgetCell, ...]:
        return tuple(self._cells)

    def cell(self, budget_id: str) -> BudgetCell | None:
        return next((cell for cell in self._cells if cell.view is not None and cell.view.id == budget_id), None)

    def set_animated(self, animated: bool) -> None:
        self._animated = animated
        for cell in self._cells:
            cell.glide.allowed = animated

    def show_views(self, views: tuple[BudgetView, ...]) -> None:
        while len(self._cells) > len(views):
            gone = self._cells.pop()
            gone.hide()
            gone.deleteLater()
        while len(self._cells) < len(views):
            self._cells.append(self._new_cell())
        for cell, view in zip(self._cells, views, strict=True):
            cell.show_view(view)
        self._arrange()

    def _new_cell(self) -> BudgetCell:
        cell = BudgetCell(self)
        cell.glide.allowed = self._animated
        cell.opened.connect(self.opened)
        cell.show()
        if self._cells:
            QWidget.setTabOrder(self._cells[-1], cell)
        return cell

    # ---- places ----------------------------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(4 * NARROWEST, self._line * self._rows(self.width()))

    def minimumSizeHint(self) -> QSize:
        return QSize(NARROWEST, self._line * self._rows(self.width()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _columns(self, width: int) -> int:
        """Rows of the same number of cells, rather than a full one and a poor one."""
        most = max(1, (width + BETWEEN) // (NARROWEST + BETWEEN))
        count = max(1, len(self._cells))
        rows = -(-count // most)
        return -(-count // rows)

    def _rows(self, width: int) -> int:
        return -(-max(1, len(self._cells)) // self._columns(width))

    def _arrange(self) -> None:
        height = self._line * self._rows(self.width())
        if self.minimumHeight() != height:
            self.setFixedHeight(height)
        columns = self._columns(self.width())
        width = (self.width() - BETWEEN * (columns - 1)) // columns
        for number, cell in enumerate(self._cells):
            row, column = divmod(number, columns)
            cell.setGeometry(column * (width + BETWEEN), row * self._line, width, self._line)
