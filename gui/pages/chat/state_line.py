"""What stands between a person and the next answer, in one line above the composer, with what to do about it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QPushButton

from gui.theme import STEP
from gui.widgets.buttons import button, retext
from gui.widgets.cards import row
from gui.widgets.texts import plain

ROOMY = 640


class StateLine(QFrame):
    """Hidden while nothing is in the way. `acted` with the id of the button that was pressed."""

    acted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("chatState")
        self.setProperty("card", "bubble")
        self._text = plain()
        self._text.setObjectName("chatStateText")
        self._buttons = [
            button(self.tr("Continue"), name, kind="small") for name in ("chatStateFirst", "chatStateSecond")
        ]
        self._layout = row(self, spacing=STEP)
        self._layout.setContentsMargins(2 * STEP, STEP, STEP, STEP)
        self._layout.addWidget(self._text, 1)
        buttons = row(spacing=STEP)
        for one in self._buttons:
            one.clicked.connect(self._clicked)
            buttons.addWidget(one)
        buttons.addStretch(1)
        self._layout.addLayout(buttons)
        self.hide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a narrow window the buttons go below the text."""
        super().resizeEvent(event)
        wide = self.width() >= ROOMY
        self._layout.setDirection(QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom)

    def show_state(self, text: str, *actions: tuple[str, str]) -> None:
        """Args: `actions`: id and words of at most two buttons. An empty `text` hides the line."""
        self._text.setText(text)
        self.setAccessibleName(text)
        for place, one in enumerate(self._buttons):
            self._show_button(one, actions[place] if place < len(actions) else ("", ""))
        self.setVisible(bool(text))

    def _show_button(self, one: QPushButton, action: tuple[str, str]) -> None:
        if action[1]:
            retext(one, action[1])
        one.setProperty("action", action[0])
        one.setVisible(bool(action[0]))

    def _clicked(self) -> None:
        self.acted.emit(str(self.sender().property("action")))
