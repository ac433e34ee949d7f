"""The Hub tab: filters above, the list and beside it the details."""

from __future__ import annotations

from PySide6.QtWidgets import QSplitter, QWidget

from gui.pages.models.details_pane import DetailsPane
from gui.pages.models.filter_bar import FilterBar
from gui.pages.models.hub_list import HubList
from gui.pages.models.repo_words import RepoWords
from gui.theme import STEP
from gui.widgets.cards import column


class HubTab(QWidget):
    def __init__(self, words: RepoWords) -> None:
        super().__init__()
        self.setObjectName("hubTab")
        self.filters = FilterBar()
        self.list = HubList(words)
        self.details = DetailsPane(words)
        self.list.setMinimumWidth(40 * STEP)
        self.details.setMinimumWidth(38 * STEP)
        split = QSplitter()
        split.setObjectName("hubSplit")
        split.setChildrenCollapsible(False)
        split.setHandleWidth(STEP + 4)
        split.addWidget(self.list)
        split.addWidget(self.details)
        split.setStretchFactor(0, 6)
        split.setStretchFactor(1, 5)
        split.setSizes([500, 440])
        layout = column(self, spacing=STEP)
        layout.addWidget(self.filters)
        layout.addWidget(split, 1)
