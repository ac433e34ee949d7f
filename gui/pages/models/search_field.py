"""The search field: speaks when typing rests, at once on Enter, and at once when something was pasted."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QLineEdit

SEARCH_DELAY_MS = 250
PASTED_CHARACTERS = 4


class SearchField(QLineEdit):
    """`typed` with the text, and whether the user surely means all of it (Enter, or a paste)."""

    typed = Signal(str, bool)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("hubSearch")
        self.setAccessibleName(self.tr("Search Hugging Face"))
        self.setPlaceholderText(self.tr("Search Hugging Face, or paste a model's name or address"))
        self.setClearButtonEnabled(True)
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(SEARCH_DELAY_MS)
        self._rest.timeout.connect(self._rested)
        self._before = self._told = ""
        # Also for the clear button, which edits nothing in Qt's sense.
        self.textChanged.connect(self._changed)
        self.returnPressed.connect(self._entered)

    def bring_back(self, text: str) -> None:
        """What stood here before the window was made anew; nothing is told."""
        self._before = self._told = text
        self.blockSignals(True)
        self.setText(text)
        self.blockSignals(False)

    def _changed(self, text: str) -> None:
        pasted = len(text) - len(self._before) >= PASTED_CHARACTERS
        self._before = text
        if pasted:
            self._entered()
        else:
            self._rest.start()

    def _rested(self) -> None:
        if self.text() != self._told:
            self._told = self.text()
            self.typed.emit(self._told, False)

    def _entered(self) -> None:
        self._rest.stop()
        self._told = self.text()
        self.typed.emit(self._told, True)
