"""When the window may be made again in another language: while nothing is on its way that would lose its listener."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal

from gui.bridge import Bridge
from gui.filling import Filling
from gui.quitting import Quitting

LOOK_MS: Final = 20


class LanguageSwitch(QObject):
    """`due` with the language, once no verb runs and no answer is being written, and what was being written is kept."""

    due = Signal(str)

    def __init__(self, bridge: Bridge, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._language = ""
        self._filling: Filling | None = None
        self._quitting: Quitting | None = None
        self._kept = False
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self._look)

    def wish(self, language: str, filling: Filling, quitting: Quitting) -> None:
        """An empty one takes an earlier wish back."""
        if self._kept:
            return
        self._language, self._filling, self._quitting = language, filling, quitting
        if language:
            self._timer.start()
        else:
            self._timer.stop()

    def _look(self) -> None:
        assert self._filling is not None
        assert self._quitting is not None
        if self._quitting.under_way:
            self._timer.stop()
        elif not self._bridge.idle or self._filling.answering:
            return
        elif not self._kept:
            self._filling.end()
            self._kept = True
        else:
            self._timer.stop()
            self._kept = False
            self.due.emit(self._language)
