"""Where a model's embedding tables live: n-gram tables by vLLM's own control, a per-layer table by Stowage's plugin.
Only models that have such tables show it."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QObject, QSignalBlocker, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from core.engine.build import Build
from core.engine.options import Place, Tables, Traits
from core.events import ErrorInfo
from core.planning.option_facts import OptionFacts, table_places
from core.planning.table_facts import TableFacts
from gui.pages.launch.table_card import TableCard
from gui.pages.launch.table_words import TableWords
from gui.theme import FIELD_HEIGHT
from gui.widgets.calm_inputs import CalmComboBox
from gui.widgets.fold import Fold
from gui.widgets.one_line import TwoLines
from gui.widgets.texts import plain, set_property
from gui.words import Speech


class TablesRow(QObject):
    """`changed` when `value` is another. Until it is known whether the model has tables a wish is kept and counts."""

    changed = Signal()

    def __init__(self, parent: QWidget, speech: Speech) -> None:
        super().__init__(parent)
        self._speech = speech
        self._words = TableWords(speech, self)
        self._tables: Tables = ""
        self._known = False
        self._cpu = False
        self._wish: Place = "auto"
        self._obstacle: ErrorInfo | None = None
        self._facts: TableFacts | None = None
        self.label: QLabel = plain(wrap=False)
        self._box = CalmComboBox()
        self._box.setObjectName("tablesBox")
        self._box.setAccessibleName(self.tr("Where the embedding tables live"))
        self._box.view().setAccessibleName(self._box.accessibleName())
        self._box.setMinimumHeight(FIELD_HEIGHT)
        self.label.setBuddy(self._box)
        self.says = TwoLines("quiet")
        self.says.setObjectName("tablesBoxSays")
        self._card = TableCard()
        self._fold = Fold(self.tr("About this table"), self._card, "tableFold")
        self._box.currentIndexChanged.connect(self._picked)
        self._arrange(("ram", "device"))

    def place(self, grid: QGridLayout, line: int) -> None:
        """Takes two lines."""
        grid.addWidget(self.label, line, 0)
        grid.addWidget(self._box, line, 1)
        grid.addWidget(self.says, line, 2, 1, 2)
        grid.addWidget(self._fold, line + 1, 1, 1, 3)

    @property
    def value(self) -> Place:
        if self._known and (not self._tables or self._obstacle is not None):
            return "auto"
        return self._wish

    def set_value(self, value: Place) -> None:
        before, self._wish = self.value, value
        with QSignalBlocker(self._box):
            self._box.setCurrentIndex(max(0, self._box.findData(value)))
        self._say()
        if self.value != before:
            self.changed.emit()

    def show_build(self, build: Build, traits: Traits, facts: OptionFacts) -> None:
        """What the build can do with the model's tables. Without an architecture nothing is known of the model yet."""
        before = self.value
        self._known = bool(traits.architecture or traits.tables)
        self._tables, self._cpu, self._obstacle = traits.tables, build.cpu, facts.obstacle
        self._arrange(table_places(build, traits))
        if self.value != before:
            self.changed.emit()

    def show_table(self, facts: TableFacts | None) -> None:
        """What the plan says of a per-layer table, None where it has none."""
        if facts == self._facts:
            return
        self._facts = facts
        if facts is not None:
            self._card.show_lines(self._words.lines(facts, self._obstacle))
        self._show_parts()
        self._say()

    # ---- what is shown ---------------------------------------------------------------------------------------------

    def _arrange(self, places: tuple[str, ...]) -> None:
        with QSignalBlocker(self._box):
            self._box.clear()
            for place in ("auto", *places):
                self._box.addItem(self._names()[place], place)
            self._box.setCurrentIndex(max(0, self._box.findData(self._wish)))
        per_layer = self._tables == "per_layer"
        self.label.setText(self.tr("Per-layer table") if per_layer else self.tr("Tables (PLE)"))
        self._box.setEnabled(bool(self._tables) and self._obstacle is None)
        if self._facts is not None:
            self._card.show_lines(self._words.lines(self._facts, self._obstacle))
        self._show_parts()
        self._say()

    def _show_parts(self) -> None:
        planned = self._tables == "per_layer" and self._facts is not None
        for widget in (self.label, self._box, self.says):
            widget.setVisible(planned or self._tables == "ngram")
        self._fold.setVisible(planned)

    def _names(self) -> dict[str, str]:
        if self._tables == "per_layer":
            return {
                "auto": self.tr("in RAM, as vLLM does") if self._cpu else self.tr("on the graphics card"),
                "ram": self.tr("in RAM, once") if self._cpu else self.tr("in RAM"),
                "disk": self.tr("on disk"),
            }
        return {
            "auto": self.tr("as Stowage likes: in RAM"),
            "ram": self.tr("in RAM"),
            "device": self.tr("on the graphics card"),
            "disk": self.tr("on disk, in the model's files"),
        }

    def _picked(self) -> None:
        before, self._wish = self.value, cast("Place", self._box.currentData())
        self._say()
        if self.value != before:
            self.changed.emit()

    def _say(self) -> None:
        reason = self._speech.explain(self._obstacle).sentence if self._obstacle is not None else ""
        place = str(self._box.currentData())
        slow = self._words.warning(self._facts) if self._facts is not None and place == "disk" else ""
        says = reason or slow or self._consequence(place)
        set_property(self.says, "tone", "bad" if slow and not reason else "quiet")
        self.says.set_full_text(says)
        for widget in (self.label, self._box, self.says):
            widget.setToolTip(says)
        self._box.setAccessibleDescription(says)

    def _consequence(self, place: str) -> str:
        if self._tables == "per_layer":
            return {
                "auto": self.tr("the fastest; it takes its full size"),
                "ram": self.tr("a row is fetched per token"),
                "disk": self.tr("a row is read per token, the latest stay cached"),
            }[place]
        return {
            "auto": self.tr("A few rows are fetched per token, so the tables need no room on the card."),
            "ram": self.tr("A few rows are fetched per token, so the tables need no room on the card."),
            "device": self.tr("The fastest, and the tables take their full size on the card."),
            "disk": self.tr("Neither the card nor RAM holds them; a fast disk is needed."),
        }[place]
