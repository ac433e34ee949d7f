"""How the model should behave: the system prompt, and presets that keep it together with the sampling."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from core.chat.records import Preset
from gui.dialogs.one_field import OneField
from gui.theme import FIELD_HEIGHT, STEP
from gui.widgets.buttons import button, icon_button
from gui.widgets.calm_inputs import CalmComboBox
from gui.widgets.cards import column, row


class SystemPrompt(QWidget):
    edited = Signal()
    preset_chosen = Signal(object)
    save_wanted = Signal(str)
    delete_wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._presets: tuple[Preset, ...] = ()
        self._quiet = False
        self._text = QPlainTextEdit()
        self._choice = CalmComboBox(shrinks=True)
        self._save = button(self.tr("Save as…"), "savePresetButton", kind="small")
        self._save.setToolTip(self.tr("Keep this prompt and these settings under a name"))
        self._delete = icon_button("remove", "deletePresetButton", self.tr("Delete the chosen preset"))
        self._delete.setProperty("kind", "tool")
        self._delete.setFixedWidth(4 * STEP)
        self._text.setObjectName("systemPrompt")
        self._text.setAccessibleName(self.tr("System prompt"))
        self._text.setPlaceholderText(self.tr("How the model should behave, for example: Answer briefly."))
        self._text.setTabChangesFocus(True)
        self._text.setFixedHeight(12 * STEP)
        self._choice.setObjectName("presetChoice")
        self._choice.setFixedHeight(FIELD_HEIGHT)
        self._choice.setAccessibleName(self.tr("Preset"))
        layout = column(self, spacing=STEP // 2)
        layout.addWidget(self._text)
        line = row(spacing=STEP // 2)
        line.addWidget(self._choice, 1)
        line.addWidget(self._save)
        line.addWidget(self._delete)
        layout.addLayout(line)
        self._text.textChanged.connect(self._changed)
        self._choice.activated.connect(self._activated)
        self._save.clicked.connect(self._ask_name)
        self._delete.clicked.connect(self._delete_clicked)
        self.show_presets(())

    @property
    def text(self) -> str:
        return self._text.toPlainText()

    def show_text(self, text: str) -> None:
        if text != self.text and not self._text.hasFocus():
            self._quiet = True
            self._text.setPlainText(text)
            self._quiet = False

    def take_text(self, text: str) -> None:
        """A preset's text, also while the field has the focus."""
        self._text.setPlainText(text)

    def show_presets(self, presets: Sequence[Preset], chosen: str = "") -> None:
        self._presets = tuple(presets)
        self._choice.clear()
        self._choice.addItem(self.tr("Presets…"), "")
        for preset in presets:
            self._choice.addItem(preset.name, preset.id)
        self._choice.setCurrentIndex(max(0, self._choice.findData(chosen)))
        self._arrange()

    def _arrange(self) -> None:
        self._choice.setEnabled(bool(self._presets))
        self._delete.setEnabled(bool(self._choice.currentData()))

    def _changed(self) -> None:
        if not self._quiet:
            self.edited.emit()

    def _activated(self) -> None:
        self._arrange()
        for preset in self._presets:
            if preset.id == self._choice.currentData():
                self.preset_chosen.emit(preset)

    def _delete_clicked(self) -> None:
        self.delete_wanted.emit(str(self._choice.currentData()))

    def _ask_name(self) -> None:
        asking = OneField(
            self.window(),
            name="presetDialog",
            heading=self.tr("Save as a preset"),
            about=self.tr("The system prompt and the settings beside this chat are kept under this name."),
            text=self._choice.currentText() if self._choice.currentData() else "",
            keep=self.tr("Save"),
        )
        asking.entered.connect(self._name_entered)
        asking.open()

    def _name_entered(self, name: str) -> None:
        if name := " ".join(name.split()):
            self.save_wanted.emit(name)
