"""The speed limit of all downloads together."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal

from gui.theme import FIELD_HEIGHT
from gui.widgets.calm_inputs import CalmComboBox

MB = 1_000_000
LIMITS_MB = (0, 1, 2, 5, 10, 25, 50, 100)


class LimitBox(CalmComboBox):
    """`picked` with bytes per second, 0 for no limit."""

    picked = Signal(int)

    def __init__(self, name: str = "speedLimit") -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(self.tr("Speed limit for downloads"))
        self.view().setAccessibleName(self.accessibleName())
        self.setMinimumHeight(FIELD_HEIGHT)
        for limit in LIMITS_MB:
            self.addItem(self._text(limit), limit * MB)
        self.activated.connect(self._activated)

    def show_value(self, bytes_per_s: int) -> None:
        with QSignalBlocker(self):
            if self.findData(bytes_per_s) < 0:
                self.addItem(self._text(round(bytes_per_s / MB, 1)), bytes_per_s)
            self.setCurrentIndex(self.findData(bytes_per_s))

    def _text(self, limit: float) -> str:
        return self.tr("{limit} MB/s").format(limit=limit) if limit else self.tr("no limit")

    def _activated(self) -> None:
        self.picked.emit(int(self.currentData()))
