"""Bugs end here: every unexpected exception, from whatever thread, once per distinct traceback."""

from __future__ import annotations

import faulthandler
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QMessageLogContext, QObject, QtMsgType, Signal, qInstallMessageHandler

# What the offscreen platform says of what it cannot do; says nothing about us.
HARMLESS = ("This plugin does not support propagateSizeHints()", "This plugin does not support raise()")


class CrashReports(QObject):
    """`reported` on the GUI thread with the text of a new report. `note` may be called from any thread."""

    reported = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._redact: Callable[[str], str] | None = None
        self._seen: set[str] = set()
        self._fault_file: object | None = None

    def install(self) -> None:
        """Take over the interpreter's, the threads' and Qt's last words."""
        sys.excepthook = self._from_main
        threading.excepthook = self._from_thread
        qInstallMessageHandler(self._from_qt)

    def keep_faults(self, path: Path) -> None:
        """A crash of the interpreter itself leaves its stacks in `path`."""
        try:
            file = path.open("a", encoding="utf-8")
        except OSError:
            return
        self._fault_file = file
        faulthandler.enable(file)

    def use_redactor(self, redact: Callable[[str], str]) -> None:
        self._redact = redact

    def note(self, error: BaseException) -> None:
        """Report a bug. Any thread; the signal is delivered on this object's own."""
        self._report("".join(traceback.format_exception(error)))

    def _from_main(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            return
        self._report("".join(traceback.format_exception(kind, error, trace)))

    def _from_thread(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self.note(args.exc_value)

    def _from_qt(self, kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
        import logging

        if message in HARMLESS:
            return
        level = logging.ERROR if kind in (QtMsgType.QtCriticalMsg, QtMsgType.QtFatalMsg) else logging.WARNING
        logging.getLogger("qt").log(level, "%s", message)

    def _report(self, text: str) -> None:
        import logging

        text = self._redact(text) if self._redact is not None else text
        if text in self._seen:
            return
        self._seen.add(text)
        logging.getLogger(__name__).error("%s", text)
        self.reported.emit(text)
