"""What one answer cost: a line under it, and all its figures behind a click."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QWidget

from core.speed_card import NO_FIGURES, Disagreement, SpeedCard
from core.words import term
from gui import figures
from gui.pages.chat.message_tools import HEIGHT
from gui.pages.chat.speed_plot import SpeedPlot
from gui.theme import STEP
from gui.widgets.buttons import button, icon_button, retext
from gui.widgets.cards import column, row
from gui.widgets.snug_label import SnugLabel
from gui.widgets.texts import plain, quiet, selectable
from gui.words import capital


class SpeedLine(QWidget):
    """`show_speed` while the answer comes and at its end; `show_words` for what stands there before the first token."""

    def __init__(self, language: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._speed = NO_FIGURES
        self._text = SnugLabel("quiet")
        selectable(self._text)
        self._text.setObjectName("answerStats")
        self._more = icon_button("info", "answerSpeedButton", self.tr("All figures of this answer"), self)
        self._more.setProperty("kind", "tool")
        self._more.setFixedSize(4 * STEP, HEIGHT)
        kept = self._more.sizePolicy()
        kept.setRetainSizeWhenHidden(True)  # nothing jumps when it comes
        self._more.setSizePolicy(kept)
        self._more.hide()
        self._more.setCheckable(True)
        self._more.toggled.connect(self._toggled)
        self._details: SpeedDetails | None = None
        line = row(spacing=STEP // 2)
        line.addWidget(self._text)
        line.addWidget(self._more, 0, Qt.AlignmentFlag.AlignTop)
        line.addStretch(1)
        # A row of its own: it knows how high a card is that may not be as wide as there is room.
        self._below = row(spacing=0)
        self._below.addStretch(1)
        layout = column(self, spacing=STEP // 2)
        layout.addLayout(line)
        layout.addLayout(self._below)

    def text(self) -> str:
        return self._text.text()

    def show_words(self, text: str) -> None:
        self._more.setChecked(False)
        self._more.hide()
        self._text.setText(text)

    def show_speed(self, speed: SpeedCard, note: str = "") -> None:
        """`note` says why the answer ended early."""
        self._speed = speed
        line = figures.speed_line(speed, self._language)
        self._text.setText(f"{line} · {note}" if note else line)
        self._more.setVisible(speed.final and speed.ttft_s is not None)

    def _toggled(self, shown: bool) -> None:
        if shown:
            self._details = SpeedDetails(self._speed, self._language)
            self._below.insertWidget(0, self._details, 100)
        elif self._details is not None:
            self._below.removeWidget(self._details)
            self._details.hide()
            self._details.deleteLater()
            self._details = None


class SpeedDetails(QFrame):
    """All figures that are known, whether the server agrees, and a plot on demand."""

    def __init__(self, speed: SpeedCard, language: str) -> None:
        super().__init__()
        self.setObjectName("speedDetails")
        self.setProperty("card", "true")
        self.setMaximumWidth(56 * STEP)
        self._language = language
        self._speed = speed
        layout = column(self, spacing=STEP, margin=2 * STEP)
        grid = QGridLayout()
        grid.setHorizontalSpacing(2 * STEP)
        grid.setVerticalSpacing(STEP // 2)
        grid.setColumnStretch(1, 1)
        for place, (name, value, meaning) in enumerate(self._figures()):
            label, figure = quiet(name, wrap=False), selectable(plain(value, wrap=False))
            label.setToolTip(meaning)
            figure.setToolTip(meaning)
            figure.setAlignment(Qt.AlignmentFlag.AlignRight)
            figure.setAccessibleName(f"{name}: {value}")
            grid.addWidget(label, place, 0)
            grid.addWidget(figure, place, 1)
        layout.addLayout(grid)
        for sentence in reconciliation(speed, language):
            words = plain(sentence)
            words.setObjectName("speedReconciled")
            layout.addWidget(words)
        self._plot = SpeedPlot(language)
        self._plot.hide()
        self._plot_button = button(self.tr("Show tokens per second over time"), "speedPlotButton", kind="small")
        self._plot_button.clicked.connect(self._toggle_plot)
        self._plot_button.setVisible(len(speed.samples) > 2)
        layout.addWidget(self._plot)
        layout.addWidget(self._plot_button, 0, Qt.AlignmentFlag.AlignLeft)

    def _toggle_plot(self) -> None:
        shown = self._plot.isHidden()
        if shown:
            self._plot.show_trace(self._speed.samples)
        self._plot.setVisible(shown)
        retext(
            self._plot_button,
            self.tr("Hide the plot") if shown else self.tr("Show tokens per second over time"),
        )

    def _figures(self) -> list[tuple[str, str, str]]:
        """Name, value and meaning of every figure that is known."""
        speed, text = self._speed, self._number
        seconds, rate, count = self.tr("{number} s"), self.tr("{number} tok/s"), self.tr("{number} tokens")
        ms = self.tr("{number} ms")
        found = [
            (
                self.tr("Time to first token"),
                text(seconds, speed.ttft_s, 3),
                self.tr("From sending the question to the first word, the reading of the prompt included."),
            ),
            (
                self.tr("Reading the prompt"),
                text(rate, speed.prefill_tokens_per_s, 0),
                self.tr("Prefill: tokens of the prompt that were not in the prefix cache, per second."),
            ),
            (
                self.tr("Writing speed"),
                text(rate, speed.decode_tokens_per_s, 2),
                self.tr("Decode: tokens per second after the first."),
            ),
            (
                self.tr("Between tokens, median"),
                text(ms, _ms(speed.itl_p50_s), 1),
                self.tr("Half of the waits between tokens are shorter."),
            ),
            (
                self.tr("Between tokens, 99 %"),
                text(ms, _ms(speed.itl_p99_s), 1),
                self.tr("One wait in a hundred is longer."),
            ),
            (
                self.tr("Prompt"),
                text(count, speed.prompt_tokens or None, 0),
                self.tr("Everything the model read: system prompt, conversation, question."),
            ),
            (
                self.tr("of it from the prefix cache"),
                text(count, speed.cached_tokens, 0),
                self.tr("Read for an earlier question already."),
            ),
            (
                self.tr("Answer"),
                text(count, speed.completion_tokens or None, 0),
                self.tr("Everything the model wrote, reasoning included."),
            ),
            (
                self.tr("Drafted tokens kept"),
                text(self.tr("{number} %"), None if speed.acceptance is None else 100 * speed.acceptance, 0),
                self.tr("Speculative decoding: the share of guessed tokens that were right."),
            ),
            (
                self.tr("Whole answer"),
                text(seconds, speed.total_s, 2),
                self.tr("From sending the question to the end."),
            ),
        ]
        return [entry for entry in found if entry[1] != figures.DASH]

    def _number(self, unit: str, number: float | None, digits: int) -> str:
        if number is None:
            return figures.DASH
        return unit.format(number=figures.decimal(float(number), digits, self._language))


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None else 1000 * seconds


def reconciliation(speed: SpeedCard, language: str) -> list[str]:
    """Whether the server's own counters say the same, in sentences."""
    if speed.disagreements:
        return [_difference(difference, language) for difference in speed.disagreements]
    if speed.checked:
        return [QCoreApplication.translate("SpeedLine", "The server's own counters agree, within 5 %.")]
    if not speed.unchecked:
        return []
    reason = term("speed_unchecked", speed.unchecked, language)
    return [QCoreApplication.translate("SpeedLine", "Not compared with the server: {reason}.").format(reason=reason)]


def _difference(difference: Disagreement, language: str) -> str:
    digits = 0 if float(difference.ours).is_integer() and float(difference.servers).is_integer() else 2
    return QCoreApplication.translate(
        "SpeedLine", "{figure}: {ours} measured here, {servers} counted by the server. Reason: {cause}."
    ).format(
        figure=capital(term("speed_figure", difference.figure, language)),
        ours=figures.decimal(float(difference.ours), digits, language),
        servers=figures.decimal(float(difference.servers), digits, language),
        cause=term("speed_cause", difference.cause, language),
    )
