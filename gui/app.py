"""The only file that wires everything: starts the window, fills it once it is painted, ends it in stages.

Order: settings at a glance, QApplication, theme, language, the empty window shown. Only after its first paint are the
runtime, the services and the pages imported and made, so that a cold start shows a window as fast as a bare one.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication

from core.errors import AppError
from core.instance import Instance
from core.paths import Paths
from gui.first_look import first_look, window_language
from gui.languages import count_like, silence, speak
from gui.theme import Theme
from gui.window import MainWindow

if TYPE_CHECKING:
    from core.runtime import Runtime
    from core.services import Services
    from gui.bridge import Bridge
    from gui.crash import CrashReports
    from gui.filling import Filling
    from gui.language_switch import LanguageSwitch
    from gui.quitting import Quitting


class App(QObject):
    """One running window. `owns_process` False leaves the process's hooks and signals alone.

    `filled` when all pages are there and the services are open; `ended` when nothing of it
    runs any more and the application may quit."""

    filled = Signal()
    ended = Signal()

    def __init__(
        self,
        application: QApplication,
        paths: Paths,
        instance: Instance | None = None,
        *,
        owns_process: bool = True,
    ) -> None:
        super().__init__(application)
        self._paths = paths
        self._instance = instance
        self._owns_process = owns_process
        look = first_look(paths.settings_file)
        self.language = window_language(look.language)
        self.theme = Theme(application, look.theme)
        self._speaking = speak(application, self.language, self)
        self.window = MainWindow()
        self.window.restore(look.window_geometry)
        self.runtime: Runtime | None = None
        self.bridge: Bridge | None = None
        self.services: Services | None = None
        self.filling: Filling | None = None
        self.crashes: CrashReports | None = None
        self._quitting: Quitting | None = None
        self._switch: LanguageSwitch | None = None
        self.window.painted.connect(self._painted)
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

    def _painted(self) -> None:
        # Not at once: the window must be on the screen before the heavy part begins.
        QTimer.singleShot(0, self, self._fill)

    def _fill(self) -> None:
        from PySide6.QtGui import QIcon

        from gui import icons
        from gui.bridge import Bridge
        from gui.crash import CrashReports

        count_like(self.language)
        self.window.add_shortcuts()

        self.crashes = CrashReports(self)
        if self._owns_process:
            self._take_over()
        self.bridge = Bridge(self)
        self.bridge.bug.connect(self.crashes.note)
        self.crashes.reported.connect(self._show_report)
        self.bridge.start(self._make, owner=self, done=self._made)
        self._dress()
        self.window.setWindowIcon(QIcon(str(icons.FOLDER / "stowage.svg")))
        self.theme.changed.connect(self._retint)

    def _take_over(self) -> None:
        """The process is ours alone: its exceptions, its signals, its crashes."""
        from gui.signals import SignalWatch

        assert self.crashes is not None
        self.crashes.install()
        self.crashes.keep_faults(self._paths.logs / "faults.log")
        SignalWatch(self).told_to_end.connect(self.quit_unasked)

    def _make(self) -> tuple[Any, Any]:
        """In a thread of its own: import what is heavy, start the runtime, make the services."""
        import contextlib

        from core.events import EventBus
        from core.log_file import log_to_file
        from core.redact import Redactor
        from core.runtime import Runtime
        from core.services import Services
        from core.settings import SettingsStore

        assert self.bridge is not None
        assert self.crashes is not None
        with contextlib.suppress(OSError):  # the services check all folders and say it in words
            self._paths.logs.mkdir(mode=0o700, parents=True, exist_ok=True)
        log_to_file(self._paths)
        self.crashes.use_redactor(Redactor())
        bus = EventBus()
        bus.subscribe(self.bridge.post)
        runtime = Runtime(on_error=self.bridge.post_bug)
        runtime.start()
        return runtime, (runtime, Services(self._paths, SettingsStore(self._paths.settings_file), bus, self._instance))

    def _made(self, made: Any) -> None:
        from core.events import ShowWindow
        from gui.language_switch import LanguageSwitch

        assert self.bridge is not None
        self.runtime, self.services = made
        self._switch = LanguageSwitch(self.bridge, self)
        self._switch.due.connect(self._renew)
        self.bridge.on(ShowWindow, self._to_front, owner=self)
        self._furnish(None)

    def _furnish(self, before: Filling | None) -> None:
        from gui.desk import Desk
        from gui.filling import Filling
        from gui.quitting import Quitting
        from gui.words import Speech

        assert self.bridge is not None
        assert self.services is not None
        desk = Desk(self.bridge, self.services, Speech(self.language, self))
        if self._quitting is not None:
            self._quitting.deleteLater()
        self._quitting = Quitting(self.window, desk, self)
        self._quitting.ended.connect(self._end)
        self.filling = Filling(self.window, desk, self.theme, self, before)
        self.filling.done.connect(self._is_filled)
        self.filling.language_chosen.connect(self._language_chosen)
        self._quitting.stopping.connect(self.filling.show_closing)
        self._quitting.remembered.connect(self.filling.refresh_settings)
        self.filling.begin()

    def _is_filled(self) -> None:
        if self._owns_process:
            # What there is now stays: a full collection that looks at it again would hold a frame up for 50 ms.
            gc.freeze()
        self.filled.emit()

    def _dress(self) -> None:
        from gui import icons

        for page, button in self.window.nav_buttons.items():
            icons.set_icon(button, page)

    # ---- another language ------------------------------------------------------------------------------------------

    def _language_chosen(self, setting: str) -> None:
        language = window_language(setting)
        assert self._switch is not None
        assert self.filling is not None
        assert self._quitting is not None
        self._switch.wish(language if language != self.language else "", self.filling, self._quitting)

    def _renew(self, language: str) -> None:
        """Everything in the window again in that language; the services and what they do go on."""
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        gc.unfreeze()
        silence(application, self._speaking)
        self.language = language
        self._speaking = speak(application, language, self)
        count_like(language)
        self.window.begin_anew()
        self._dress()
        self._furnish(self.filling)

    def _to_front(self, _event: object) -> None:
        self.window.to_front()

    def _retint(self) -> None:
        from gui import icons

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


def main(argv: list[str] | None = None, when_painted: Callable[[], None] | None = None) -> int:
    """Open the window and stay until it is closed. 0, or 1 when it could not start (said in words).

    `when_painted` is called once, after the first paint.
    """
    paths = Paths.of_user()
    instance = Instance(paths)
    try:
        _be_the_only_one(paths, instance)
    except AppError as error:
        return _refuse(error, paths)
    qt = application(argv)
    app = App(qt, paths, instance)
    app.ended.connect(qt.quit)
    if when_painted is not None:
        app.window.painted.connect(when_painted)
    app.show()
    code = qt.exec()
    instance.release()
    return code


def application(argv: list[str] | None) -> QApplication:
    # The style as an argument: naming it from Python would make the enums of QStyle before the first paint.
    application = QApplication(["stowage", "-style", "fusion", *(argv or [])])
    application.setApplicationName("stowage")
    application.setApplicationDisplayName("Stowage")
    application.setDesktopFileName("stowage")
    application.setQuitOnLastWindowClosed(False)
    return application


def _be_the_only_one(paths: Paths, instance: Instance) -> None:
    """Take the lock, for which only its folder is needed: the services check all folders after the first paint.

    Raises:
        AppError: `app.data_not_writable`, `app.second_copy`.
    """
    try:
        paths.state.mkdir(mode=0o700, parents=True, exist_ok=True)
        instance.acquire()
    except OSError as error:
        raise AppError("app.data_not_writable", str(error), path=str(paths.state), reason=error.strerror) from error


def _refuse(error: AppError, paths: Paths) -> int:
    """The window cannot be opened: say why where it was started from."""
    from core.words import explain

    words = explain(error, window_language(first_look(paths.settings_file).language))
    print(words.as_text(), file=sys.stderr)
    return 1
