"""One message's text: selectable, as high as its content, formatted while it is being written."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QPalette, QResizeEvent, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextOption
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextBrowser, QWidget

from gui.pages.chat.markdown import Blocks, Look, MarkdownRenderer
from gui.theme import fixed_font

FLUSH_MS = 33
SHEET = (
    "p { margin: 0 0 8px 0 } li { margin: 0 0 4px 0 } ul, ol { margin: 0 0 8px 0 }"
    " h1, h2, h3, h4 { margin: 8px 0 6px 0 }"
)


class AnswerText(QTextBrowser):
    """`append_markdown` while text comes, `finish` for the final form. `link_wanted` instead of opening anything."""

    link_wanted = Signal(QUrl)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
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
        self.anchorClicked.connect(self.link_wanted)
        self._renderer = MarkdownRenderer(self._look())
        self._blocks = Blocks(self._renderer)
        self._source = ""
        self._waiting = ""
        self._tail_start = 0
        self._plain = False
        self._flush_timer = QTimer(self)
        self._flush_timer.setSingleShot(True)
        self._flush_timer.setInterval(FLUSH_MS)
        self._flush_timer.timeout.connect(self.flush)

    def loadResource(self, _kind: int, _url: QUrl) -> object:
        """Nothing is loaded: no file, no remote picture."""
        return None

    # ---- text ------------------------------------------------------------------------------------------------------

    def show_plain(self, text: str) -> None:
        self._plain = True
        self._source = text
        self.setPlainText(text)

    def append_markdown(self, text: str) -> None:
        self._source += text
        self._waiting += text
        if not self._flush_timer.isActive():
            self._flush_timer.start()

    def finish(self, text: str) -> None:
        """The whole answer, rendered in one go: reference links and the like need the whole text."""
        self._flush_timer.stop()
        self._waiting = ""
        self._source = text
        self.setHtml(self._renderer.html(text))
        self._blocks = Blocks(self._renderer)

    def source(self) -> str:
        return self._source

    def restyle(self) -> None:
        """Colours of code come from the palette and are part of the text: render again after a change of theme."""
        self._renderer = MarkdownRenderer(self._look())
        if not self._plain:
            self._blocks = Blocks(self._renderer)
            self._waiting = self._source
            self._tail_start = 0
            self.clear()
            self.flush()

    def flush(self) -> None:
        new, self._waiting = self._waiting, ""
        if not new:
            return
        was_code = self._blocks.open_fence()
        if was_code and "`" not in new and "~" not in new:
            self._blocks.tail += new
            self._append_code(new)
            return
        finished, rest = self._blocks.feed(new)
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        cursor.setPosition(self._tail_start)
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        for block in finished:
            self._append_block(cursor, block)
        self._tail_start = cursor.position()
        if rest:
            self._append_block(cursor, rest)
        cursor.endEditBlock()

    def _append_block(self, cursor: QTextCursor, block: str) -> None:
        cursor.movePosition(QTextCursor.MoveOperation.End)
        block_now = cursor.block()
        if block_now.length() > 1:
            cursor.insertBlock(QTextBlockFormat(), QTextCharFormat())
        else:
            # What was taken away may have been a list: its empty line would keep the mark.
            if (marks := block_now.textList()) is not None:
                marks.remove(block_now)
            cursor.setBlockFormat(QTextBlockFormat())
            cursor.setBlockCharFormat(QTextCharFormat())
        cursor.insertHtml(block)
        cursor.movePosition(QTextCursor.MoveOperation.End)

    def _append_code(self, text: str) -> None:
        """More of an open fence: plain text at the end of its cell, no parsing (halves the cost of long code)."""
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.movePosition(QTextCursor.MoveOperation.PreviousCharacter)
        shown = self._blocks.tail[: len(self._blocks.tail) - len(text)]
        # A final newline is not drawn until something follows it.
        cursor.insertText(("\n" if shown.endswith("\n") and "\n" in shown[:-1] else "") + text.removesuffix("\n"))

    # ---- size ------------------------------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(400, self._height())

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

    def _look(self) -> Look:
        palette = self.palette()
        return Look(
            palette.color(QPalette.ColorRole.AlternateBase).name(),
            fixed_font().family(),
            palette.color(QPalette.ColorRole.Mid).name(),
        )
