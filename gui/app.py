"""The only file that wires everything: starts the window, fills it once it is painted, ends it in stages.

Order: settings at a glance, QApplication, theme, language, the empty window shown. Only after its first paint are the
runtime, the services and the pages imported and made, so that a cold start shows a window as fast as a bare one.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from core.errors import AppError
from core.instance import Instance
from core.paths import Paths
from gui import icons
from gui.crash import CrashReports
from gui.first_look import first_look, window_language
from gui.languages import speak
from gui.signals import SignalWatch
from gui.theme import Theme
from gui.window import MainWindow

if TYPE_CHECKING:
    from core.runtime import Runtime
    from core.services import Services
    from gui.bridge import Bridge
    from gui.filling import Filling
    from gui.quitting import Quitting


class App(QObject):
    """One running window. `filled` when all pages are there and the services are open; `ended` when nothing of it
    runs any more and the application may quit."""

    filled = Signal()
    ended = Signal()

    def __init__(self, application: QApplication, paths: Paths, instance: Instance | None = None) -> None:
        super().__init__(application)
        self._paths = paths
        self._instance = instance
        look = first_look(paths.settings_file)
        self.language = window_language(look.language)
        self.theme = Theme(application, look.theme)
        speak(application, self.language)
        self.crashes = CrashReports(parent=self)
        self.window = MainWindow()
        self.window.restore(look.window_geometry)
        self.runtime: Runtime | None = None
        self.bridge: Bridge | None = None
        self.services: Services | None = None
        self.filling: Filling | None = None
        self._quitting: Quitting | None = None
        # Queued: the window must be on the screen before the heavy part begins.
        self.window.painted.connect(self._fill, Qt.ConnectionType.QueuedConnection)
        self.window.close_wanted.connect(self.quit)

    def show(self) -> None:
        self.window.show()

    def quit(self, *, ask: bool = True, keep_server: bool = False) -> None:
        """End in stages; asks about a running server first, unless told not to."""
        if self._quitting is None:
            # Nothing was started yet, or it could not be.
            self._end()
        elif ask:
            self._quitting.wish()
        else:
            self._quitting.begin(keep_server=keep_server)

    def quit_unasked(self) -> None:
        """Told to end by a signal: there is nobody to ask; the server ends too."""
        self.quit(ask=False)

    # ---- after the first paint -------------------------------------------------------------------------------------

    def _fill(self) -> None:
        from gui.bridge import Bridge

        self.bridge = Bridge(self)
        self.bridge.bug.connect(self.crashes.note)
        self.crashes.reported.connect(self._show_report)
        self.bridge.start(self._make, owner=self, done=self._made)
        for page, button in self.window.nav_buttons.items():
            icons.set_icon(button, page)
        self.window.setWindowIcon(QIcon(str(icons.FOLDER / "stowage.svg")))
        self.theme.changed.connect(self._retint)

    def _make(self) -> tuple[Any, Any]:
        """In a thread of its own: import what is heavy, start the runtime, make the services."""
        from core.cli.session import log_to_file
        from core.events import EventBus
        from core.redact import Redactor
        from core.runtime import Runtime
        from core.services import Services
        from core.settings import SettingsStore

        assert self.bridge is not None
        self._paths.ensure()
        log_to_file(self._paths)
        self.crashes.use_redactor(Redactor())
        bus = EventBus()
        bus.subscribe(self.bridge.post)
        runtime = Runtime(on_error=self.bridge.post_bug)
        runtime.start()
        return runtime, (runtime, Services(self._paths, SettingsStore(self._paths.settings_file), bus, self._instance))

    def _made(self, made: Any) -> None:
        from core.events import ShowWindow
        from gui.desk import Desk
        from gui.filling import Filling
        from gui.quitting import Quitting
        from gui.words import Speech

        assert self.bridge is not None
        self.runtime, self.services = made
        desk = Desk(self.bridge, self.services, Speech(self.language, self))
        self._quitting = Quitting(self.window, desk, self)
        self._quitting.ended.connect(self._end)
        self.filling = Filling(self.window, desk, self.theme, self)
        self.filling.done.connect(self.filled)
        self._quitting.stopping.connect(self.filling.show_words)
        self._quitting.remembered.connect(self.filling.refresh_settings)
        self.bridge.on(ShowWindow, self._to_front, owner=self)
        self.filling.begin()

    def _to_front(self, _event: object) -> None:
        self.window.to_front()

    def _retint(self) -> None:
        icons.retint(self.window)

    def _show_report(self, trace: str) -> None:
        from core.words import explain
        from gui.dialogs.crash_report import CrashReport

        kind = trace.strip().splitlines()[-1].split(":")[0]
        CrashReport(self.window, explain(AppError("app.bug", kind=kind), self.language), trace).open()

    def _end(self) -> None:
        self.window.allow_close()
        self.window.close()
        self.ended.emit()


def main(argv: list[str] | None = None) -> int:
    """Open the window and stay until it is closed. 0, or 1 when it could not start (said in words)."""
    paths = Paths.of_user()
    instance = Instance(paths)
    try:
        paths.ensure()
        instance.acquire()
    except AppError as error:
        return _refuse(error, paths)
    qt = application(argv)
    app = App(qt, paths, instance)
    app.crashes.install()
    app.crashes.keep_faults(paths.logs / "faults.log")
    app.ended.connect(qt.quit)
    watch = SignalWatch(app)
    watch.told_to_end.connect(app.quit_unasked)
    app.show()
    code = qt.exec()
    instance.release()
    return code


def application(argv: list[str] | None) -> QApplication:
    application = QApplication(["stowage", *(argv or [])])
    application.setApplicationName("stowage")
    application.setApplicationDisplayName("Stowage")
    application.setDesktopFileName("stowage")
    application.setQuitOnLastWindowClosed(False)
    return application


def _refuse(error: AppError, paths: Paths) -> int:
    """The window cannot be opened: say why where it was started from."""
    from core.words import explain

    words = explain(error, window_language(first_look(paths.settings_file).language))
    print(words.as_text(), file=sys.stderr)
    return 1
