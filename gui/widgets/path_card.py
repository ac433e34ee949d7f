"""A card that asks for a path: typed, pasted, or chosen in a dialog."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QFrame, QLineEdit

from gui.theme import STEP
from gui.widgets.buttons import button, retext
from gui.widgets.cards import column, row
from gui.widgets.texts import heading, quiet


@dataclass(frozen=True, slots=True)
class PathTexts:
    """What the card says. `field`, `add_this`: names for a screen reader; `hint` stands in the empty field; `choose`
    over the dialog."""

    title: str
    about: str
    field: str
    hint: str
    add: str
    add_this: str
    browse: str
    choose: str


class PathCard(QFrame):
    """`given` with the path, without the quotes and the scheme that file managers copy along."""

    given = Signal(str)

    def __init__(self, kind: str) -> None:
        """Args: `kind` part of the names of its widgets: "engine" makes `enginePath`, `addEngineButton`."""
        super().__init__()
        self._choose = ""
        self.setProperty("card", "true")
        self._path = QLineEdit()
        self._path.setObjectName(f"{kind}Path")
        self._path.returnPressed.connect(self._give)
        self._path.textChanged.connect(self._arrange)
        self._add = button("", f"add{kind.capitalize()}Button")
        self._add.setEnabled(False)
        self._add.clicked.connect(self._give)
        self._other = button("", f"browse{kind.capitalize()}Button", icon="folder")
        self._other.clicked.connect(self._browse)

    def say(self, texts: PathTexts) -> None:
        """Once, when the words are known."""
        self._choose = texts.choose
        self._path.setAccessibleName(texts.field)
        self._path.setPlaceholderText(texts.hint)
        self._add.setText(texts.add)
        self._add.setAccessibleName(texts.add_this)
        retext(self._other, texts.browse)
        layout = column(self, spacing=STEP, margin=2 * STEP)
        layout.addWidget(heading(texts.title))
        layout.addWidget(quiet(texts.about))
        line = row()
        line.addWidget(self._path, 1)
        line.addWidget(self._add)
        line.addWidget(self._other)
        layout.addLayout(line)

    def clear(self) -> None:
        self._path.clear()

    def show_busy(self, busy: bool) -> None:
        self._path.setEnabled(not busy)
        self._arrange()

    def _arrange(self) -> None:
        self._add.setEnabled(self._path.isEnabled() and bool(self._path.text().strip()))

    def _give(self) -> None:
        if path := self._path.text().strip().strip("\"'").removeprefix("file://"):
            self.given.emit(path)

    def _browse(self) -> None:
        dialog = QFileDialog(self, self._choose)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.given)
        dialog.open()
