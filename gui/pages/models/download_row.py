"""One download in the drawer."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QProgressBar, QPushButton

from core.hub.model import DownloadInfo, DownloadState
from gui.pages.models.download_words import ACTIVE, DownloadWords, share
from gui.theme import STEP
from gui.widgets.buttons import button, retext
from gui.widgets.cards import column, row
from gui.widgets.one_line import OneLine
from gui.widgets.texts import plain, quiet


class DownloadRow(QFrame):
    """`wanted` with the download's key and a verb: "pause", "resume", "cancel", "launch"."""

    wanted = Signal(str, str)

    def __init__(self, download: DownloadInfo, words: DownloadWords) -> None:
        super().__init__()
        self._words = words
        self._key = download.key
        self.setProperty("card", "bubble")
        self.setObjectName(f"download-{download.model_id}")
        self._name = OneLine()
        self._name.set_full_text(download.model_id)
        self._state, self._figures = OneLine("quiet"), quiet()
        self._reason = plain()
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 1000)
        name = download.model_id
        self._bar.setAccessibleName(self.tr("Progress of {model}").format(model=name))
        self._pause = self._verb("pause", self.tr("Pause"), self.tr("Pause {model}").format(model=name))
        self._resume = self._verb("resume", self.tr("Resume"), self.tr("Resume {model}").format(model=name))
        self._cancel = self._verb("cancel", self.tr("Cancel"), self.tr("Cancel {model}").format(model=name))
        self._launch = self._verb("launch", self.tr("Launch"), self.tr("Launch {model}").format(model=name))
        layout = column(self, spacing=STEP // 2, margin=STEP + 4)
        for part in (self._name, self._bar, self._state, self._figures, self._reason):
            layout.addWidget(part)
        buttons = row()
        buttons.addStretch(1)
        for part in (self._launch, self._pause, self._resume, self._cancel):
            buttons.addWidget(part)
        layout.addLayout(buttons)
        self.show_download(download)

    def show_download(self, download: DownloadInfo) -> None:
        self._key = download.key
        state = download.state
        self._state.set_full_text(self._words.state(download))
        self._figures.setText(self._words.figures(download))
        reason = self._words.reason(download)
        self._reason.setText(reason)
        self._reason.setVisible(bool(reason))
        self._bar.setVisible(state is not DownloadState.DONE)
        self._bar.setValue(share(download))
        failed = state is DownloadState.FAILED
        retext(self._resume, self.tr("Try again") if failed else self.tr("Resume"))
        self._pause.setVisible(state in ACTIVE)
        self._resume.setVisible(failed or state is DownloadState.PAUSED)
        done = state is DownloadState.DONE
        retext(self._cancel, self.tr("Clear") if done else self.tr("Cancel"))
        self._cancel.setToolTip(self.tr("Take it off this list; the model stays") if done else "")
        self._launch.setVisible(done)

    def _verb(self, verb: str, text: str, meaning: str) -> QPushButton:
        made = button(text, f"{verb}-{self.objectName()}", kind="small")
        made.setToolTip(meaning)
        made.setProperty("verb", verb)
        made.clicked.connect(self._clicked)
        return made

    def _clicked(self) -> None:
        self.wanted.emit(self._key, str(self.sender().property("verb")))
