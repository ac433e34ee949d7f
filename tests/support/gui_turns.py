"""How long the GUI thread is ever busy: CPU time between one sleep of its event loop and the next."""

from __future__ import annotations

import time

from PySide6.QtCore import QAbstractEventDispatcher, QEventLoop, QObject, Qt, QTimer


class Turns(QObject):
    """CPU time of the GUI thread between one sleep of its event loop and the next (other work on the machine does not
    count), and the wall time between beats of a 5 ms timer. Both in ms, from `begin` to `end`."""

    def __init__(self) -> None:
        super().__init__()
        self.cpu_ms: list[float] = []
        self.beats_ms: list[float] = []
        self._last = time.thread_time()
        self._beat_at = time.perf_counter()
        self._beat = QTimer(self)
        self._beat.setTimerType(Qt.TimerType.PreciseTimer)
        self._beat.timeout.connect(self._beaten)
        self._dispatcher = QAbstractEventDispatcher.instance()

    def begin(self) -> None:
        self._last, self._beat_at = time.thread_time(), time.perf_counter()
        self._dispatcher.aboutToBlock.connect(self._turned)
        self._beat.start(5)

    def end(self) -> None:
        self._beat.stop()
        self._dispatcher.aboutToBlock.disconnect(self._turned)

    def _turned(self) -> None:
        now = time.thread_time()
        self.cpu_ms.append((now - self._last) * 1000)
        self._last = now

    def _beaten(self) -> None:
        now = time.perf_counter()
        self.beats_ms.append((now - self._beat_at) * 1000)
        self._beat_at = now


def wait(ms: int) -> None:
    """Let the event loop run."""
    loop = QEventLoop()
    QTimer.singleShot(ms, loop.quit)
    loop.exec()
