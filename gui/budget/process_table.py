"""Who holds the memory, process by process."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from core.machine.budget import ProcessRow
from gui.budget.terms import BudgetTerms
from gui.figures import DASH
from gui.theme import STEP

Index = QModelIndex | QPersistentModelIndex
_NAME, _PID, _SIZE, _OURS = range(4)
_COUNT: Final = 4
# Numbers stand at the right.
ALIGNMENT: Final = {
    False: Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter,
    True: Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
}


class ProcessModel(QAbstractTableModel):
    """Rows as the ledger gives them: the largest first."""

    def __init__(self, terms: BudgetTerms, parent: QWidget) -> None:
        super().__init__(parent)
        self._terms = terms
        self._rows: tuple[ProcessRow, ...] = ()

    def show_rows(self, rows: tuple[ProcessRow, ...]) -> None:
        """Keeps the selection: only a different number of rows is told as rows come or gone."""
        old, new = len(self._rows), len(rows)
        if new > old:
            self.beginInsertRows(QModelIndex(), old, new - 1)
            self._rows = rows
            self.endInsertRows()
        elif new < old:
            self.beginRemoveRows(QModelIndex(), new, old - 1)
            self._rows = rows
            self.endRemoveRows()
        else:
            self._rows = rows
        if rows:
            self.dataChanged.emit(self.index(0, 0), self.index(new - 1, _COUNT - 1))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else _COUNT

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole):
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return ALIGNMENT[section in (_PID, _SIZE)]
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        return (self.tr("Program"), self.tr("Process"), self.tr("Memory"), self.tr("Whose"))[section]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole):
        row = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(row, index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return ALIGNMENT[index.column() in (_PID, _SIZE)]
        if role == Qt.ItemDataRole.ToolTipRole and not row.trusted:
            return self.tr("The number comes from the driver and may be another process in this container.")
        return None

    def _text(self, row: ProcessRow, column: int) -> str:
        if column == _NAME:
            return row.name or self.tr("not known")
        if column == _PID:
            return str(row.pid)
        if column == _SIZE:
            size = row.bytes.or_none()
            return DASH if size is None else self._terms.size(size)
        return self.tr("● our server") if row.ours else ""


class ProcessTable(QTableView):
    def __init__(self, terms: BudgetTerms, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("processTable")
        self.setAccessibleName(self.tr("Programs and their memory"))
        self._model = ProcessModel(terms, self)
        self.setModel(self._model)
        self.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + STEP)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(_NAME, QHeaderView.ResizeMode.Stretch)
        header.setHighlightSections(False)
        header.setSectionsClickable(False)
        self.setMinimumHeight(12 * STEP)

    def show_rows(self, rows: tuple[ProcessRow, ...]) -> None:
        self._model.show_rows(rows)
