"""The field a message is written in: Enter sends, Shift+Enter makes a new line; it grows with its text."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QFocusEvent, QImage, QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit

MOST_LINES = 8


class MessageInput(QPlainTextEdit):
    """`files_given` with paths and `picture_given` with a `QImage`, whether pasted or dropped."""

    submitted = Signal()
    cancelled = Signal()
    focused = Signal(bool)
    files_given = Signal(object)
    picture_given = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("chatInput")
        self.setProperty("look", "bare")
        self.setAccessibleName(self.tr("Your message"))
        self.setPlaceholderText(self.tr("Message… (Enter sends, Shift+Enter starts a new line)"))
        self.setTabChangesFocus(True)
        self.viewport().setAutoFillBackground(False)
        self.textChanged.connect(self._fit)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        plain_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not (
            event.modifiers() & (Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.AltModifier)
        )
        if plain_enter:
            self.submitted.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.cancelled.emit()
        else:
            super().keyPressEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return bool(files_of(source)) or source.hasImage() or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        if files := files_of(source):
            self.files_given.emit(files)
        elif source.hasImage() and not source.hasText():
            picture = source.imageData()
            if isinstance(picture, QImage):
                self.picture_given.emit(picture)
        else:
            super().insertFromMimeData(source)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focused.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focused.emit(False)

    def _fit(self) -> None:
        lines = min(MOST_LINES, max(1, round(self.document().size().height())))
        margins = 2 * round(self.document().documentMargin()) + 6
        self.setFixedHeight(lines * self.fontMetrics().lineSpacing() + margins)


def files_of(source: QMimeData) -> tuple[str, ...]:
    """Paths of the local files that were dropped or pasted."""
    return tuple(url.toLocalFile() for url in source.urls() if url.isLocalFile())
