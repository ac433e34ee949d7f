"""Samples of the machine to the strip and the details; the details' wishes to the services."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget

from core.computer import PROBE_JOB
from core.events import ErrorInfo, MachineChanged, Progress
from core.machine.probe.result import Probe
from gui.budget.details import BudgetDetails
from gui.budget.ghost import GhostPlan
from gui.budget.panel import BudgetPanel
from gui.budget.terms import BudgetTerms
from gui.budget.views import BudgetViews
from gui.desk import Desk


class BudgetPresenter(QObject):
    """Watches whether `window` can be seen, so that nothing is measured for nobody."""

    def __init__(self, panel: BudgetPanel, window: QWidget, desk: Desk) -> None:
        super().__init__(panel)
        self._panel = panel
        self._window = window
        self._desk = desk
        self._terms = BudgetTerms(desk.speech.language, self)
        self._views = BudgetViews(self._terms, self)
        self._sample: MachineChanged | None = None
        self._plan: GhostPlan | None = None
        self._details: BudgetDetails | None = None
        self._seen = False
        panel.opened.connect(self.open_details)
        desk.bridge.on(MachineChanged, self._machine_changed, owner=self)
        desk.bridge.on(Progress, self._progress, owner=self)
        window.installEventFilter(self)

    def begin(self) -> None:
        """The services are open: look, if anybody does."""
        self._look()

    def end(self) -> None:
        self._window.removeEventFilter(self)

    def show_plan(self, plan: GhostPlan | None) -> None:
        """Lay a plan over the bars; None takes it away."""
        if plan != self._plan:
            self._plan = plan
            self._show()

    # ---- seen or not -----------------------------------------------------------------------------------------------

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.WindowStateChange, QEvent.Type.Show, QEvent.Type.Hide):
            self._look()
        return False

    def _look(self) -> None:
        seen = self._window.isVisible() and not self._window.isMinimized()
        if seen != self._seen:
            self._seen = seen
            self._desk.bridge.call(self._desk.services.computer.show, seen, owner=self)

    # ---- samples ---------------------------------------------------------------------------------------------------

    def _machine_changed(self, sample: MachineChanged) -> None:
        self._sample = sample
        self._show()

    def _show(self) -> None:
        if self._sample is None:
            return
        plan = self._plan.judged(self._sample.ledger) if self._plan is not None else None
        views = self._views.all(self._sample, plan)
        self._panel.show_views(views)
        if self._details is not None:
            self._details.show_sample(self._sample, views)

    # ---- details ---------------------------------------------------------------------------------------------------

    def open_details(self, budget_id: str) -> None:
        if self._sample is None or self._details is not None:
            return
        details = BudgetDetails(self._window, self._desk.speech, self._terms)
        details.probe_wanted.connect(self._probe)
        details.probe_cancelled.connect(self._cancel_probe)
        details.finished.connect(self._details_closed)
        self._details = details
        self._show()
        details.choose(budget_id)
        self._desk.bridge.call(self._desk.services.computer.remembered_probe, owner=details, done=self._remembered)
        details.open()

    def _details_closed(self) -> None:
        if self._details is not None and self._details.probe.running:
            self._cancel_probe()
        self._details = None

    def _probe(self) -> None:
        self._desk.bridge.call(
            self._desk.services.computer.probe, owner=self, done=self._probed, failed=self._probe_failed
        )

    def _cancel_probe(self) -> None:
        self._desk.bridge.call(self._desk.services.cancel_job, PROBE_JOB, owner=self)

    def _progress(self, progress: Progress) -> None:
        if self._details is not None and progress.job == PROBE_JOB:
            self._details.probe.show_progress(progress)

    def _remembered(self, probe: Probe | None) -> None:
        if self._details is not None and not self._details.probe.running:
            self._details.probe.show_probe(probe)

    def _probed(self, probe: Probe) -> None:
        if self._details is not None:
            self._details.probe.show_probe(probe)

    def _probe_failed(self, error: ErrorInfo) -> None:
        if self._details is not None:
            self._details.probe.show_failure(error)
