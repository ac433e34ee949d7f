"""A name for the choices of a launch."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QDialog, QLineEdit, QWidget

from core.profiles.profile import LONGEST_NAME
from gui.theme import STEP
from gui.widgets.buttons import button
from gui.widgets.cards import column, row
from gui.widgets.texts import heading, quiet


class SaveProfile(QDialog):
    """`named` with the name and whether it is for every model. Deletes itself when closed."""

    named = Signal(str, bool)

    def __init__(self, parent: QWidget, model: str, name: str = "") -> None:
        super().__init__(parent)
        self.setObjectName("saveProfileDialog")
        self.setWindowTitle(self.tr("Save these choices"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(52 * STEP)
        self._name, self._general = QLineEdit(name), QCheckBox(self.tr("for every model"))
        self._name.setObjectName("profileName")
        self._name.setAccessibleName(self.tr("Name of the profile"))
        self._name.setPlaceholderText(self.tr("such as: long context"))
        self._name.setMaxLength(LONGEST_NAME)
        self._general.setObjectName("profileGeneral")
        self._general.setToolTip(
            self.tr("Leaves out what belongs to this model alone: adapters, template, name, guessing ahead.")
        )
        self._save = button(self.tr("Save"), "saveProfileButton", kind="primary")
        self._save.setDefault(True)
        self._save.clicked.connect(self._give)
        cancel = button(self.tr("Cancel"), "cancelProfileButton")
        cancel.clicked.connect(self.reject)
        layout = column(self, spacing=STEP, margin=3 * STEP)
        layout.addWidget(heading(self.tr("Save these choices")))
        layout.addWidget(quiet(self.tr("For {model}. A profile of the same name is replaced.").format(model=model)))
        layout.addWidget(self._name)
        layout.addWidget(self._general)
        layout.addSpacing(STEP)
        buttons = row()
        buttons.addStretch(1)
        buttons.addWidget(self._save)
        buttons.addWidget(cancel)
        layout.addLayout(buttons)
        self._name.textChanged.connect(self._typed)
        self._typed(name)

    def _typed(self, text: str) -> None:
        self._save.setEnabled(bool(text.strip()))

    def _give(self) -> None:
        self.named.emit(self._name.text(), self._general.isChecked())
        self.accept()
