"""Ctrl-C and TERM end the window in stages too. Python's handlers run only between byte codes; a pipe wakes Qt."""

from __future__ import annotations

import os
import signal

from PySide6.QtCore import QObject, QSocketNotifier, Signal


class SignalWatch(QObject):
    """`told_to_end` when the process got INT, TERM or HUP."""

    told_to_end = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._reading, writing = os.pipe()
        os.set_blocking(self._reading, False)
        os.set_blocking(writing, False)
        signal.set_wakeup_fd(writing)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, _heard)
        self._notifier = QSocketNotifier(self._reading, QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._woken)

    def _woken(self) -> None:
        if os.read(self._reading, 64):
            self.told_to_end.emit()


def _heard(_number: int, _frame: object) -> None:
    """The wakeup pipe has told Qt already."""
