"""The launch under way, and the server that came of it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame

from core.events import Progress
from gui.pages.launch.run.proof_panel import ProofChips
from gui.theme import STEP
from gui.widgets.buttons import button, icon_button
from gui.widgets.cards import column, row
from gui.widgets.one_line import OneLine
from gui.widgets.phase_timeline import PhaseTimeline, Step
from gui.widgets.progress_row import ProgressRow
from gui.widgets.status_dot import Sign, StatusDot
from gui.widgets.texts import heading, plain, quiet, selectable
from gui.words import Speech


class StartingCard(QFrame):
    """Timeline, elapsed time, Cancel; above it the job that comes first (installing, making the starter)."""

    cancel_wanted = Signal()

    def __init__(self, speech: Speech) -> None:
        super().__init__()
        self.setProperty("card", "chosen")
        self._title = heading()
        self._elapsed = quiet(wrap=False)
        self._elapsed.setObjectName("launchElapsed")
        self._elapsed.setToolTip(self.tr("Time since you pressed Launch"))
        self._cancel = button(self.tr("Cancel"), "cancelLaunchButton")
        self._cancel.setShortcut("Esc")
        self._cancel.clicked.connect(self._cancel_clicked)
        self.progress = ProgressRow(speech, "launchProgress", can_cancel=False)
        self.timeline = PhaseTimeline()
        # One line each, always there: nothing jumps when a phase begins.
        self._waits, self._careful = OneLine("quiet"), OneLine("quiet")
        self._waits.setObjectName("launchWaits")
        self._careful.setObjectName("launchCareful")
        self._careful.hide()
        top = row(spacing=2 * STEP)
        top.addWidget(self._title, 1)
        top.addWidget(self._elapsed)
        top.addWidget(self._cancel)
        layout = column(self, spacing=2 * STEP, margin=2 * STEP)
        layout.addLayout(top)
        layout.addWidget(self.progress)
        layout.addWidget(self.timeline)
        layout.addWidget(self._waits)
        layout.addWidget(self._careful)

    def begin(self, title: str) -> None:
        self._title.setText(title)
        self._cancel.setEnabled(True)
        self._cancel.setVisible(True)
        self.progress.hide()
        self.show_careful("", "")

    def show_progress(self, progress: Progress) -> None:
        self.progress.show_progress(progress)

    def show_steps(self, steps: tuple[Step, ...]) -> None:
        self.timeline.show_steps(steps)

    def show_elapsed(self, text: str) -> None:
        self._elapsed.setText(text)

    def show_waits(self, text: str) -> None:
        """What the launch is busy with now."""
        if text != self._waits.full_text:
            self._waits.set_full_text(text)

    def show_careful(self, text: str, meaning: str) -> None:
        """What the look before it found and let pass."""
        self._careful.set_full_text(text)
        self._careful.setToolTip(meaning or text)
        self._careful.setAccessibleDescription(meaning)
        self._careful.setVisible(bool(text))

    def show_stopping(self, title: str) -> None:
        self._title.setText(title)
        self._cancel.setEnabled(False)

    def _cancel_clicked(self) -> None:
        self.show_stopping(self.tr("Cancelling…"))
        self.cancel_wanted.emit()


class ReadyCard(QFrame):
    stop_wanted = Signal()
    chat_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("card", "chosen")
        self._dot = StatusDot()
        self._dot.show_sign(Sign.ON)
        self._title = heading()
        self._title.setObjectName("readyTitle")
        self._address = selectable(plain(wrap=False))
        self._address.setObjectName("serverAddress")
        self._address.setToolTip(self.tr("The OpenAI-compatible address of the server, on this computer only"))
        self._note = quiet(wrap=False)
        self._vitals, self._limits = OneLine("quiet"), OneLine("bad")
        self._vitals.setObjectName("vitalsLine")
        self._limits.setObjectName("limitsLine")
        self._limits.hide()
        self._table = OneLine("quiet")
        self._table.setObjectName("tableLine")
        self._table.hide()
        self.chips = ProofChips()
        copy = icon_button("copy", "copyAddressButton", self.tr("Copy the address"))
        copy.clicked.connect(self._copy)
        self._chat = button(self.tr("Open chat"), "openChatButton", kind="primary")
        self._chat.clicked.connect(self.chat_wanted)
        self._stop = button(self.tr("Stop server"), "stopServerButton", icon="stop")
        self._stop.clicked.connect(self.stop_wanted)
        top = row()
        top.addWidget(self._dot)
        top.addWidget(self._title, 1)
        line = row(spacing=STEP // 2)
        line.addWidget(quiet(self.tr("Address:"), wrap=False))
        line.addWidget(self._address)
        line.addWidget(copy)
        line.addStretch(1)
        bottom = row()
        top.addWidget(self._note)
        bottom.addWidget(self._chat)
        bottom.addWidget(self._stop)
        line.addLayout(bottom)
        layout = column(self, spacing=STEP, margin=2 * STEP)
        for part in (top, line):
            layout.addLayout(part)
        for part in (self._vitals, self._table, self._limits, self.chips):
            layout.addWidget(part)

    def show_ready(self, title: str, address: str, note: str) -> None:
        self._title.setText(title)
        self._address.setText(address)
        self._note.setText(note)
        self._note.setToolTip(note)
        self._note.setVisible(bool(note))
        self._stop.setEnabled(True)
        self._chat.setEnabled(True)

    def show_vitals(self, text: str, limits: str, meaning: str) -> None:
        """How the server fares; `limits` what holds it back, "" for nothing that shows."""
        if text != self._vitals.full_text:
            self._vitals.set_full_text(text)
        if limits != self._limits.full_text:
            self._limits.set_full_text(limits)
        self._limits.setToolTip(meaning)
        self._limits.setAccessibleDescription(meaning)
        self._limits.setVisible(bool(limits))

    def show_table(self, text: str) -> None:
        """What was read of a per-layer table, "" where there is none."""
        if text != self._table.full_text:
            self._table.set_full_text(text)
        self._table.setVisible(bool(text))

    def show_stopping(self, title: str) -> None:
        self._title.setText(title)
        self._stop.setEnabled(False)
        self._chat.setEnabled(False)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._address.text())
