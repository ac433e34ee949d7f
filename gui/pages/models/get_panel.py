"""The button that turns, in place, into the progress of the download and then into "Launch"."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QApplication, QProgressBar, QPushButton, QWidget

from core.hub.model import DownloadInfo, DownloadState
from gui.pages.models.download_words import ACTIVE, DownloadWords, share
from gui.theme import STEP
from gui.widgets.buttons import button, retext
from gui.widgets.cards import column, row
from gui.widgets.one_line import OneLine
from gui.widgets.snug_stack import SnugStack
from gui.widgets.texts import plain, quiet


class GetPanel(QWidget):
    """Signals carry what the user wants of the model shown; the pane knows which one that is."""

    get_wanted = Signal(bool)
    pause_wanted = Signal()
    resume_wanted = Signal()
    cancel_wanted = Signal()
    launch_wanted = Signal()

    def __init__(self, words: DownloadWords) -> None:
        super().__init__()
        self._words = words
        self._offer = QWidget()
        self._running = QWidget()
        self._here = QWidget()
        self._stack = SnugStack()
        self._get_launch = button(self.tr("Get and launch"), "getLaunchButton", kind="primary")
        self._get = button(self.tr("Get"), "getButton")
        self._note = OneLine("quiet")
        self._note.setObjectName("getNote")
        self._state = OneLine()
        self._state.setObjectName("getState")
        self._bar = QProgressBar()
        self._bar.setObjectName("getBar")
        self._figures = quiet()
        self._figures.setObjectName("getFigures")
        self._reason = plain()
        self._reason.setObjectName("getReason")
        self._pause = button(self.tr("Pause"), "pauseButton", kind="small")
        self._resume = button(self.tr("Resume"), "resumeButton", kind="small")
        self._cancel = button(self.tr("Cancel"), "cancelGetButton", kind="small")
        self._launch = button(self.tr("Launch"), "launchHubButton", kind="primary")
        self._newer = button(self.tr("Get the newer version"), "getNewerButton")
        self._here_text = OneLine("quiet")
        self._build_offer()
        self._build_running()
        self._build_here()
        for page in (self._offer, self._running, self._here):
            self._stack.add(page)
        column(self).addWidget(self._stack)

    def _build_offer(self) -> None:
        self._get_launch.setToolTip(self.tr("Download it, start it and open the chat"))
        self._get.setToolTip(self.tr("Download it only"))
        self._get_launch.clicked.connect(self._get_launch_clicked)
        self._get.clicked.connect(self._get_clicked)
        layout = column(self._offer, spacing=STEP // 2)
        buttons = row()
        buttons.addWidget(self._get_launch)
        buttons.addWidget(self._get)
        buttons.addStretch(1)
        layout.addLayout(buttons)
        layout.addWidget(self._note)

    def _build_running(self) -> None:
        self._figures.setAlignment(Qt.AlignmentFlag.AlignTop)
        # Room for two lines from the start: nothing jumps when the figures grow.
        self._figures.setMinimumHeight(2 * self._figures.fontMetrics().lineSpacing())
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 1000)
        self._bar.setAccessibleName(self.tr("Progress of the download"))
        self._pause.clicked.connect(self.pause_wanted)
        self._resume.clicked.connect(self.resume_wanted)
        self._cancel.clicked.connect(self.cancel_wanted)
        self._cancel.setToolTip(self.tr("Stop and remove what was fetched"))
        self._pause.setToolTip(self.tr("Stop and keep what was fetched"))
        layout = column(self._running, spacing=STEP // 2)
        head = row()
        head.addWidget(self._state, 1)
        for part in (self._pause, self._resume, self._cancel):
            head.addWidget(part)
        layout.addLayout(head)
        layout.addWidget(self._bar)
        layout.addWidget(self._figures)
        layout.addWidget(self._reason)

    def _build_here(self) -> None:
        self._launch.clicked.connect(self.launch_wanted)
        self._newer.clicked.connect(self._get_clicked)
        self._newer.setToolTip(self.tr("Its main branch has changed on the Hub since it was fetched"))
        layout = row(self._here)
        layout.addWidget(self._launch)
        layout.addWidget(self._newer)
        layout.addWidget(self._here_text, 1)

    # ---- states ----------------------------------------------------------------------------------------------------

    def show_offer(self, note: str, *, enabled: bool, may_launch: bool, resume: bool) -> None:
        """`may_launch` False until its own code is trusted; `resume`: a part of it is here already."""
        retext(self._get, self.tr("Get the rest") if resume else self.tr("Get"))
        self._get_launch.setEnabled(enabled and may_launch)
        self._get.setEnabled(enabled)
        self._note.set_full_text(note)
        focused = self._focused()
        self._stack.show_only(self._offer)
        self._hand_on(focused, self._get)

    def show_download(self, download: DownloadInfo, *, reason_shown: bool = False) -> None:
        """`reason_shown`: why it failed stands elsewhere already."""
        focused = self._focused()
        state = self._words.state(download)
        self._state.set_full_text(state)
        if download.state is DownloadState.STARTING and not download.total_bytes:
            self._bar.setRange(0, 0)
        else:
            self._bar.setRange(0, 1000)
            self._bar.setValue(share(download))
        self._figures.setText(self._words.figures(download))
        reason = "" if reason_shown else self._words.reason(download)
        self._reason.setText(reason)
        self._reason.setVisible(bool(reason))
        failed = download.state is DownloadState.FAILED
        self._pause.setVisible(download.state in ACTIVE)
        self._resume.setVisible(failed or download.state is DownloadState.PAUSED)
        retext(self._resume, self.tr("Try again") if failed else self.tr("Resume"))
        self.setAccessibleName(state)
        self._stack.show_only(self._running)
        self._hand_on(focused, self._pause if download.state in ACTIVE else self._resume)

    def show_here(self, note: str, *, may_launch: bool, newer: bool) -> None:
        """`newer`: the Hub has a later commit."""
        self._newer.setVisible(newer)
        self._launch.setEnabled(may_launch)
        self._here_text.set_full_text(note)
        focused = self._focused()
        self._stack.show_only(self._here)
        self._hand_on(focused, self._launch)

    def _focused(self) -> QWidget | None:
        """The part of this panel that has the focus now."""
        focused = QApplication.focusWidget()
        return focused if focused is not None and self.isAncestorOf(focused) else None

    def _hand_on(self, focused: QWidget | None, heir: QPushButton) -> None:
        """What had the focus may be gone: what took its place has it now, so that keys go on working (and do not fall
        to Cancel, which Qt would take)."""
        if focused is not None and not focused.isVisible():
            heir.setFocus()

    def _get_launch_clicked(self) -> None:
        self.get_wanted.emit(True)

    def _get_clicked(self) -> None:
        self.get_wanted.emit(False)
