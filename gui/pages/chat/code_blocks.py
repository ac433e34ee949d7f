"""The pieces of code of one message: ground, language and copy button above each, colours when they have been found."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Final

from PySide6.QtCore import QElapsedTimer, QObject, QPoint, QRectF, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QPainter, QPalette, QTextBlock, QTextLayout
from PySide6.QtWidgets import QPushButton, QTextEdit
from shiboken6 import isValid

from core.typeset.code import Line
from gui.pages.chat.rendering import Rendering
from gui.pages.chat.text_style import TextStyle
from gui.pages.chat.writer import Code
from gui.theme import STEP
from gui.widgets.buttons import icon_button

BUDGET_S: Final = 0.004
# While code is being written its colours are looked for again, but for no more than this share of the time.
LEX_SHARE: Final = 0.1
LEX_PAUSE_MS: Final = 400
RADIUS: Final = 8


class CodeBlock(QObject):
    """One piece of code in `view`'s document."""

    def __init__(self, code: Code, view: QTextEdit, rendering: Rendering, style: TextStyle) -> None:
        super().__init__(view)
        self.frame = code.frame
        self.source = code.source
        self.language = code.language
        self._view = view
        self._rendering = rendering
        self._style = style
        self._button: QPushButton | None = None
        self._rect: QRectF | None = None
        self._lines: Sequence[Line] = ()
        self._applied: list[Line] = []
        self._asked = False
        self._since = QElapsedTimer()
        self._pause_ms = 0
        self._slice = QTimer(self)
        self._slice.setSingleShot(True)
        self._slice.timeout.connect(self._colour_some)

    def grow(self, text: str) -> None:
        self.source += text
        if not self._since.isValid() or self._since.elapsed() > self._pause_ms:
            self.ask_colours()

    def seal(self) -> None:
        """Nothing more comes: the button, and the colours of the whole."""
        self.moved()
        self._asked = False
        self.ask_colours()
        if self._button is None:
            meaning = self.tr("Copy the code ({language})") if self.language else self.tr("Copy the code")
            made = icon_button("copy", "copyCode", meaning.format(language=self.language), self._view.viewport())
            made.setCursor(Qt.CursorShape.ArrowCursor)
            made.setFixedHeight(round(self._style.code_header))
            made.clicked.connect(self._copy)
            made.show()
            self._button = made
            self.place()

    def drop(self) -> None:
        if self._button is not None:
            self._button.hide()
            self._button.deleteLater()
        self.deleteLater()

    # ---- place -----------------------------------------------------------------------------------------------------

    def rect(self) -> QRectF:
        """Of the code and the line above it, in the viewport. Asking the layout is dear, so it is kept: see `moved`."""
        if self._rect is None:
            self._rect = QRectF()
            if isValid(self.frame):
                found = self._view.document().documentLayout().frameBoundingRect(self.frame)
                # It holds the frame's margins, of which the upper one is the line with the language.
                form = self.frame.frameFormat()
                self._rect = found.adjusted(form.leftMargin(), 0.5 * STEP, 0, -form.bottomMargin())
        return self._rect

    def moved(self) -> None:
        self._rect = None

    def place(self) -> None:
        if self._button is not None:
            rect = self.rect()
            at = QPoint(round(rect.right() - self._button.width() - STEP // 2), round(rect.top() + 2))
            if self._button.pos() != at:
                self._button.move(at)

    def paint(self, painter: QPainter) -> None:
        rect = self.rect()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._style.ground)
        painter.drawRoundedRect(rect, RADIUS, RADIUS)
        if self.language:
            font = self._view.font()
            font.setPointSizeF(self._style.points * 0.85)
            painter.setFont(font)
            painter.setPen(self._view.palette().color(QPalette.ColorRole.PlaceholderText))
            head = QRectF(rect.left() + 1.2 * self._style.points, rect.top(), rect.width() * 0.6, 26)
            head.setHeight(self._style.code_header + 2)
            painter.drawText(head, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.language)

    # ---- colours ---------------------------------------------------------------------------------------------------

    def ask_colours(self) -> None:
        if self.language and not self._asked:
            self._asked = True
            self._since.start()
            self._rendering.colour(self.source, self.language, self, self._coloured)

    def _coloured(self, lines: tuple[Line, ...]) -> None:
        self._asked = False
        self._pause_ms = max(LEX_PAUSE_MS, round(self._since.elapsed() / LEX_SHARE))
        self._lines = lines
        self._slice.start(0)

    def _colour_some(self) -> None:
        """Lines whose colours are not right yet, from the first on, for a few milliseconds."""
        if not isValid(self.frame):
            return
        until = time.perf_counter() + BUDGET_S
        start = _common(self._applied, self._lines)
        document = self._view.document()
        block = document.findBlockByNumber(document.findBlock(self.frame.firstPosition()).blockNumber() + start)
        last = document.findBlock(self.frame.lastPosition())
        first_position = block.position()
        del self._applied[start:]
        for line in self._lines[start:]:
            if not block.isValid() or block.position() > last.position() or time.perf_counter() > until:
                break
            self._apply(block, line)
            self._applied.append(line)
            block = block.next()
        if block.position() > first_position:
            document.markContentsDirty(first_position, block.position() - first_position)
        if len(self._applied) < len(self._lines) and block.isValid() and block.position() <= last.position():
            self._slice.start(0)

    def _apply(self, block: QTextBlock, line: Line) -> None:
        ranges: list[QTextLayout.FormatRange] = []
        for start, length, ink in line:
            piece = QTextLayout.FormatRange()
            piece.start, piece.length, piece.format = start, length, self._style.inks[ink]
            ranges.append(piece)
        block.layout().setFormats(ranges)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.source)


def _common(one: Sequence[Line], other: Sequence[Line]) -> int:
    for number, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return number
    return min(len(one), len(other))


def drop_all(blocks: Iterable[CodeBlock]) -> None:
    for block in blocks:
        block.drop()
