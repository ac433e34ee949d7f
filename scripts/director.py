"""Drives the real window as a person would, one step after another, and takes a picture at each stop.

`Director` starts the app, asks a generator for the next condition and goes on once it holds; a bug report or a step
that takes too long ends it with the reason.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator

Condition = Callable[[], bool]
LOOK_MS = 40


class Director:
    """A subclass writes the way in `_steps` and keeps `_last`, the name of the newest picture."""

    _last = "none"

    def __init__(self, name: str, size: tuple[int, int], deadline_ms: int) -> None:
        from core.paths import Paths
        from gui.app import App, application

        self._application = application([])
        self.app: App = App(self._application, Paths.of_user())
        self.app.ended.connect(self._application.quit)
        self.app.filled.connect(self._begin)
        self.app.window.resize(*size)
        self._name = name
        self._deadline_ms = deadline_ms
        self._failed = ""

    def run(self) -> None:
        from PySide6.QtCore import QTimer

        self._script = self._steps()
        self._waiting: Condition = lambda: True
        self._timer = QTimer()
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self._look)
        self._deadline = QTimer()
        self._deadline.setSingleShot(True)
        self._deadline.timeout.connect(self._late)
        self._deadline.start(self._deadline_ms)
        self.app.show()
        self._application.exec()
        if self._failed:
            raise SystemExit(self._failed)

    def _steps(self) -> Generator[Condition]:
        """The way: each condition is waited for before the next step."""
        yield from ()

    def _begin(self) -> None:
        assert self.app.crashes is not None
        self.app.crashes.reported.connect(self._crashed)
        self._timer.start()

    def _look(self) -> None:
        if not self._waiting():
            return
        try:
            self._waiting = next(self._script)
        except StopIteration:
            self._timer.stop()
            self.app.quit(ask=False)

    def _late(self) -> None:
        self._failed = f"{self._name}: waited too long; last picture: {self._last}"
        self._timer.stop()
        self.app.quit(ask=False)

    def _crashed(self, trace: str) -> None:
        print(trace, file=sys.stderr)
        self._failed = f"{self._name}: a bug was reported"
