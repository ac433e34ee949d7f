"""What the Compare page does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication

from core.events import ComparisonChanged, ErrorInfo, ModelsChanged, Progress, ServerState, ServerStatus
from core.experiment.result import Result
from core.experiment.run import JOB
from core.experiment.spec import Comparison, Order, Variant
from core.planning.choices import of_settings
from gui.desk import Desk
from gui.pages.compare.page import ComparePage
from gui.pages.compare.result_words import ResultWords


class ComparePresenter(QObject):
    def __init__(self, page: ComparePage, desk: Desk) -> None:
        super().__init__(page)
        self._page = page
        self._desk = desk
        self._words = ResultWords(desk.speech, self)
        self._running = False
        self._last: tuple[Result, str] | None = None
        page.chooser.started.connect(self._start)
        page.progress.cancelled.connect(self._cancel)
        page.result.open_report.connect(self._open_report)
        page.result.open_folder.connect(self._open_folder)
        page.result.copy_report.connect(self._copy)
        bridge = desk.bridge
        bridge.on(ModelsChanged, self._models_changed, owner=self)
        bridge.on(ServerStatus, self._server_changed, owner=self)
        bridge.on(Progress, self._progress, owner=self)
        bridge.on(ComparisonChanged, self._changed, owner=self)

    def redraw(self) -> None:
        """The theme changed: pictures are made in its colours."""
        if self._last is not None:
            self._show(*self._last)

    # ---- verbs -----------------------------------------------------------------------------------------------------

    def _start(self) -> None:
        self._page.banner.dismiss()
        chooser = self._page.chooser
        chooser.start.setEnabled(False)
        texts = tuple(chooser.options[label].text() for label in "AB")
        self._read("A", texts[0], lambda a: self._read("B", texts[1], lambda b: self._compare(a, b)))

    def _read(self, label: str, text: str, done: Callable[[Variant], None]) -> None:
        base = of_settings(self._desk.services.settings.current, enforce_eager=False)
        read = self._desk.services.experiments.variant
        self._desk.bridge.call(read, label, text, base, owner=self, done=done, failed=self._unread)

    def _unread(self, error: ErrorInfo) -> None:
        self._page.banner.show_words(self._desk.speech.explain(error))
        self._page.chooser.start.setEnabled(self._page.chooser.model.count() > 0)

    def _compare(self, a: Variant, b: Variant) -> None:
        chooser = self._page.chooser
        order = Order.ABBA if chooser.twice.isChecked() else Order.AB
        comparison = Comparison(str(chooser.model.currentData()), a, b, repeats=chooser.repeats.value(), order=order)
        self._running = True
        self._page.result.hide()
        self._page.show_running(True)
        chooser.start.setEnabled(True)
        self._desk.bridge.call(
            self._desk.services.experiments.compare, comparison, owner=self, done=self._ended, failed=self._failed
        )

    def _cancel(self, _job: str) -> None:
        self._desk.bridge.call(self._desk.services.experiments.cancel, owner=self)

    def _ended(self, _result: object) -> None:
        self._running = False
        self._page.show_running(False)

    def _failed(self, error: ErrorInfo) -> None:
        self._ended(None)
        if error.code != "compare.cancelled":
            self._page.banner.show_words(self._desk.speech.explain(error))

    def _open_report(self) -> None:
        self._open("report.html")

    def _open_folder(self) -> None:
        self._open("")

    def _open(self, name: str) -> None:
        if self._last is not None and self._last[1]:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(Path(self._last[1]) / name)))

    def _copy(self) -> None:
        from core.experiment.report_markdown import as_markdown

        if self._last is not None:
            QGuiApplication.clipboard().setText(as_markdown(self._last[0]))

    # ---- snapshots -------------------------------------------------------------------------------------------------

    def _models_changed(self, event: ModelsChanged) -> None:
        self._page.chooser.show_models(event.models)

    def _server_changed(self, status: ServerStatus) -> None:
        """A server of the user's own would be in the way, and would disturb the figures."""
        busy = status.state in (ServerState.STARTING, ServerState.READY, ServerState.STOPPING) and not self._running
        note = self.tr("Stop the running server first.") if busy else ""
        self._page.chooser.note.setText(note)
        self._page.chooser.start.setEnabled(not busy and self._page.chooser.model.count() > 0)

    def _progress(self, event: Progress) -> None:
        if event.job == JOB and self._running:
            self._page.progress.show_progress(event)

    def _changed(self, event: ComparisonChanged) -> None:
        self._last = event.result, event.folder
        self._show(event.result, event.folder)

    def _show(self, result: Result, folder: str) -> None:
        if result.rates("A") or result.state != "running":
            self._page.result.show_result(self._words.view(result, folder, self._page.palette()))
