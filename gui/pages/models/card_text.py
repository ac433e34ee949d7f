"""The model card: as high as its text, selectable, loads nothing, opens links in the browser."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QPalette, QResizeEvent, QTextOption
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextBrowser

from gui.pages.chat.markdown import SAFE_SCHEMES, Look
from gui.pages.models.card_markdown import CardRenderer
from gui.theme import fixed_font

SHEET = (
    "p { margin: 0 0 8px 0 } li { margin: 0 0 4px 0 } ul, ol { margin: 0 0 8px 0 }"
    " h1, h2, h3, h4 { margin: 12px 0 6px 0; font-size: medium }"
)


class CardText(QTextBrowser):
    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("modelCard")
        self.setAccessibleName(self.tr("Model card"))
        self.setOpenLinks(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.viewport().setAutoFillBackground(False)
        self.document().setDocumentMargin(0)
        self.document().setDefaultStyleSheet(SHEET)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self.anchorClicked.connect(self._open)
        # The address is seen before it is opened.
        self.highlighted.connect(self._show_address)
        self._card = ("", "")

    def loadResource(self, _kind: int, _url: QUrl) -> object:
        """Nothing is loaded: no file, no remote picture."""
        return None

    def show_card(self, text: str, base: str) -> None:
        if (text, base) != self._card:
            self._card = (text, base)
            self.restyle()

    def restyle(self) -> None:
        """Colours of code are part of the text: render again after a change of theme."""
        palette = self.palette()
        look = Look(
            palette.color(QPalette.ColorRole.AlternateBase).name(),
            fixed_font().family(),
            palette.color(QPalette.ColorRole.Mid).name(),
        )
        text, base = self._card
        self.setHtml(CardRenderer(look, base, self.tr("picture")).card(text))

    def sizeHint(self) -> QSize:
        return QSize(240, self._height())

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self._height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _height(self) -> int:
        return max(self.fontMetrics().lineSpacing(), round(self.document().size().height()) + 2)

    def _fit(self) -> None:
        if self.height() != self._height():
            self.setFixedHeight(self._height())

    def _show_address(self, url: QUrl) -> None:
        self.setToolTip(url.toString())

    def _open(self, url: QUrl) -> None:
        if url.toString().lower().startswith(SAFE_SCHEMES):
            QDesktopServices.openUrl(url)
