"""Where earlier prompts are kept when the KV cache is full ("swap" in articles)."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFileDialog, QGridLayout, QLabel, QLineEdit, QWidget

from core.engine.options import PromptCache
from core.planning.option_facts import OptionFacts
from gui.pages.launch.tuning_row import FIELD_WIDTH
from gui.theme import FIELD_HEIGHT, STEP
from gui.widgets.buttons import button
from gui.widgets.calm_inputs import CalmComboBox, CalmDoubleSpinBox
from gui.widgets.cards import row
from gui.widgets.one_line import TwoLines
from gui.widgets.texts import plain, quiet
from gui.words import Speech

USUAL_GIB = 4.0
OFF, RAM, DISK = "", "ram", "disk"


class PromptCacheRow(QObject):
    """`changed` when `value` is another. `default_folder` is offered when somebody chooses the disk."""

    changed = Signal()

    def __init__(self, parent: QWidget, speech: Speech) -> None:
        super().__init__(parent)
        self._parent = parent
        self._speech = speech
        self.default_folder = ""
        self._before = PromptCache()
        self._available = True
        self._reason = ""
        self._grid: QGridLayout | None = None
        self._line = 0
        self.label: QLabel = plain(self.tr("Prompt cache"), wrap=False)
        self._place, self._size = CalmComboBox(), CalmDoubleSpinBox()
        self._folder, self._keep = QLineEdit(), QCheckBox(self.tr("keep when the server stops"))
        self._browse = button(self.tr("Browse…"), "promptCacheBrowse", icon="folder")
        self._second = QWidget()
        self.says = TwoLines("quiet")
        self.says.setObjectName("promptCacheBoxSays")
        self._limits = quiet()
        self._limits.setObjectName("promptCacheLimits")
        self._name_parts()
        line = row(self._second, spacing=STEP)
        for widget, share in ((self._folder, 1), (self._browse, 0), (self._keep, 0)):
            line.addWidget(widget, share)
        self._place.currentIndexChanged.connect(self._place_changed)
        self._size.valueChanged.connect(self._arrange)
        self._folder.textChanged.connect(self._arrange)
        self._keep.toggled.connect(self._arrange)
        self._browse.clicked.connect(self._choose)
        self._arrange()

    def _name_parts(self) -> None:
        for text, data in ((self.tr("off"), OFF), (self.tr("in RAM"), RAM), (self.tr("on disk"), DISK)):
            self._place.addItem(text, data)
        for widget, name, meaning in (
            (self._place, "promptCacheBox", self.tr("Prompt cache")),
            (self._size, "promptCacheSize", self.tr("Size of the prompt cache")),
            (self._folder, "promptCacheFolder", self.tr("Folder of the prompt cache")),
            (self._keep, "promptCacheKeep", self.tr("Keep the prompt cache when the server stops")),
        ):
            widget.setObjectName(name)
            widget.setAccessibleName(meaning)
            widget.setMinimumHeight(FIELD_HEIGHT)
        self._place.view().setAccessibleName(self.tr("Prompt cache"))
        self._size.setRange(0.25, 4096)
        self._size.setDecimals(2)
        self._size.setSingleStep(0.5)
        self._size.setValue(USUAL_GIB)
        self._size.setSuffix(self.tr(" GiB"))
        self._size.setFixedWidth(FIELD_WIDTH)
        self._folder.setPlaceholderText(self.tr("a folder of its own"))
        self._keep.setToolTip(self.tr("The files stay for the next start. They have no limit: look after the disk."))
        self.label.setBuddy(self._place)

    def place(self, grid: QGridLayout, line: int) -> None:
        """Takes three lines."""
        grid.addWidget(self.label, line, 0)
        grid.addWidget(self._place, line, 1)
        grid.addWidget(self._size, line, 2)
        grid.addWidget(self._second, line + 1, 1, 1, 3)
        grid.addWidget(self._limits, line + 2, 1, 1, 3)
        self._grid, self._line = grid, line
        self._arrange()

    @property
    def value(self) -> PromptCache:
        place = self._place.currentData() if self._available else OFF
        if place == RAM:
            return PromptCache(ram_gib=self._size.value())
        if place == DISK and self._folder.text().strip():
            keep = self._keep.isChecked()
            limit = 0.0 if keep else self._size.value()
            ram = self._before.ram_gib if keep else 0.0
            return PromptCache(ram, self._folder.text().strip(), limit, keep)
        return PromptCache()

    def set_value(self, value: PromptCache) -> None:
        self._before = value
        self.blockSignals(True)
        size = value.disk_gib if value.disk_path else value.ram_gib
        self._size.setValue(size or USUAL_GIB)
        self._folder.setText(value.disk_path)
        self._keep.setChecked(value.keep)
        place = DISK if value.disk_path else RAM if value.ram_gib > 0 else OFF
        self._place.setCurrentIndex(self._place.findData(place))
        self.blockSignals(False)
        self._arrange()

    def show_facts(self, facts: OptionFacts) -> None:
        self._available = facts.obstacle is None
        self._reason = self._speech.explain(facts.obstacle).sentence if facts.obstacle is not None else ""
        for widget in (self.label, self._place, self._size, self._second):
            widget.setEnabled(self._available)
        self._arrange()

    def _place_changed(self) -> None:
        if self._place.currentData() == DISK and not self._folder.text().strip():
            self._folder.setText(self.default_folder)
        self._arrange()

    def _arrange(self) -> None:
        place = self._place.currentData()
        self._size.setVisible(place == RAM or (place == DISK and not self._keep.isChecked()))
        self._second.setVisible(place == DISK)
        if self._grid is not None:
            # Without a size beside it the sentence has its room.
            self._grid.removeWidget(self.says)
            self._grid.addWidget(self.says, self._line, *((2, 1, 2) if self._size.isHidden() else (3, 1, 1)))
        limits = self._what_it_does(str(place))
        self._limits.setText(limits)
        self._limits.setVisible(place != OFF and self._available)
        says = {
            OFF: self.tr("what was read goes when the KV cache is full"),
            RAM: self.tr("taken from RAM at the start"),
            DISK: self.tr("without a limit") if self._keep.isChecked() else self.tr("at most, on disk"),
        }[str(place)]
        self.says.set_full_text(self._reason or says)
        for widget in (self.label, self._place, self.says):
            widget.setToolTip(self._reason or limits)
        self._place.setAccessibleDescription(self._reason or limits)
        self.changed.emit()

    def _what_it_does(self, place: str) -> str:
        """And what it does not."""
        if place == DISK:
            return self.tr(
                "Earlier prompts are kept in files and come back without being computed again. It makes no room for a "
                "longer context, and a slow disk makes it useless."
            )
        return self.tr(
            "Earlier prompts are kept in RAM and come back without being computed again. It makes no room for a longer "
            "context: that must fit into the KV cache."
        )

    def _choose(self) -> None:
        dialog = QFileDialog(self._parent, self.tr("Choose a folder for the prompt cache"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._folder.setText)
        dialog.open()
