"""One running job: what it does now, a bar, how much and how fast, Cancel."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QProgressBar, QWidget

from core.events import Progress
from gui import figures
from gui.theme import STEP
from gui.widgets.buttons import button
from gui.widgets.cards import column, row
from gui.widgets.one_line import OneLine
from gui.widgets.texts import plain
from gui.words import Speech


class ProgressRow(QWidget):
    """Hidden until the first `show_progress`. `cancelled` with the job's name."""

    cancelled = Signal(str)

    def __init__(self, speech: Speech, name: str, parent: QWidget | None = None, *, can_cancel: bool = True) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._speech = speech
        self._job = ""
        self._step = plain()
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(self.tr("Progress"))
        self._figures = OneLine("quiet")
        self._figures.setObjectName(f"{name}Figures")
        self._cancel = button(self.tr("Cancel"), f"{name}Cancel")
        self._cancel.setVisible(can_cancel)
        self._cancel.clicked.connect(self._cancel_clicked)
        outer = row(self, spacing=2 * STEP)
        texts = column(spacing=STEP // 2)
        texts.addWidget(self._step)
        texts.addWidget(self._bar)
        texts.addWidget(self._figures)
        outer.addLayout(texts, 1)
        outer.addWidget(self._cancel)
        self.hide()

    def show_progress(self, progress: Progress) -> None:
        self._job = progress.job
        step = self._speech.step(progress.step)
        if progress.step_count > 1:
            step = self.tr("{step} (step {number} of {count})").format(
                step=step, number=progress.step_index, count=progress.step_count
            )
        self._step.setText(step)
        if progress.total_bytes:
            self._bar.setRange(0, 1000)
            self._bar.setValue(min(1000, round(1000 * progress.done_bytes / progress.total_bytes)))
        else:
            self._bar.setRange(0, 0)
        self._figures.set_full_text(self._figures_of(progress))
        self.setAccessibleName(step)
        self._cancel.setEnabled(True)
        self.show()

    def show_cancelling(self) -> None:
        self._cancel.setEnabled(False)
        self._step.setText(self.tr("Cancelling…"))

    def _figures_of(self, progress: Progress) -> str:
        language = self._speech.language
        parts: list[str] = []
        if progress.total_bytes:
            parts.append(
                self.tr("{done} of {total}").format(
                    done=figures.gib(progress.done_bytes, language), total=figures.gib(progress.total_bytes, language)
                )
            )
        elif progress.done_bytes:
            parts.append(figures.gib(progress.done_bytes, language))
        if progress.rate:
            parts.append(self.tr("{rate} MB/s").format(rate=figures.decimal(progress.rate / 1e6, 1, language)))
        if progress.eta_s is not None:
            parts.append(self.tr("about {time} left").format(time=figures.clock(progress.eta_s)))
        if progress.note:
            parts.append(progress.note)
        return " · ".join(parts)

    def _cancel_clicked(self) -> None:
        self.show_cancelling()
        self.cancelled.emit(self._job)
