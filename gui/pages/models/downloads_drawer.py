"""All downloads, over the right edge of the page: nothing below it moves."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QWidget

from core.hub.model import DownloadInfo
from gui.pages.models.download_row import DownloadRow
from gui.pages.models.download_words import DownloadWords
from gui.theme import STEP
from gui.widgets.buttons import icon_button
from gui.widgets.cards import column, row
from gui.widgets.limit_box import LimitBox
from gui.widgets.scroll import scrolled
from gui.widgets.texts import heading, quiet

WIDTH = 48 * STEP


class DownloadsDrawer(QFrame):
    """`wanted` with a download's key and a verb; `limit_chosen` in bytes per second, 0 none; `closed`."""

    wanted = Signal(str, str)
    limit_chosen = Signal(int)
    closed = Signal()

    def __init__(self, words: DownloadWords, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("downloadsDrawer")
        self.setProperty("card", "true")
        self._words = words
        self._rows: dict[str, DownloadRow] = {}
        self._limit = LimitBox()
        self._limit.picked.connect(self.limit_chosen)
        self._empty = quiet(self.tr("Nothing is being downloaded. Models that you get appear here."))
        close = icon_button("close", "closeDownloads", self.tr("Close the downloads"))
        close.clicked.connect(self.put_away)
        head = row()
        head.addWidget(heading(self.tr("Downloads")), 1)
        head.addWidget(close)
        limit = row()
        limit.addWidget(quiet(self.tr("Speed limit"), wrap=False))
        limit.addWidget(self._limit, 1)
        inside = QWidget()
        self._list = column(inside)
        self._list.addWidget(self._empty)
        self._list.addStretch(1)
        layout = column(self, spacing=STEP, margin=STEP + 4)
        layout.addLayout(head)
        layout.addLayout(limit)
        layout.addWidget(scrolled(inside), 1)
        self.hide()

    def show_downloads(self, downloads: tuple[DownloadInfo, ...]) -> None:
        """Rows stay the same widgets while their download lives: the focus stays where it is."""
        wanted = {download.key for download in downloads}
        for gone in [key for key in self._rows if key not in wanted]:
            old = self._rows.pop(gone)
            old.hide()
            old.deleteLater()
        for place, download in enumerate(downloads):
            shown = self._rows.get(download.key)
            if shown is None:
                shown = DownloadRow(download, self._words)
                shown.wanted.connect(self.wanted)
                self._rows[download.key] = shown
                self._list.insertWidget(place, shown)
            else:
                shown.show_download(download)
        self._empty.setVisible(not downloads)

    def show_limit(self, bytes_per_s: int) -> None:
        self._limit.show_value(bytes_per_s)

    def bring(self) -> None:
        self.show()
        self.raise_()
        self._limit.setFocus()

    def put_away(self) -> None:
        if self.isVisible():
            self.hide()
            self.closed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.put_away()
        else:
            super().keyPressEvent(event)
