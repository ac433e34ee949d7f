"""Closing the window, in stages, none of which waits: ask, close the services, end the runtime, tell."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from core.events import ErrorInfo, ModelsChanged, ServerState, ServerStatus
from gui.desk import Desk
from gui.dialogs.question import Question
from gui.window import MainWindow

POLL_MS = 10
ALIVE = (ServerState.STARTING, ServerState.READY)


class Quitting(QObject):
    """`stopping` with words for the status bar; `remembered` when the answer was kept; `ended` when all is over."""

    stopping = Signal(str)
    remembered = Signal()
    ended = Signal()

    def __init__(self, window: MainWindow, desk: Desk, parent: QObject) -> None:
        super().__init__(parent)
        self._window = window
        self._desk = desk
        self._status = ServerStatus()
        self._model_names: dict[str, str] = {}
        self._begun = False
        self._keep = False
        self._asking: Question | None = None
        self._poll = QTimer(self)
        self._poll.setInterval(POLL_MS)
        self._poll.timeout.connect(self._look)
        desk.bridge.on(ServerStatus, self._server_changed, owner=self)
        desk.bridge.on(ModelsChanged, self._models_changed, owner=self)

    @property
    def under_way(self) -> bool:
        """Somebody is asked whether to close, or it has begun."""
        return self._begun or self._asking is not None

    def wish(self) -> None:
        """The user wants to close. Asks only when a server runs and the settings say to ask."""
        choice = self._desk.services.settings.current.keep_server_on_close
        if self._begun or self._asking is not None:
            return
        if self._status.state not in ALIVE:
            self.begin(keep_server=False)
        elif self._status.state is ServerState.STARTING:
            self._ask(can_keep=False)
        elif choice == "ask":
            self._ask(can_keep=True)
        else:
            self.begin(keep_server=choice == "keep")

    def begin(self, *, keep_server: bool) -> None:
        if self._begun:
            return
        self._begun = True
        self._keep = keep_server
        self._window.let_use(False)
        self.stopping.emit(self.tr("Closing…") if keep_server else self.tr("Stopping…"))
        self._desk.bridge.call(
            self._desk.services.change_settings,
            owner=self,
            window_geometry=self._window.geometry_text(),
            done=self._saved,
            failed=self._not_saved,
        )

    def _ask(self, *, can_keep: bool) -> None:
        model = self._model_names.get(self._status.model, self._status.model)
        keep = (("keep", self.tr("Keep it running")),) if can_keep else ()
        self._asking = Question(
            self._window,
            name="closeDialog",
            heading=self.tr("{model} is still running").format(model=model)
            if can_keep
            else self.tr("{model} is still starting").format(model=model),
            text=self.tr("A server that keeps running holds its memory. Stowage finds it again at the next start.")
            if can_keep
            else self.tr("Closing Stowage now cancels the start."),
            choices=(("stop", self.tr("Stop server")), *keep, ("cancel", self.tr("Cancel"))),
            remember=self.tr("Do this every time") if can_keep else "",
        )
        self._asking.chosen.connect(self._answered)
        self._asking.open()

    def _answered(self, choice: str) -> None:
        asking, self._asking = self._asking, None
        if choice == "cancel" or asking is None:
            return
        if asking.remembered:
            self._desk.bridge.call(
                self._desk.services.change_settings, owner=self, keep_server_on_close=choice, done=self._kept_answer
            )
        self.begin(keep_server=choice == "keep")

    def _kept_answer(self, _settings: object) -> None:
        self.remembered.emit()

    def _saved(self, _settings: object) -> None:
        self._close_services()

    def _not_saved(self, _error: ErrorInfo) -> None:
        # The window's place is no reason to stay open.
        self._close_services()

    def _close_services(self) -> None:
        self._desk.bridge.call(
            self._desk.services.close, self._keep, owner=self, done=self._closed, failed=self._close_failed
        )

    def _closed(self, _nothing: None) -> None:
        self._poll.start()

    def _close_failed(self, error: ErrorInfo) -> None:
        """Something of the server is left: say so, and let the user try again."""
        self._begun = False
        self._window.let_use(True)
        self._desk.bridge.failed_unheard.emit(error)

    def _look(self) -> None:
        if self._desk.bridge.stop():
            self._poll.stop()
            self.ended.emit()

    def _server_changed(self, status: ServerStatus) -> None:
        self._status = status

    def _models_changed(self, event: ModelsChanged) -> None:
        self._model_names = {model.id: model.name for model in event.models}
