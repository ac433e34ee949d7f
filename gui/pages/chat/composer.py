"""Where a message is written: Enter sends, Shift+Enter makes a new line; it grows with its text."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from gui.theme import STEP
from gui.widgets.buttons import button
from gui.widgets.cards import row

MOST_LINES = 8


class MessageInput(QPlainTextEdit):
    submitted = Signal()
    cancelled = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("chatInput")
        self.setAccessibleName(self.tr("Your message"))
        self.setPlaceholderText(self.tr("Message… (Enter sends, Shift+Enter starts a new line)"))
        self.setTabChangesFocus(True)
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

    def _fit(self) -> None:
        lines = min(MOST_LINES, max(1, round(self.document().size().height())))
        margins = 2 * round(self.document().documentMargin()) + 14
        self.setFixedHeight(lines * self.fontMetrics().lineSpacing() + margins)


class Composer(QWidget):
    """`sent` with the text; `stop_wanted` while an answer is being written."""

    sent = Signal(str)
    stop_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._input = MessageInput()
        self._send = button(self.tr("Send"), "sendButton", kind="primary")
        self._stop = button(self.tr("Stop"), "stopAnswerButton", icon="stop")
        self._stop.setToolTip(self.tr("Stop the answer (Esc)"))
        self._stop.hide()
        self._ready = False
        self._answering = False
        self._input.submitted.connect(self._submit)
        self._input.cancelled.connect(self._escape)
        self._input.textChanged.connect(self._arrange)
        self._send.clicked.connect(self._submit)
        self._stop.clicked.connect(self.stop_wanted)
        layout = row(self, spacing=STEP)
        layout.addWidget(self._input, 1)
        layout.addWidget(self._send, 0, Qt.AlignmentFlag.AlignBottom)
        layout.addWidget(self._stop, 0, Qt.AlignmentFlag.AlignBottom)
        self._arrange()

    def show_state(self, *, ready: bool, answering: bool) -> None:
        self._ready, self._answering = ready, answering
        self._arrange()

    def focus(self) -> None:
        self._input.setFocus()

    def clear(self) -> None:
        self._input.clear()

    def give_back(self, text: str) -> None:
        """Put a message that was not sent back, unless something new was typed."""
        if not self._input.toPlainText().strip():
            self._input.setPlainText(text)

    def _arrange(self) -> None:
        self._send.setVisible(not self._answering)
        self._stop.setVisible(self._answering)
        self._send.setEnabled(self._ready and bool(self._input.toPlainText().strip()))

    def _submit(self) -> None:
        text = self._input.toPlainText().strip()
        if text and self._ready and not self._answering:
            self.sent.emit(text)

    def _escape(self) -> None:
        if self._answering:
            self.stop_wanted.emit()
