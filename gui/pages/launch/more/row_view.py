"""One seldom option on the page: its name, its field, and a quiet sentence or why it cannot be had."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from core.planning.option_facts import OptionFacts
from gui.pages.launch.more.rows import Row
from gui.widgets.one_line import TwoLines
from gui.widgets.texts import plain, set_property
from gui.words import Speech

NO_FACTS = OptionFacts()


class RowView(QObject):
    """`changed` when the option is another one. While it cannot be had its field is greyed and counts for nothing."""

    changed = Signal()

    def __init__(self, row: Row, speech: Speech, parent: QWidget) -> None:
        super().__init__(parent)
        self.row = row
        self._speech = speech
        self._facts = NO_FACTS
        self._trouble = ""
        self.label: QLabel = plain(row.name, wrap=False)
        self.says = TwoLines("quiet")
        self.says.setObjectName(f"{row.field.widget.objectName()}Says")
        self.label.setBuddy(row.field.widget)
        row.field.describe(row.name, row.hint)
        row.field.changed.connect(self._changed)
        self.show_facts(NO_FACTS)

    def place(self, grid: QGridLayout, line: int) -> int:
        """Put into the columns of the page's grids; gives the next free line."""
        grid.addWidget(self.label, line, 0)
        if not self.row.wide:
            grid.addWidget(self.row.field.widget, line, 1)
            grid.addWidget(self.says, line, 2, 1, 2)
            return line + 1
        grid.addWidget(self.row.field.widget, line, 1, 1, 3)
        grid.addWidget(self.says, line + 1, 1, 1, 3)
        return line + 2

    def set_visible(self, visible: bool) -> None:
        for widget in (self.label, self.row.field.widget, self.says):
            widget.setVisible(visible)

    @property
    def available(self) -> bool:
        return self._facts.obstacle is None

    def matches(self, text: str) -> bool:
        """Whether all words of `text`, in small letters, stand in what is said of the option."""
        known = f"{self.row.name} {self.row.hint} {self.row.option} {self._facts.flag} {self._facts.help}".lower()
        return all(word in known for word in text.split())

    def show_facts(self, facts: OptionFacts) -> None:
        self._facts = facts
        self.row.field.set_values(facts.values)
        self.row.field.widget.setEnabled(facts.obstacle is None)
        self.label.setEnabled(facts.obstacle is None)
        self._say()

    def show_trouble(self, text: str) -> None:
        """What is wrong with the value; "" when nothing is."""
        if text != self._trouble:
            self._trouble = text
            self._say()

    def _changed(self) -> None:
        self.changed.emit()

    def _say(self) -> None:
        obstacle = self._facts.obstacle
        reason = self._speech.explain(obstacle) if obstacle is not None else None
        text = self._trouble or (reason.sentence if reason is not None else self.row.hint)
        set_property(self.says, "tone", "bad" if self._trouble else "quiet")
        if text != self.says.full_text:
            self.says.set_full_text(text)
        hover = "\n\n".join(filter(None, (text, reason.next_step if reason is not None else "", self._source())))
        for widget in (self.label, self.row.field.widget, self.says):
            widget.setToolTip(hover)
        self.row.field.describe(self.row.name, text)

    def _source(self) -> str:
        """The build's own words and where they stand."""
        place = f"vllm/{self._facts.place}" if self._facts.place else ""
        head = " · ".join(filter(None, (self._facts.flag, place)))
        said = " ".join(self._facts.help.split())
        if said:
            said = self.tr("vLLM says: {text}").format(text=said)
        return "\n".join(filter(None, (head, said)))
