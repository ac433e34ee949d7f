"""A vLLM that the user has already."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QFrame, QLineEdit

from gui.theme import STEP
from gui.widgets.buttons import button
from gui.widgets.cards import column, row
from gui.widgets.texts import heading, quiet


class AddEngine(QFrame):
    given = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self._path = QLineEdit()
        self._path.setObjectName("enginePath")
        self._path.setAccessibleName(self.tr("Path of a Python or of an environment with vLLM"))
        self._path.setPlaceholderText(self.tr("/path/to/venv or /path/to/python"))
        self._path.returnPressed.connect(self._give)
        self._path.textChanged.connect(self._typed)
        self._add = button(self.tr("Add"), "addEngineButton")
        self._add.setAccessibleName(self.tr("Add this engine"))
        self._add.setEnabled(False)
        self._add.clicked.connect(self._give)
        browse = button(self.tr("Browse…"), "browseEngineButton", icon="folder")
        browse.clicked.connect(self._browse)
        layout = column(self, spacing=STEP, margin=2 * STEP)
        layout.addWidget(heading(self.tr("A vLLM you already have")))
        layout.addWidget(
            quiet(self.tr("Its Python or its environment's folder. Stowage uses it and never changes it."))
        )
        line = row()
        line.addWidget(self._path, 1)
        line.addWidget(self._add)
        line.addWidget(browse)
        layout.addLayout(line)

    def clear(self) -> None:
        self._path.clear()

    def show_busy(self, busy: bool) -> None:
        self._path.setEnabled(not busy)
        self._add.setEnabled(not busy and bool(self._path.text().strip()))

    def _typed(self, text: str) -> None:
        self._add.setEnabled(bool(text.strip()))

    def _give(self) -> None:
        if path := self._path.text().strip().strip("\"'"):
            self.given.emit(path)

    def _browse(self) -> None:
        dialog = QFileDialog(self, self.tr("Choose an environment's folder"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.given)
        dialog.open()
