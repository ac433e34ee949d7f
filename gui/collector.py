"""Garbage in cycles is collected on the GUI thread only.

Python collects it in whatever thread happens to allocate. Where a Qt object is among it, its end takes a lock of Qt's
and then wants Python's own; the GUI thread, inside a call of Qt, holds Python's and wants Qt's. Both wait for ever:
seen in a chat that was opened while formulas were set beside it (PySide6 6.11.3).
"""

from __future__ import annotations

import gc
from typing import ClassVar

from PySide6.QtCore import QObject, QTimer

PERIOD_MS = 1000


class Collector(QObject):
    """While one runs, nothing is collected but by `collect_due`, once a second. Several may run."""

    _running: ClassVar[int] = 0

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._timer = QTimer(self)
        self._timer.setInterval(PERIOD_MS)
        self._timer.timeout.connect(self.collect_due)

    def start(self) -> None:
        if not self._timer.isActive():
            Collector._running += 1
            gc.disable()
            self._timer.start()

    def stop(self) -> None:
        """Once no other thread of ours is left. Python collects by itself again when the last one stops."""
        if self._timer.isActive():
            self._timer.stop()
            Collector._running -= 1
            if not Collector._running:
                gc.enable()

    def collect_due(self) -> None:
        """The oldest generation whose turn it is by Python's own thresholds."""
        due = [count > limit > 0 for count, limit in zip(gc.get_count(), gc.get_threshold(), strict=True)]
        if not due[0]:
            return
        oldest = next((number - 1 for number, now in enumerate(due) if not now), len(due) - 1)
        gc.collect(oldest)
