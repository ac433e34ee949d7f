"""The guided first start, and the way to add a checkpoint folder."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QFrame, QLineEdit

from gui.theme import STEP
from gui.widgets.buttons import button
from gui.widgets.cards import column, row
from gui.widgets.texts import heading, plain, quiet


class GuideCard(QFrame):
    """The first start in one action."""

    wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("guideCard")
        self.setProperty("card", "chosen")
        self._about = plain()
        self._start = button(self.tr("Install engine and start the starter model"), "guideButton", kind="primary")
        self._start.clicked.connect(self.wanted)
        layout = column(self, spacing=STEP, margin=2 * STEP)
        layout.addWidget(heading(self.tr("Your first answer, in one step")))
        layout.addWidget(self._about)
        layout.addWidget(self._start)
        self.hide()

    def offer(self, sizes: str) -> None:
        self._about.setText(sizes)
        self.setVisible(bool(sizes))


class AddFolder(QFrame):
    """A checkpoint folder by path, by dialog, or dropped on the page."""

    given = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self._path = QLineEdit()
        self._path.setObjectName("folderPath")
        self._path.setAccessibleName(self.tr("Path of a checkpoint folder"))
        self._path.setPlaceholderText(self.tr("Paste a path, or drop a folder on this page"))
        self._path.returnPressed.connect(self._give)
        self._add = button(self.tr("Add"), "addFolderButton")
        self._add.setAccessibleName(self.tr("Add this folder"))
        self._add.setEnabled(False)
        self._add.clicked.connect(self._give)
        self._path.textChanged.connect(self._typed)
        browse = button(self.tr("Browse…"), "browseFolderButton", icon="folder")
        browse.clicked.connect(self._browse)
        layout = column(self, spacing=STEP, margin=2 * STEP)
        layout.addWidget(heading(self.tr("A model on this computer")))
        layout.addWidget(quiet(self.tr("A folder with config.json, the safetensors files and the tokenizer.")))
        line = row()
        line.addWidget(self._path, 1)
        line.addWidget(self._add)
        line.addWidget(browse)
        layout.addLayout(line)

    def clear(self) -> None:
        self._path.clear()

    def _typed(self, text: str) -> None:
        self._add.setEnabled(bool(text.strip()))

    def _give(self) -> None:
        if path := self._path.text().strip().strip("\"'").removeprefix("file://"):
            self.given.emit(path)

    def _browse(self) -> None:
        dialog = QFileDialog(self, self.tr("Choose a checkpoint folder"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.given)
        dialog.open()
