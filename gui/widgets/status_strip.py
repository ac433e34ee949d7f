"""The line at the bottom: the server's state, its model, running work, tokens per second."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QWidget

from core.events import JobDone, ModelsChanged, Progress, ServerState, ServerStatus, SpeedCard
from core.hub.events import DownloadsChanged
from core.hub.model import DownloadState
from gui import figures
from gui.desk import Desk
from gui.theme import STEP
from gui.widgets.buttons import button, retext
from gui.widgets.status_dot import Sign, StatusDot
from gui.widgets.texts import plain, quiet

SIGNS = {
    ServerState.IDLE: Sign.OFF,
    ServerState.STARTING: Sign.BUSY,
    ServerState.READY: Sign.ON,
    ServerState.STOPPING: Sign.BUSY,
    ServerState.FAILED: Sign.BAD,
}

STILL = (DownloadState.PAUSED, DownloadState.DONE, DownloadState.FAILED)


class StatusStrip(QWidget):
    """`downloads_wanted`: the user wants to see them."""

    downloads_wanted = Signal()

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._speech = desk.speech
        self._jobs: dict[str, Progress] = {}
        self._status = ServerStatus()
        self._model_names: dict[str, str] = {}
        self._dot = StatusDot()
        self._server = plain(wrap=False)
        self._server.setObjectName("statusServer")
        self._model = quiet(wrap=False)
        self._model.setObjectName("statusModel")
        self._job = quiet(wrap=False)
        self._job.setObjectName("statusJob")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setFixedWidth(12 * STEP)
        self._bar.setAccessibleName(self.tr("Progress"))
        self._bar.hide()
        self._downloads = button(self.tr("Downloads"), "statusDownloads", kind="small", icon="download")
        self._downloads.setToolTip(self.tr("Show all downloads"))
        self._downloads.clicked.connect(self.downloads_wanted)
        self._downloads.hide()
        self._speed = plain(wrap=False)
        self._speed.setObjectName("statusSpeed")
        self._speed.setToolTip(self.tr("Tokens per second of the answer being written"))
        layout: QHBoxLayout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(STEP)
        for part in (self._dot, self._server, self._model):
            layout.addWidget(part)
        layout.addStretch(1)
        for part in (self._job, self._bar, self._downloads, self._speed):
            layout.addWidget(part)
        desk.bridge.on(ServerStatus, self._server_changed, owner=self)
        desk.bridge.on(ModelsChanged, self._models_changed, owner=self)
        desk.bridge.on(Progress, self._progress, owner=self)
        desk.bridge.on(JobDone, self._job_done, owner=self)
        desk.bridge.on(DownloadsChanged, self._downloads_changed, owner=self)
        self._show_server()

    def show_speed(self, speed: SpeedCard | None) -> None:
        self._speed.setText("" if speed is None else figures.rate_only(speed, self._speech.language))

    def show_words(self, words: str) -> None:
        """News of the app itself ("Stopping…"), in the server's place."""
        self._dot.show_sign(Sign.BUSY)
        self._server.setText(words)
        self._model.clear()

    def _server_changed(self, status: ServerStatus) -> None:
        self._status = status
        self._show_server()

    def _models_changed(self, event: ModelsChanged) -> None:
        self._model_names = {model.id: model.name for model in event.models}
        self._show_server()

    def _show_server(self) -> None:
        status = self._status
        self._dot.show_sign(SIGNS[status.state])
        self._server.setText(self._speech.server(status))
        idle = status.state in (ServerState.IDLE, ServerState.FAILED)
        self._model.setText("" if idle else self._model_names.get(status.model, status.model))

    def _progress(self, event: Progress) -> None:
        self._jobs[event.job] = event
        self._show_jobs()

    def _job_done(self, event: JobDone) -> None:
        self._jobs.pop(event.job, None)
        self._show_jobs()

    def _downloads_changed(self, event: DownloadsChanged) -> None:
        running = [download for download in event.downloads if download.state not in STILL]
        self._downloads.setVisible(bool(running))
        if running:
            rate = sum(download.rate for download in running) / 1e6
            text = self.tr("%Ln download(s)", "", len(running))
            if rate:
                shown = figures.decimal(rate, 1, self._speech.language)
                text += " · " + self.tr("{rate} MB/s").format(rate=shown)
            retext(self._downloads, text)

    def _show_jobs(self) -> None:
        newest = next(reversed(self._jobs.values()), None)
        self._bar.setVisible(newest is not None)
        if newest is None:
            self._job.clear()
            return
        self._job.setText(self._speech.step(newest.step))
        if newest.total_bytes:
            self._bar.setRange(0, 1000)
            self._bar.setValue(min(1000, round(1000 * newest.done_bytes / newest.total_bytes)))
        else:
            self._bar.setRange(0, 0)
