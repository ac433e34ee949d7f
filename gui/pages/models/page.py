"""Models: search the Hub, see what fits, get it; and what is on this computer already."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QPushButton, QStackedWidget, QWidget

from core.hub.model import DownloadInfo
from gui.pages.models.download_words import ACTIVE, DownloadWords
from gui.pages.models.downloads_drawer import WIDTH as DRAWER_WIDTH
from gui.pages.models.downloads_drawer import DownloadsDrawer
from gui.pages.models.hub_tab import HubTab
from gui.pages.models.local_tab import LocalTab
from gui.pages.models.repo_words import RepoWords
from gui.pages.models.search_field import SearchField
from gui.theme import STEP
from gui.widgets.banner import Banner
from gui.widgets.buttons import button, retext
from gui.widgets.cards import column, row
from gui.widgets.texts import title
from gui.words import Speech


class ModelsPage(QWidget):
    """`searched` with the text, 250 ms after the last key or at once on Enter (`True` then); `tab_shown` with its name.

    Opens on this computer's own models: nothing is asked of the Hub before the user asks for it.
    """

    searched = Signal(str, bool)
    tab_shown = Signal(str)
    downloads_shown = Signal()

    def __init__(self, speech: Speech) -> None:
        super().__init__()
        self._words = DownloadWords(speech.language, self)
        self.banner = Banner(self)
        self.search = SearchField()
        self.hub = HubTab(RepoWords(speech.language, self))
        self.local = LocalTab(speech)
        self.drawer = DownloadsDrawer(self._words, self)
        self._downloads = button(self.tr("Downloads"), "downloadsButton", kind="quiet", icon="download")
        self._downloads.setToolTip(self.tr("Show all downloads"))
        self._tabs = QButtonGroup(self)
        self._stack = QStackedWidget()
        self._shown = "local"
        self._build()
        self.search.typed.connect(self.searched)
        self._downloads.clicked.connect(self.show_downloads)
        self.setAcceptDrops(True)

    def _build(self) -> None:
        head = row(spacing=2 * STEP)
        head.addWidget(title(self.tr("Models")))
        head.addWidget(self.search, 1)
        head.addWidget(self._downloads)
        tabs = row(spacing=STEP // 2)
        for name, words in (("hub", self.tr("Hub")), ("local", self.tr("On this computer"))):
            tabs.addWidget(self._tab(name, words))
        tabs.addStretch(1)
        self._stack.addWidget(self.local)
        self._stack.addWidget(self.hub)
        outer = column(self, spacing=STEP + 4)
        outer.setContentsMargins(3 * STEP, 2 * STEP, 3 * STEP, 2 * STEP)
        outer.addLayout(head)
        outer.addLayout(tabs)
        outer.addWidget(self.banner)
        outer.addWidget(self._stack, 1)
        self._tabs.buttons()[1].setChecked(True)

    def _tab(self, name: str, words: str) -> QPushButton:
        made = button(words, f"tab{name.capitalize()}", kind="tab")
        made.setCheckable(True)
        made.setProperty("tab", name)
        made.clicked.connect(self._tab_clicked)
        self._tabs.addButton(made)
        return made

    # ---- tabs ------------------------------------------------------------------------------------------------------

    @property
    def shown_tab(self) -> str:
        return self._shown

    def show_tab(self, name: str) -> None:
        for made in self._tabs.buttons():
            made.setChecked(made.property("tab") == name)
        changed, self._shown = name != self._shown, name
        self._stack.setCurrentWidget(self.hub if name == "hub" else self.local)
        if changed:
            self.tab_shown.emit(name)

    def _tab_clicked(self) -> None:
        self.show_tab(str(self.sender().property("tab")))

    # ---- downloads -------------------------------------------------------------------------------------------------

    def show_downloads(self) -> None:
        if self.drawer.isVisible():
            self.drawer.put_away()
        else:
            self.bring_downloads()

    def bring_downloads(self) -> None:
        self._place_drawer()
        self.drawer.bring()
        self.downloads_shown.emit()

    def count_downloads(self, downloads: tuple[DownloadInfo, ...]) -> None:
        running = sum(download.state in ACTIVE for download in downloads)
        retext(
            self._downloads, self.tr("Downloads: {count}").format(count=running) if running else self.tr("Downloads")
        )

    def _place_drawer(self) -> None:
        top = self._downloads.mapTo(self, self._downloads.rect().bottomLeft()).y() + STEP
        width = min(DRAWER_WIDTH, self.width() - 6 * STEP)
        self.drawer.setGeometry(self.width() - width - 3 * STEP, top, width, self.height() - top - 2 * STEP)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.drawer.isVisible():
            self._place_drawer()

    # ---- folders dropped anywhere ----------------------------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        self.show_tab("local")
        for url in event.mimeData().urls():
            if url.isLocalFile():
                self.local.folder_given.emit(url.toLocalFile())
        event.acceptProposedAction()
