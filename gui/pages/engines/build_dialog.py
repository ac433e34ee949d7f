"""What one build can do, searchable, with its sources; and what changed between it and another installed one."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QDialog, QLineEdit, QWidget

from core.engine.capabilities.difference import Difference
from core.engine.capabilities.model import Capabilities
from core.events import EngineInfo
from gui import figures
from gui.pages.engines.build_lines import Line, build_lines, change_lines
from gui.pages.engines.build_table import BuildTable
from gui.theme import STEP
from gui.widgets.banner import Banner
from gui.widgets.buttons import button
from gui.widgets.cards import card, column, row
from gui.widgets.scroll import scrolled
from gui.widgets.texts import heading, plain, quiet, selectable, title
from gui.words import Speech


class BuildDialog(QDialog):
    """`compare_wanted` with the id of another engine, "" for none. Deletes itself when closed."""

    compare_wanted = Signal(str)

    def __init__(self, parent: QWidget, engine: EngineInfo, others: tuple[EngineInfo, ...], speech: Speech) -> None:
        super().__init__(parent)
        self.setObjectName("buildDialog")
        self.setWindowTitle(self.tr("What this build can do"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        room = parent.window().size()
        self.resize(min(136 * STEP, room.width() - 2 * STEP), min(92 * STEP, room.height() - 2 * STEP))
        self.engine = engine
        self._speech = speech
        self._found: Capabilities | None = None
        self.banner = Banner(self)
        self._title = title(speech.engine(engine))
        self._about = quiet(self.tr("Reading its source…"))
        self._search = QLineEdit()
        self._search.setObjectName("buildSearch")
        self._search.setPlaceholderText(self.tr("Search options, architectures, quantizations…"))
        self._search.setAccessibleName(self.tr("Search"))
        self._search.setClearButtonEnabled(True)
        self._search.textChanged.connect(self._filter)
        self._kinds = QComboBox()
        self._kinds.setObjectName("buildKinds")
        self._kinds.setAccessibleName(self.tr("What to show"))
        self._kinds.currentIndexChanged.connect(self._filter)
        self._other = QComboBox()
        self._other.setObjectName("buildOther")
        self._other.setAccessibleName(self.tr("Compare with another engine"))
        self._other.addItem(self.tr("No comparison"), "")
        for other in others:
            self._other.addItem(self.tr("Changes since {engine}").format(engine=speech.engine(other)), other.id)
        self._other.setVisible(bool(others))
        self._other.currentIndexChanged.connect(self._other_chosen)
        self._table = BuildTable()
        self._table.chosen.connect(self._line_chosen)
        self._name, self._details, self._place = heading(), selectable(plain()), selectable(quiet())
        self._build()

    def _build(self) -> None:
        outer = column(self, spacing=STEP + 4, margin=3 * STEP)
        head = row()
        head.addWidget(self._title, 1)
        close = button(self.tr("Close"), "closeBuildDialog")
        close.clicked.connect(self.accept)
        head.addWidget(close)
        outer.addLayout(head)
        outer.addWidget(self._about)
        outer.addWidget(self.banner)
        line = row()
        line.addWidget(self._search, 1)
        line.addWidget(self._kinds)
        line.addWidget(self._other)
        outer.addLayout(line)
        outer.addWidget(self._table, 1)
        frame, inside = card()
        for label in (self._name, self._details, self._place):
            inside.addWidget(label)
        inside.addStretch(1)
        area = scrolled(frame)
        area.setFixedHeight(17 * STEP)
        outer.addWidget(area)
        self._line_chosen(None)

    def show_build(self, found: Capabilities) -> None:
        """The whole build."""
        self._found = found
        self._show_lines(build_lines(found, self._speech.language), with_places=True)
        language = self._speech.language
        self._about.setText(
            self.tr(
                "{options} options, {architectures} architectures, {methods} quantizations, read in its source."
            ).format(
                options=figures.count(len(found.options), language),
                architectures=figures.count(len(found.architectures), language),
                methods=figures.count(len(found.quantizations), language),
            )
        )

    def show_changes(self, found: Difference) -> None:
        lines = change_lines(found, self._speech.language)
        self._show_lines(lines, with_places=False)
        self._about.setText(
            self.tr("From vLLM {old} to {new}: {count} changes.").format(
                old=found.old, new=found.new, count=figures.count(len(lines), self._speech.language)
            )
        )

    def _show_lines(self, lines: tuple[Line, ...], *, with_places: bool) -> None:
        self._table.show_lines(lines, with_places=with_places)
        self._kinds.blockSignals(True)
        self._kinds.clear()
        self._kinds.addItem(self.tr("Everything"), "")
        for kind, text in dict.fromkeys((line.kind, line.kind_text) for line in lines):
            number = sum(line.kind == kind for line in lines)
            self._kinds.addItem(f"{text} ({figures.count(number, self._speech.language)})", kind)
        self._kinds.blockSignals(False)
        self._filter()

    def _filter(self) -> None:
        self._table.show_only(self._kinds.currentData() or "", self._search.text())

    def _other_chosen(self) -> None:
        other = str(self._other.currentData())
        if not other and self._found is not None:
            self.show_build(self._found)
        self.compare_wanted.emit(other)

    def _line_chosen(self, line: Line | None) -> None:
        nothing = self.tr("Choose a line to read all about it.")
        if self._found is not None and not self._table.shown:
            nothing = self.tr("No line holds this.")
        self._name.setText(line.name if line else nothing)
        self._details.setText((line.details or line.value) if line else "")
        self._details.setVisible(bool(self._details.text()))
        self._place.setText(line.place if line else "")
        self._place.setVisible(bool(self._place.text()))
