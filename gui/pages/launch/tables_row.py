"""Where a model's embedding tables live (PLE, n-gram tables). Only models that have such tables show it."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QObject, QSignalBlocker, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from core.engine.options import Place
from core.planning.option_facts import OptionFacts
from gui.theme import FIELD_HEIGHT
from gui.widgets.calm_inputs import CalmComboBox
from gui.widgets.one_line import OneLine
from gui.widgets.texts import plain
from gui.words import Speech


class TablesRow(QObject):
    """`changed` when `value` is another."""

    changed = Signal()

    def __init__(self, parent: QWidget, speech: Speech) -> None:
        super().__init__(parent)
        self._speech = speech
        self._available = False
        self._reason = ""
        self.label: QLabel = plain(self.tr("Tables (PLE)"), wrap=False)
        self._box = CalmComboBox()
        self._box.setObjectName("tablesBox")
        self._box.setAccessibleName(self.tr("Where the embedding tables live"))
        self._box.view().setAccessibleName(self._box.accessibleName())
        self._box.setMinimumHeight(FIELD_HEIGHT)
        self.label.setBuddy(self._box)
        self.says = OneLine("quiet")
        self.says.setObjectName("tablesBoxSays")
        self._show_places(("ram", "device"))
        self._box.currentIndexChanged.connect(self._changed)
        self.show_tables(has=False, places=("ram", "device"), facts=OptionFacts())

    def place(self, grid: QGridLayout, line: int) -> None:
        grid.addWidget(self.label, line, 0)
        grid.addWidget(self._box, line, 1)
        grid.addWidget(self.says, line, 2, 1, 2)

    @property
    def value(self) -> Place:
        return cast("Place", self._box.currentData()) if self._available else "auto"

    def set_value(self, value: Place) -> None:
        if self._box.findData(value) < 0:
            self._box.addItem(self._names()[value], value)
        self._box.setCurrentIndex(self._box.findData(value))

    def show_tables(self, *, has: bool, places: tuple[str, ...], facts: OptionFacts) -> None:
        self._available = has and facts.obstacle is None
        self._reason = self._speech.explain(facts.obstacle).sentence if facts.obstacle is not None else ""
        chosen = self._box.currentData()
        with QSignalBlocker(self._box):
            self._show_places(places)
            self._box.setCurrentIndex(max(0, self._box.findData(chosen)))
        for widget in (self.label, self._box, self.says):
            widget.setVisible(has)
        self._box.setEnabled(self._available)
        self._changed()

    def _show_places(self, places: tuple[str, ...]) -> None:
        self._box.clear()
        for place in ("auto", *places):
            self._box.addItem(self._names()[place], place)

    def _names(self) -> dict[str, str]:
        return {
            "auto": self.tr("as Stowage likes: in RAM"),
            "ram": self.tr("in RAM"),
            "device": self.tr("on the graphics card"),
            "disk": self.tr("on disk, in the model's files"),
        }

    def _changed(self) -> None:
        says = {
            "auto": self.tr("A few rows are fetched per token, so the tables need no room on the card."),
            "ram": self.tr("A few rows are fetched per token, so the tables need no room on the card."),
            "device": self.tr("The fastest, and the tables take their full size on the card."),
            "disk": self.tr("Neither the card nor RAM holds them; a fast disk is needed."),
        }[str(self._box.currentData())]
        self.says.set_full_text(self._reason or says)
        for widget in (self.label, self._box, self.says):
            widget.setToolTip(self._reason or says)
        self._box.setAccessibleDescription(self._reason or says)
        self.changed.emit()
