"""One line of text asked for: a name, tags. Window-modal, opened with `open()` and never waited for."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QLineEdit, QWidget

from gui.theme import STEP
from gui.widgets.buttons import button
from gui.widgets.cards import column, row
from gui.widgets.texts import heading as heading_label
from gui.widgets.texts import quiet


class OneField(QDialog):
    """`entered` with the text when it is kept. Deletes itself when closed."""

    entered = Signal(str)

    def __init__(self, parent: QWidget, *, name: str, heading: str, about: str, text: str, keep: str) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setWindowTitle(heading)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(48 * STEP)
        self._field = QLineEdit(text)
        self._field.setObjectName(f"{name}Field")
        self._field.setAccessibleName(heading)
        self._field.setAccessibleDescription(about)
        self._field.selectAll()
        self._keep = button(keep, f"{name}Keep", kind="primary")
        self._keep.setDefault(True)
        cancel = button(self.tr("Cancel"), f"{name}Cancel")
        layout = column(self, spacing=STEP, margin=3 * STEP)
        layout.addWidget(heading_label(heading))
        layout.addWidget(quiet(about))
        layout.addWidget(self._field)
        layout.addSpacing(STEP)
        buttons = row()
        buttons.addStretch(1)
        buttons.addWidget(self._keep)
        buttons.addWidget(cancel)
        layout.addLayout(buttons)
        self._keep.clicked.connect(self._kept)
        cancel.clicked.connect(self.reject)

    def _kept(self) -> None:
        self.entered.emit(self._field.text())
        self.accept()
