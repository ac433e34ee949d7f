"""The searchable table of a build's facts."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSortFilterProxyModel, Qt, Signal
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from gui.pages.engines.build_lines import Line
from gui.theme import STEP

Index = QModelIndex | QPersistentModelIndex
_KIND, _NAME, _VALUE, _TEXT, _PLACE = range(5)
_COUNT: Final = 5


class LineModel(QAbstractTableModel):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.lines: tuple[Line, ...] = ()
        self._changes = False

    def show_lines(self, lines: tuple[Line, ...], *, changes: bool) -> None:
        self.beginResetModel()
        self.lines, self._changes = lines, changes
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self.lines)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else _COUNT

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole):
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        value = self.tr("Before → after") if self._changes else self.tr("Default, minimum")
        return (self.tr("What"), self.tr("Name"), value, self.tr("About"), self.tr("Where"))[section]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole):
        line = self.lines[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return (line.kind_text, line.name, line.value, line.text, line.place)[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return (line.kind_text, line.name, line.value, line.text, line.place)[index.column()] or None
        return None


class LineFilter(QSortFilterProxyModel):
    """Lines of one kind ("" for all) that hold every word searched for."""

    def __init__(self, model: LineModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        self._kind = ""
        self._words: tuple[str, ...] = ()
        self.setSourceModel(model)

    def show_only(self, kind: str, search: str) -> None:
        self._kind, self._words = kind, tuple(search.lower().split())
        self.invalidate()

    def filterAcceptsRow(self, source_row: int, source_parent: Index) -> bool:
        line = self._model.lines[source_row]
        return (not self._kind or line.kind == self._kind) and line.holds(self._words)


class BuildTable(QTableView):
    """`chosen` with the line under the cursor, None when there is none."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("buildTable")
        self.setAccessibleName(self.tr("What this build accepts and supports"))
        self._lines = LineModel(self)
        self._filter = LineFilter(self._lines, self)
        self.setModel(self._filter)
        self.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setSortingEnabled(False)
        self.setHorizontalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + STEP)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionsClickable(False)
        header.setStretchLastSection(False)
        header.setSectionResizeMode(_TEXT, QHeaderView.ResizeMode.Stretch)
        self.selectionModel().currentRowChanged.connect(self._current_changed)
        self.setMinimumHeight(20 * STEP)

    @property
    def shown(self) -> int:
        """How many lines pass the filter."""
        return self._filter.rowCount()

    def show_lines(self, lines: tuple[Line, ...], *, with_places: bool) -> None:
        self._lines.show_lines(lines, changes=not with_places)
        letter = self.fontMetrics().averageCharWidth()
        for section, letters in ((_KIND, 20), (_NAME, 34), (_VALUE, 21 if with_places else 44), (_PLACE, 26)):
            self.setColumnWidth(section, letters * letter)
        for section in (_TEXT, _PLACE):
            self.setColumnHidden(section, not with_places)
        stretched = _TEXT if with_places else _VALUE
        for section in (_TEXT, _VALUE):
            mode = QHeaderView.ResizeMode.Stretch if section == stretched else QHeaderView.ResizeMode.Interactive
            self.horizontalHeader().setSectionResizeMode(section, mode)

    def show_only(self, kind: str, search: str) -> None:
        self._filter.show_only(kind, search)
        self.selectionModel().clear()
        self.chosen.emit(None)

    def _current_changed(self, current: QModelIndex) -> None:
        source = self._filter.mapToSource(current)
        self.chosen.emit(self._lines.lines[source.row()] if source.isValid() else None)
