"""Where an access token is pasted."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from gui.theme import STEP
from gui.widgets.buttons import button
from gui.widgets.cards import column, row
from gui.widgets.texts import toned


class TokenEntry(QWidget):
    """A field for an access token. `given` with what was pasted; it is cleared at once and never shown."""

    given = Signal(str)

    def __init__(self, name: str) -> None:
        super().__init__()
        self._field = QLineEdit()
        self._field.setObjectName(name)
        self._field.setEchoMode(QLineEdit.EchoMode.Password)
        self._field.setAccessibleName(self.tr("Access token of Hugging Face"))
        self._field.setPlaceholderText(self.tr("Paste your access token (hf_…)"))
        self._save = button(self.tr("Check and keep"), f"{name}Save", kind="small")
        self._save.setEnabled(False)
        self._problem = toned("bad")
        self._problem.setObjectName(f"{name}Problem")
        self._problem.hide()
        self._field.textChanged.connect(self._typed)
        self._field.returnPressed.connect(self._give)
        self._save.clicked.connect(self._give)
        line = row()
        line.addWidget(self._field, 1)
        line.addWidget(self._save)
        layout = column(self, spacing=STEP // 2)
        layout.addLayout(line)
        layout.addWidget(self._problem)

    def show_problem(self, text: str) -> None:
        self._problem.setText(text)
        self._problem.setVisible(bool(text))

    def _typed(self, text: str) -> None:
        self._save.setEnabled(bool(text.strip()))

    def _give(self) -> None:
        if text := self._field.text().strip():
            self._field.clear()
            self.show_problem("")
            self.given.emit(text)
