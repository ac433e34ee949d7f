"""The list of found models: virtual, keeps selection and place while badges arrive, asks for more near its end."""

from __future__ import annotations

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QListView, QWidget

from core.hub.model import RepoRow
from gui.pages.models.repo_delegate import RepoDelegate
from gui.pages.models.repo_list_model import RepoListModel
from gui.pages.models.repo_words import RepoWords

NEAR_END_ROWS = 4


class RepoView(QListView):
    """`picked` with the `RepoRow` that the user moved to; `more_wanted` when the end comes in sight; `opened` on Enter
    or a double click."""

    picked = Signal(object)
    opened = Signal(object)
    more_wanted = Signal()

    def __init__(self, words: RepoWords, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = RepoListModel(words)
        self._quiet = False
        self.setObjectName("hubList")
        self.setAccessibleName(self.tr("Found models"))
        self.setModel(self.rows)
        self.setItemDelegate(RepoDelegate(words, self))
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.activated.connect(self._activated)
        self.verticalScrollBar().valueChanged.connect(self.look_at_end)

    # ---- pages and badges ------------------------------------------------------------------------------------------

    def begin_loading(self) -> None:
        self._keeping(self.rows.begin_loading)

    def show_page(self, rows: tuple[RepoRow, ...], *, more: bool) -> None:
        self._keeping(lambda: self.rows.replace(rows, more=more))
        self.scrollToTop()

    def add_page(self, rows: tuple[RepoRow, ...], *, more: bool) -> None:
        self.rows.append(rows, more=more)

    def update_row(self, row: RepoRow) -> None:
        """A badge came. When the fit filter takes the row away, what is in sight stays where it is."""
        place, before = self.rows.place_of(row.repo_id), len(self.rows.rows)
        above = place >= 0 and self.visualRect(self.rows.index(place)).bottom() < 0
        height = self.sizeHintForRow(0) if above else 0
        self.rows.update_row(row)
        if above and len(self.rows.rows) < before:
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() - height)

    def set_fit(self, wished: str) -> None:
        self._keeping(lambda: self.rows.set_fit(wished))
        self.look_at_end()

    def select(self, repo_id: str) -> None:
        """Without telling `picked`."""
        self._quiet = True
        place = self.rows.place_of(repo_id)
        if place >= 0:
            self.setCurrentIndex(self.rows.index(place))
        else:
            self.selectionModel().clear()
        self._quiet = False

    @property
    def chosen(self) -> RepoRow | None:
        return self.rows.row_at(self.currentIndex().row())

    def look_at_end(self) -> None:
        bar = self.verticalScrollBar()
        near = NEAR_END_ROWS * max(1, self.sizeHintForRow(0))
        if self.isVisible() and bar.value() >= bar.maximum() - near:
            self.more_wanted.emit()

    # ---- the user's hands ------------------------------------------------------------------------------------------

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        super().selectionChanged(selected, deselected)
        if not self._quiet and not selected.isEmpty() and (row := self.chosen) is not None:
            self.picked.emit(row)

    def currentChanged(self, current: QModelIndex, previous: QModelIndex) -> None:
        super().currentChanged(current, previous)
        if current.isValid() and not self.selectionModel().isSelected(current):
            self.selectionModel().select(current, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def _activated(self, index: QModelIndex) -> None:
        if (row := self.rows.row_at(index.row())) is not None:
            self.opened.emit(row)

    def _keeping(self, change) -> None:
        """Change the whole model; the same model stays chosen where it is still there."""
        chosen = self.chosen
        self._quiet = True
        change()
        self._quiet = False
        if chosen is not None:
            self.select(chosen.repo_id)
