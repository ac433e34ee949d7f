"""The ground of a message's text: a QTextBrowser as high as its content, which loads nothing and opens nothing.

Selection, links, the keyboard and screen readers are Qt's own. What is painted below the text (code, quotations) and
what a selection is as plain text is ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QMimeData, QRectF, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QResizeEvent, QTextCursor, QTextOption, QWheelEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextBrowser, QWidget

from gui.pages.chat.code_blocks import CodeBlock
from gui.pages.chat.copying import selected_text
from gui.pages.chat.quotes import Quote
from gui.pages.chat.text_style import TextStyle


class MessageView(QTextBrowser):
    """`link_wanted` instead of opening anything."""

    link_wanted = Signal(QUrl)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setOpenLinks(False)
        self.setUndoRedoEnabled(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextBrowserInteraction | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.viewport().setAutoFillBackground(False)
        self.document().setDocumentMargin(0)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self.style_of_text = TextStyle(self.palette(), self.font())
        self.document().setIndentWidth(self.style_of_text.indent)
        self.codes: list[CodeBlock] = []
        self.quotes: list[Quote] = []
        self._least = 0

    def set_size(self, font: QFont) -> None:
        """A font of its own. What is set before the style sheet was applied would be lost when it is."""
        self.ensurePolished()
        self.setFont(font)

    def loadResource(self, _kind: int, _url: QUrl) -> object:
        """Nothing is loaded: no file, no remote picture. Drawings are put into the document by us."""
        return None

    def plain_text(self) -> str:
        """All of it as it is copied."""
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        return selected_text(cursor)

    def createMimeDataFromSelection(self) -> QMimeData:
        data = QMimeData()
        data.setText(selected_text(self.textCursor()))
        return data

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The list scrolls and zooms, not the message."""
        event.ignore()

    # ---- painting --------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.codes or self.quotes:
            painter = QPainter(self.viewport())
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            area = QRectF(event.rect())
            for code in _seen(self.codes, area):
                code.paint(painter)
            for quote in self.quotes:
                if quote.rect().intersects(area):
                    quote.paint(painter)
            painter.end()
        super().paintEvent(event)

    def contents_moved(self) -> None:
        """Something above code or a quotation may have changed its height."""
        for ground in (*self.codes, *self.quotes):
            ground.moved()
        for code in self.codes:
            code.place()

    # ---- size ------------------------------------------------------------------------------------------------------

    def hold_height(self, held: bool) -> None:
        """While it is written anew it stays as high as it is, so that nothing jumps."""
        self._least = self.height() if held else 0
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(400, self._height())

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self._height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()
            self.contents_moved()

    def _height(self) -> int:
        content = round(self.document().size().height()) + 2
        return max(content, self._least)

    def _fit(self) -> None:
        height = self._height()
        if self.height() != height:
            self.setFixedHeight(height)


def _seen(codes: Sequence[CodeBlock], area: QRectF) -> Iterator[CodeBlock]:
    """Those in `area`. They stand one below the other, and the newest are seen most often."""
    for code in reversed(codes):
        rect = code.rect()
        if rect.isEmpty() or rect.top() > area.bottom():
            continue
        if rect.bottom() < area.top():
            return
        yield code
