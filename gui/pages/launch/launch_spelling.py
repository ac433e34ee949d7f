"""How the chosen engine spells a launch of the chosen model, fetched from the services and kept."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from core.events import EngineInfo, ErrorInfo
from core.planning.spelling import Spelling
from gui.bridge import Call
from gui.desk import Desk


class LaunchSpelling(QObject):
    """`changed` when `of` would answer otherwise than before. Until something is known, and where nothing can be, the
    engine's version decides."""

    changed = Signal()

    def __init__(self, desk: Desk, parent: QObject) -> None:
        super().__init__(parent)
        self._desk = desk
        self._key: tuple[str, EngineInfo] | None = None
        self._known = Spelling()
        self._call: Call | None = None

    @property
    def known(self) -> Spelling:
        """Of the launch that was asked about last."""
        return self._known

    def of(self, model_id: str, engine: EngineInfo) -> Spelling:
        key = (model_id, engine)
        if key != self._key:
            self._key, self._known = key, Spelling()
            if self._call is not None:
                self._call.cancel()
            read = self._desk.services.options.spelling
            self._call = self._desk.bridge.call(
                read, model_id, engine.id, owner=self, done=self._have, failed=self._without
            )
        return self._known

    def _have(self, known: Spelling) -> None:
        self._call, self._known = None, known
        self.changed.emit()

    def _without(self, _error: ErrorInfo) -> None:
        self._call = None
        self.changed.emit()
