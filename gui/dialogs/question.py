"""A question that needs a decision: window-modal, answered by verbs, opened with `open()` and never waited for."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QDialog, QPushButton, QWidget

from gui.theme import STEP
from gui.widgets.buttons import button
from gui.widgets.cards import column, row
from gui.widgets.texts import heading as heading_label
from gui.widgets.texts import plain


class Question(QDialog):
    """`chosen` with the id of the button pressed; Escape is the last choice. Deletes itself when closed."""

    chosen = Signal(str)

    def __init__(
        self,
        parent: QWidget,
        *,
        name: str,
        heading: str,
        text: str,
        choices: tuple[tuple[str, str], ...],
        remember: str = "",
    ) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setWindowTitle(heading)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(52 * STEP)
        self._choices = choices
        self._remember = QCheckBox(remember)
        self._remember.setObjectName(f"{name}Remember")
        self._remember.setAccessibleName(remember)
        self._remember.setVisible(bool(remember))
        layout = column(self, spacing=STEP, margin=3 * STEP)
        layout.addWidget(heading_label(heading))
        layout.addWidget(plain(text))
        layout.addWidget(self._remember)
        layout.addSpacing(STEP)
        buttons = row()
        buttons.addStretch(1)
        for place, (choice, words) in enumerate(choices):
            buttons.addWidget(self._button(choice, words, first=place == 0))
        layout.addLayout(buttons)
        self.rejected.connect(self._escaped)

    @property
    def remembered(self) -> bool:
        return self._remember.isChecked()

    def _button(self, choice: str, words: str, *, first: bool) -> QPushButton:
        made = button(words, f"{self.objectName()}-{choice}", kind="primary" if first else "")
        made.setProperty("choice", choice)
        made.setDefault(first)
        made.clicked.connect(self._clicked)
        return made

    def _clicked(self) -> None:
        choice = str(self.sender().property("choice"))
        self.rejected.disconnect(self._escaped)
        self.chosen.emit(choice)
        self.accept()

    def _escaped(self) -> None:
        self.chosen.emit(self._choices[-1][0])
