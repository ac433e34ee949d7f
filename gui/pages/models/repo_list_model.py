"""The found models as a Qt model: pages are added at the end, badges arrive row by row, nothing else moves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final, Literal

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

from core.hub.model import Fit, RepoRow
from gui.pages.models.repo_words import RepoWords

ROW: Final = Qt.ItemDataRole.UserRole
FIRST_SKELETONS: Final = 8
# A badge may overtake the page that its row is on.
MOST_EARLY: Final = 200

Keep = Callable[[RepoRow], bool]
Here = Mapping[str, Literal["part", "whole"]]
Index = QModelIndex | QPersistentModelIndex


class RepoListModel(QAbstractListModel):
    """`ROW` gives the `RepoRow`, None for a skeleton: a row that is still on its way."""

    def __init__(self, words: RepoWords) -> None:
        super().__init__()
        self._words = words
        self._all: list[RepoRow] = []
        self._shown: list[RepoRow] = []
        self._places: dict[str, int] = {}
        self._known: dict[str, int] = {}
        self._early: dict[str, RepoRow] = {}
        self._here: Here | None = None
        self._skeletons = 0
        self._keep: Keep = _everything

    # ---- what Qt asks ----------------------------------------------------------------------------------------------

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._shown) + self._skeletons

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.row_at(index.row())
        if role == ROW:
            return row
        if row is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return row.repo_id
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._words.row_meaning(row)
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if self.row_at(index.row()) is None:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    # ---- rows ------------------------------------------------------------------------------------------------------

    @property
    def rows(self) -> tuple[RepoRow, ...]:
        """What is shown now."""
        return tuple(self._shown)

    @property
    def found(self) -> int:
        """How many there are, with those that the fit filter hides."""
        return len(self._all)

    def row_at(self, place: int) -> RepoRow | None:
        return self._shown[place] if 0 <= place < len(self._shown) else None

    def place_of(self, repo_id: str) -> int:
        return self._places.get(repo_id, -1)

    def begin_loading(self) -> None:
        """A new search: only skeletons."""
        self.beginResetModel()
        self._all, self._shown, self._places, self._known = [], [], {}, {}
        self._skeletons = FIRST_SKELETONS
        self.endResetModel()

    def replace(self, rows: tuple[RepoRow, ...], *, more: bool) -> None:
        self.beginResetModel()
        self._all, self._known = [], {}
        self._learn(rows)
        self._skeletons = 1 if more else 0
        self._filter()
        self.endResetModel()

    def append(self, rows: tuple[RepoRow, ...], *, more: bool) -> None:
        """The next page. A model that moved between two pages is not shown twice."""
        fresh = self._learn(rows)
        self._set_skeletons(0)
        self._insert([row for row in fresh if self._keep(row)])
        self._set_skeletons(1 if more else 0)

    def update_row(self, row: RepoRow) -> None:
        """More is known of one model; the row stays where it is, or goes when the fit filter says so."""
        if row.repo_id not in self._known:
            if len(self._early) < MOST_EARLY:
                self._early[row.repo_id] = row
            return
        row = self._marked(row)
        self._all[self._known[row.repo_id]] = row
        place = self.place_of(row.repo_id)
        if place < 0:
            return
        if self._keep(row):
            self._shown[place] = row
            index = self.index(place)
            self.dataChanged.emit(index, index)
        else:
            self.beginRemoveRows(QModelIndex(), place, place)
            del self._shown[place]
            self._number()
            self.endRemoveRows()

    def show_here(self, here: Here) -> None:
        """What lies on this computer now, by repository."""
        self._here = here
        self._all = [self._marked(row) for row in self._all]
        for place, row in enumerate(self._shown):
            marked = self._marked(row)
            if marked.cached != row.cached:
                self._shown[place] = marked
                self.dataChanged.emit(self.index(place), self.index(place))

    def set_fit(self, wished: str) -> None:
        """Show only what fits ("fits"), what runs at all ("runs"), or everything (""). A model whose fit is not known
        yet stays until it is."""
        self._keep = {"fits": _fits, "runs": _runs}.get(wished, _everything)
        self.beginResetModel()
        self._filter()
        self.endResetModel()

    # ---- means -----------------------------------------------------------------------------------------------------

    def _learn(self, rows: tuple[RepoRow, ...]) -> list[RepoRow]:
        fresh: list[RepoRow] = []
        for row in rows:
            if row.repo_id not in self._known:
                early = self._early.pop(row.repo_id, None)
                if early is not None and early.commit == row.commit:
                    row = early
                row = self._marked(row)
                self._known[row.repo_id] = len(self._all)
                self._all.append(row)
                fresh.append(row)
        return fresh

    def _marked(self, row: RepoRow) -> RepoRow:
        """A row may be older than the newest look at the cache."""
        cached = row.cached if self._here is None else self._here.get(row.repo_id, "")
        return row if cached == row.cached else replace(row, cached=cached)

    def _filter(self) -> None:
        self._shown = [row for row in self._all if self._keep(row)]
        self._number()

    def _number(self) -> None:
        self._places = {row.repo_id: place for place, row in enumerate(self._shown)}

    def _insert(self, rows: list[RepoRow]) -> None:
        if rows:
            first = len(self._shown)
            self.beginInsertRows(QModelIndex(), first, first + len(rows) - 1)
            self._shown += rows
            self._number()
            self.endInsertRows()

    def _set_skeletons(self, wanted: int) -> None:
        first = len(self._shown)
        if wanted < self._skeletons:
            self.beginRemoveRows(QModelIndex(), first + wanted, first + self._skeletons - 1)
            self._skeletons = wanted
            self.endRemoveRows()
        elif wanted > self._skeletons:
            self.beginInsertRows(QModelIndex(), first + self._skeletons, first + wanted - 1)
            self._skeletons = wanted
            self.endInsertRows()


def _everything(_row: RepoRow) -> bool:
    return True


def _fits(row: RepoRow) -> bool:
    return row.badge is None or row.badge.fit in (Fit.FITS, Fit.TIGHT)


def _runs(row: RepoRow) -> bool:
    return row.badge is None or row.badge.fit in (Fit.FITS, Fit.TIGHT, Fit.OFFLOAD)
