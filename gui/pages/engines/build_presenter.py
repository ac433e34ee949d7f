"""Opens what a build can do, and fills it."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from core.engine.capabilities.difference import Difference
from core.engine.capabilities.model import Capabilities
from core.events import EngineInfo, EngineState, ErrorInfo
from gui.desk import Desk
from gui.pages.engines.build_dialog import BuildDialog

_READABLE = (EngineState.READY, EngineState.UNVERIFIED)


class BuildPresenter(QObject):
    def __init__(self, page: QWidget, desk: Desk) -> None:
        super().__init__(page)
        self._page = page
        self._desk = desk

    def open(self, engine_id: str, engines: tuple[EngineInfo, ...]) -> None:
        engine = next((engine for engine in engines if engine.id == engine_id), None)
        if engine is None:
            return
        others = tuple(other for other in engines if other.id != engine_id and other.state in _READABLE)
        dialog = BuildDialog(self._page.window(), engine, others, self._desk.speech)
        _Filler(dialog, self._desk)
        dialog.open()


class _Filler(QObject):
    """Lives and dies with its dialog."""

    def __init__(self, dialog: BuildDialog, desk: Desk) -> None:
        super().__init__(dialog)
        self._dialog = dialog
        self._desk = desk
        self._wanted = ""
        dialog.compare_wanted.connect(self._compare)
        read = desk.services.options.capabilities
        desk.bridge.call(read, dialog.engine.id, owner=self, done=self._read, failed=self._failed)

    def _read(self, found: Capabilities) -> None:
        self._dialog.show_build(found)

    def _compare(self, other: str) -> None:
        self._dialog.banner.dismiss()
        self._wanted = other
        if other:
            compare = self._desk.services.options.compare
            self._desk.bridge.call(
                compare, other, self._dialog.engine.id, owner=self, done=self._compared, failed=self._failed
            )

    def _compared(self, found: Difference) -> None:
        if self._wanted:
            self._dialog.show_changes(found)

    def _failed(self, error: ErrorInfo) -> None:
        self._dialog.banner.show_words(self._desk.speech.explain(error))
