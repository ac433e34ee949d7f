"""What was just taken away, and the way back. It stays until it is used, closed, or something else is taken away."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QWidget

from gui.theme import STEP
from gui.widgets.buttons import button, icon_button
from gui.widgets.cards import row
from gui.widgets.one_line import OneLine


class UndoBar(QFrame):
    """Hidden until `show_text`. `undo_wanted` when the person wants it back."""

    undo_wanted = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setProperty("card", "bubble")
        self._text = OneLine()
        self._undo = button(self.tr("Undo"), f"{name}Undo", kind="small", parent=self)
        self._close = icon_button("close", f"{name}Close", self.tr("Close this message"), self)
        self._close.setProperty("kind", "tool")
        self._close.setFixedWidth(4 * STEP)
        layout = row(self, spacing=STEP // 2)
        layout.setContentsMargins(STEP + 4, STEP // 2, STEP // 2, STEP // 2)
        layout.addWidget(self._text, 1)
        layout.addWidget(self._undo)
        layout.addWidget(self._close)
        self._undo.clicked.connect(self._undo_clicked)
        self._close.clicked.connect(self.hide)
        self.hide()

    def show_text(self, text: str) -> None:
        self._text.set_full_text(text)
        self.setAccessibleName(text)
        self.show()

    def _undo_clicked(self) -> None:
        self.hide()
        self.undo_wanted.emit()
