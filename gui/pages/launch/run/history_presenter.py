"""The history of launches: asked for, shown in a dialog, exported."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from core.events import ErrorInfo, ModelsChanged
from core.ledger.record import LaunchRecord
from gui.desk import Desk
from gui.dialogs.launch_history import LaunchHistory
from gui.pages.launch.page import LaunchPage
from gui.pages.launch.run.run_words import RunWords

SHOWN = 200


class HistoryPresenter(QObject):
    def __init__(self, page: LaunchPage, desk: Desk) -> None:
        super().__init__(page)
        self._page, self._desk = page, desk
        self._words = RunWords(desk.speech, self)
        self._names: dict[str, str] = {}
        self._dialog: LaunchHistory | None = None
        self._only_errors = False
        page.verdict.history_wanted.connect(self._open)
        desk.bridge.on(ModelsChanged, self._models_changed, owner=self)

    def _models_changed(self, event: ModelsChanged) -> None:
        self._names = {model.id: model.name for model in event.models}

    def _open(self) -> None:
        self._desk.bridge.call(self._desk.services.launches.history, SHOWN, owner=self, done=self._have)

    def _have(self, records: list[LaunchRecord]) -> None:
        dialog = LaunchHistory(self._page, self._words, tuple(records), self._names)
        dialog.export_wanted.connect(self._ask_where)
        dialog.destroyed.connect(self._closed)
        self._dialog = dialog
        dialog.open()

    def _closed(self) -> None:
        self._dialog = None

    def _ask_where(self, only_errors: bool) -> None:
        self._only_errors = only_errors
        where = QFileDialog(self._dialog, self.tr("Export the history of launches"), "", "JSON (*.json)")
        where.setObjectName("exportHistoryDialog")
        where.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        where.setDefaultSuffix("json")
        where.fileSelected.connect(self._export)
        where.finished.connect(where.deleteLater)
        where.open()

    def _export(self, path: str) -> None:
        export: Any = self._desk.services.launches.export
        self._desk.bridge.call(
            export, path, only_errors=self._only_errors, owner=self, done=self._exported, failed=self._not_exported
        )

    def _exported(self, count: int) -> None:
        if self._dialog is not None:
            self._dialog.say(self.tr("%n launch(es) exported", "", count))

    def _not_exported(self, error: ErrorInfo) -> None:
        if self._dialog is not None:
            words = self._desk.speech.explain(error)
            self._dialog.say(f"{words.title}. {words.sentence}")
