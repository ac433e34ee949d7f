"""The whole computer in one dialog: every bar, what is in it, program by program, links, notes, measured speeds."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QFrame, QLabel, QVBoxLayout, QWidget

from core.events import ErrorInfo, MachineChanged
from core.machine.budget import Budget
from core.machine.model import MemoryKind
from core.machine.reading import Known, Unknown
from gui.budget.cell import BudgetCell
from gui.budget.host import HostWords
from gui.budget.parts_list import PartsList
from gui.budget.probe_card import ProbeCard
from gui.budget.process_table import ProcessTable
from gui.budget.terms import BudgetTerms
from gui.budget.trace_chart import TraceChart
from gui.budget.view import BudgetView
from gui.budget.views import trace_of
from gui.theme import STEP
from gui.widgets.buttons import button
from gui.widgets.cards import card, column, row
from gui.widgets.scroll import scrolled
from gui.widgets.texts import heading, plain, quiet, title
from gui.words import Speech

HISTORY_S = 600.0
HISTORY_POINTS = 200
LEFT_WIDTH = 42 * STEP


class BudgetDetails(QDialog):
    """Follows every sample while it is open. Deletes itself when closed."""

    probe_wanted = Signal()
    probe_cancelled = Signal()

    def __init__(self, parent: QWidget, speech: Speech, terms: BudgetTerms) -> None:
        super().__init__(parent)
        self.setObjectName("budgetDetails")
        self.setWindowTitle(self.tr("This computer"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(124 * STEP, 77 * STEP)
        self._speech = speech
        self._terms = terms
        self._words = HostWords(terms, self)
        self._cells: list[BudgetCell] = []
        self._views: tuple[BudgetView, ...] = ()
        self._sample: MachineChanged | None = None
        self._chosen = ""
        self.probe = ProbeCard(speech, terms)
        self.probe.wanted.connect(self.probe_wanted)
        self.probe.cancelled.connect(self.probe_cancelled)
        self._host, self._features = plain(), quiet()
        self._bars = column(spacing=STEP // 2)
        self._heading = heading()
        self._heading.setObjectName("budgetHeading")
        self._facts = quiet()
        self._trace, self._parts = TraceChart(), PartsList()
        self._programs, self._table = quiet(), ProcessTable(terms)
        self._notes = column(spacing=STEP)
        self._shown_notes: tuple[ErrorInfo, ...] = ()
        self._note_frames: list[QFrame] = []
        self._build()

    def _build(self) -> None:
        outer = column(self, spacing=2 * STEP, margin=3 * STEP)
        head = row()
        head.addWidget(title(self.tr("This computer")), 1)
        close = button(self.tr("Close"), "closeBudgetDetails")
        close.clicked.connect(self.accept)
        head.addWidget(close)
        outer.addLayout(head)
        middle = row(spacing=3 * STEP)
        left = QWidget()
        left.setLayout(self._left())
        area = scrolled(left)
        area.setFixedWidth(LEFT_WIDTH + 2 * STEP)
        middle.addWidget(area)
        right = QWidget()
        right.setLayout(self._right())
        middle.addWidget(scrolled(right), 1)
        outer.addLayout(middle, 1)
        for keys, step in (("Ctrl+PgDown", 1), ("Ctrl+PgUp", -1)):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setProperty("step", step)
            shortcut.activated.connect(self._turn)

    def _left(self) -> QVBoxLayout:
        layout = column(spacing=2 * STEP)
        layout.setContentsMargins(0, 0, STEP, 0)
        bars, inside = card()
        inside.setContentsMargins(STEP, STEP, STEP, STEP)
        inside.addLayout(self._bars)
        layout.addWidget(bars)
        frame, inside = card()
        inside.addWidget(self._host)
        inside.addWidget(self._features)
        self._features.setToolTip(self.tr("What the processor can compute with directly; vLLM uses it on the CPU."))
        layout.addWidget(frame)
        layout.addWidget(self.probe)
        layout.addStretch(1)
        return layout

    def _right(self) -> QVBoxLayout:
        layout = column(spacing=2 * STEP)
        layout.setContentsMargins(0, 0, STEP, 0)
        frame, inside = card()
        inside.addWidget(self._heading)
        inside.addWidget(self._facts)
        inside.addWidget(self._trace)
        inside.addWidget(self._parts)
        layout.addWidget(frame)
        layout.addWidget(self._programs)
        layout.addWidget(self._table, 100)
        layout.addLayout(self._notes)
        layout.addStretch(1)
        return layout

    # ---- what is shown ---------------------------------------------------------------------------------------------

    @property
    def chosen(self) -> str:
        return self._chosen

    def choose(self, budget_id: str) -> None:
        self._chosen = budget_id
        self._show_chosen()

    def show_sample(self, sample: MachineChanged, views: tuple[BudgetView, ...]) -> None:
        self._sample, self._views = sample, views
        while len(self._cells) < len(views):
            self._add_cell()
        for cell, view in zip(self._cells, views, strict=False):
            cell.show_view(view)
        for number, cell in enumerate(self._cells):
            cell.setVisible(number < len(views))
        if not any(view.id == self._chosen for view in views):
            self._chosen = views[0].id
        self._host.setText("\n".join(self._words.lines(sample.machine)))
        features = self._words.features(sample.machine)
        self._features.setText(features)
        self._features.setVisible(bool(features))
        self._show_notes(sample.machine.notes)
        self._show_chosen()

    def _add_cell(self) -> None:
        cell = BudgetCell()
        cell.opened.connect(self.choose)
        self._cells.append(cell)
        self._bars.addWidget(cell)

    def _show_chosen(self) -> None:
        sample = self._sample
        view = next((view for view in self._views if view.id == self._chosen), None)
        if sample is None or view is None:
            return
        for cell in self._cells:
            cell.mark(cell.view is not None and cell.view.id == self._chosen)
        budget = sample.ledger.find(view.id)
        assert budget is not None
        whole, _, facts = view.meaning.partition("\n")
        self._heading.setText(whole)
        self._facts.setText("\n".join((facts, " · ".join(self._links(sample, budget)))).strip())
        total = budget.total.or_none()
        self._trace.setVisible(total is not None)
        if total is not None:
            self._trace.show_trace(
                trace_of(sample.history, view.id, total, HISTORY_S, HISTORY_POINTS),
                self._terms.size(total),
            )
        self._parts.show_view(view)
        self._show_programs(sample, budget)

    def _links(self, sample: MachineChanged, budget: Budget) -> tuple[str, ...]:
        machine = sample.machine
        if budget.id == "ram":
            unified = [gpu for gpu in machine.gpus if gpu.memory_kind is MemoryKind.UNIFIED]
            return (*self._words.ram(machine), *(line for gpu in unified for line in self._words.gpu(machine, gpu)))
        gpu = machine.gpu(budget.id)
        return () if gpu is None else self._words.gpu(machine, gpu)

    def _show_programs(self, sample: MachineChanged, budget: Budget) -> None:
        gpu = sample.machine.gpu(budget.id)
        told = gpu is None or isinstance(gpu.processes, Known) or isinstance(budget.free, Unknown)
        on_disk = budget.id.startswith("disk:")
        self._table.show_rows(budget.rows)
        self._table.setVisible(bool(budget.rows))
        if on_disk or isinstance(budget.free, Unknown):
            self._programs.setText("")
        elif not told:
            self._programs.setText(self.tr("The driver does not tell which programs use this card."))
        elif not budget.rows:
            self._programs.setText(self.tr("No program uses this card now."))
        elif budget.estimated:
            self._programs.setText(self.tr("Our server's part is taken from its log."))
        else:
            self._programs.setText("")
        self._programs.setVisible(bool(self._programs.text()))

    def _show_notes(self, notes: tuple[ErrorInfo, ...]) -> None:
        if notes == self._shown_notes:
            return
        self._shown_notes = notes
        for frame in self._note_frames:
            self._notes.removeWidget(frame)
            frame.deleteLater()
        self._note_frames = [self._note(note) for note in notes]
        for frame in self._note_frames:
            self._notes.addWidget(frame)

    def _note(self, note: ErrorInfo) -> QFrame:
        told = self._speech.explain(note)
        frame, layout = card("bubble")
        frame.setObjectName("machineNote")
        layout.addWidget(heading(told.title))
        text: QLabel = plain(f"{told.sentence} {told.next_step}".strip())
        layout.addWidget(text)
        return frame

    def _turn(self) -> None:
        """To the next or the previous budget."""
        ids = [view.id for view in self._views]
        if ids:
            self.choose(ids[(ids.index(self._chosen) + int(self.sender().property("step"))) % len(ids)])
