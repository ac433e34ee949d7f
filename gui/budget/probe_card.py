"""Measured speeds: what an earlier probe found, and a button to measure again."""

from __future__ import annotations

from PySide6.QtCore import QDateTime, Signal
from PySide6.QtWidgets import QFrame, QProgressBar, QWidget

from core.events import ErrorInfo, Progress
from core.machine.probe.result import Probe
from core.machine.reading import Known, Reading
from core.words import show_bytes
from gui import figures
from gui.budget.terms import BudgetTerms
from gui.theme import STEP
from gui.widgets.buttons import button, retext
from gui.widgets.cards import column, row
from gui.widgets.texts import heading, plain, quiet
from gui.words import Speech


class ProbeCard(QFrame):
    """`wanted`: measure; `cancelled`: stop measuring."""

    wanted = Signal()
    cancelled = Signal()

    def __init__(self, speech: Speech, terms: BudgetTerms) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self._speech = speech
        self._terms = terms
        self._running = False
        self._note = quiet()
        self._note.setObjectName("probeNote")
        self._rows = column(spacing=STEP // 2)
        self._results: list[QWidget] = []
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(self.tr("Progress"))
        self._bar.hide()
        self._button = button(self.tr("Measure"), "probeButton")
        self._button.clicked.connect(self._clicked)
        layout = column(self, spacing=STEP, margin=2 * STEP)
        line = row(spacing=STEP)
        line.addWidget(heading(self.tr("Measured speeds")), 1)
        line.addWidget(self._button)
        layout.addLayout(line)
        layout.addWidget(self._note)
        layout.addWidget(self._bar)
        layout.addLayout(self._rows)
        self.show_probe(None)

    @property
    def running(self) -> bool:
        return self._running

    def show_progress(self, progress: Progress) -> None:
        self._run(True)
        self._bar.setRange(0, progress.step_count)
        self._bar.setValue(progress.step_index)
        self._note.setText(f"{self._speech.step(progress.step)}…")

    def show_cancelling(self) -> None:
        self._button.setEnabled(False)
        self._note.setText(self.tr("Cancelling…"))

    def show_failure(self, error: ErrorInfo) -> None:
        told = self._speech.explain(error)
        self._run(False)
        self._note.setText(f"{told.title}. {told.sentence}")

    def show_probe(self, probe: Probe | None) -> None:
        self._run(False)
        for widget in self._results:
            self._rows.removeWidget(widget)
            widget.deleteLater()
        self._results = []
        if probe is None:
            self._note.setText(
                self.tr("How fast RAM, disk and the way to the GPU really are. It takes up to 20 seconds.")
            )
            return
        for name, value in self._lines(probe):
            self._add(name, value)
        moment = QDateTime.fromSecsSinceEpoch(round(probe.taken_at))
        when = figures.locale_of(self._speech.language).toString(moment, "d MMMM yyyy, HH:mm")
        note = self.tr("On {date}.").format(date=when)
        if not probe.cache_bypassed:
            note += " " + self.tr("The disk was read through the cache: it may be slower.")
        self._note.setText(note)

    def _add(self, name: str, value: str) -> None:
        line = QWidget()
        inside = row(line, spacing=STEP)
        inside.addWidget(quiet(name), 1)
        inside.addWidget(plain(value, wrap=False))
        self._results.append(line)
        self._rows.addWidget(line)

    def _lines(self, probe: Probe) -> list[tuple[str, str]]:
        say = self._terms.term
        reads = probe.disk_random_iops.or_none()
        language = self._speech.language
        count = say("unknown") if reads is None else say("iops").format(count=figures.count(round(reads), language))
        lines = [
            (say("ram_read"), self._rate(probe.ram_read_gb_s)),
            (say("disk_sequential"), self._rate(probe.disk_sequential_gb_s)),
            (say("disk_random"), count),
        ]
        for link in probe.links:
            lines += [
                (say("h2d_pinned"), self._rate(Known(link.pinned_gb_s))),
                (say("h2d_pageable"), self._rate(Known(link.pageable_gb_s))),
            ]
        return lines

    def _rate(self, reading: Reading[float]) -> str:
        value = reading.or_none()
        if value is None:
            return self._terms.term("unknown")
        return self._terms.term("per_s").format(rate=show_bytes(value * 1e9, self._speech.language))

    def _run(self, running: bool) -> None:
        self._running = running
        self._bar.setVisible(running)
        self._button.setEnabled(True)
        retext(self._button, self.tr("Cancel") if running else self.tr("Measure"))

    def _clicked(self) -> None:
        if self._running:
            self.show_cancelling()
            self.cancelled.emit()
        else:
            self._run(True)
            self._note.setText(self.tr("Starting…"))
            self.wanted.emit()
