"""The files of a repository: those that vLLM loads first, then the rest, which is not downloaded."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem

from core.hub.model import RepoDetails
from gui.pages.models.repo_words import RepoWords
from gui.theme import STEP

ROW_HEIGHT = 24
SHOWN_ROWS = 8


class FileTable(QTableWidget):
    def __init__(self, words: RepoWords) -> None:
        super().__init__(0, 3)
        self._words = words
        self.setObjectName("fileTable")
        self.setAccessibleName(self.tr("Files of the repository"))
        self.setHorizontalHeaderLabels((self.tr("File"), self.tr("Size"), self.tr("Downloaded")))
        self.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column in (1, 2):
            self.horizontalHeader().setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        self.horizontalHeader().setHighlightSections(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        self.setShowGrid(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setTabKeyNavigation(False)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def show_files(self, details: RepoDetails) -> None:
        needed = set(details.needed)
        files = sorted(details.files, key=lambda file: (file.path not in needed, -file.size, file.path))
        self.setRowCount(len(files))
        for place, file in enumerate(files):
            taken = self.tr("yes") if file.path in needed else self.tr("no")
            for column, text in enumerate((file.path, self._words.size(file.size) or "0", taken)):
                item = QTableWidgetItem(text)
                item.setToolTip(text)
                self.setItem(place, column, item)
        rows = min(SHOWN_ROWS, len(files))
        self.setFixedHeight(rows * ROW_HEIGHT + self.horizontalHeader().sizeHint().height() + STEP + 4)
