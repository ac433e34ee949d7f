"""How the next token is drawn: a number for each knob, the model's own value where it is left alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QPlainTextEdit, QWidget

from core.chat.params import Params
from gui import figures
from gui.theme import FIELD_HEIGHT, STEP
from gui.widgets.optional_number import OptionalNumber
from gui.widgets.texts import plain


@dataclass(frozen=True, slots=True)
class Knob:
    """`name` is a field of `Params`; the range is what vLLM takes (0.32, `SamplingParams._verify_args`)."""

    name: str
    least: float
    most: float
    step: float
    digits: int


KNOBS: Final = (
    Knob("temperature", 0.0, 2.0, 0.05, 2),
    Knob("top_p", 0.05, 1.0, 0.05, 2),
    Knob("top_k", 0, 1000, 1, 0),
    Knob("min_p", 0.0, 1.0, 0.01, 2),
    Knob("repetition_penalty", 0.05, 2.0, 0.05, 2),
    Knob("presence_penalty", -2.0, 2.0, 0.1, 1),
    Knob("frequency_penalty", -2.0, 2.0, 0.1, 1),
    Knob("max_tokens", 1, 10_000_000, 1, 0),
    Knob("seed", 0, 2**31 - 1, 1, 0),
)
WHOLE: Final = ("top_k", "max_tokens", "seed")


class Sampling(QWidget):
    """`edited` after each change; `apply_to` writes what stands here into parameters."""

    edited = Signal()

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language
        self._fields: dict[str, OptionalNumber] = {}
        self._stop = QPlainTextEdit()
        self._quiet = False
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(STEP)
        grid.setVerticalSpacing(STEP // 2)
        grid.setColumnStretch(0, 1)
        for place, knob in enumerate(KNOBS):
            name, meaning = self._words(knob.name)
            field = OptionalNumber(knob.least, knob.most, knob.step, knob.digits, language)
            field.setObjectName(f"param-{knob.name}")
            field.setAccessibleName(name)
            field.setAccessibleDescription(meaning)
            field.setToolTip(meaning)
            field.setFixedSize(17 * STEP, FIELD_HEIGHT)
            field.edited.connect(self._edited)
            label = plain(name)
            label.setToolTip(meaning)
            label.setBuddy(field)
            grid.addWidget(label, place, 0)
            grid.addWidget(field, place, 1)
            self._fields[knob.name] = field
        self._add_stop(grid)

    def _add_stop(self, grid: QGridLayout) -> None:
        name, meaning = self.tr("Stop at"), self.tr("The answer ends before one of these texts, one a line.")
        self._stop.setObjectName("param-stop")
        self._stop.setAccessibleName(name)
        self._stop.setAccessibleDescription(meaning)
        self._stop.setToolTip(meaning)
        self._stop.setTabChangesFocus(True)
        self._stop.setFixedHeight(7 * STEP)
        self._stop.setFixedWidth(17 * STEP)
        self._stop.textChanged.connect(self._edited)
        label = plain(name)
        label.setToolTip(meaning)
        grid.addWidget(label, len(KNOBS), 0)
        grid.addWidget(self._stop, len(KNOBS), 1)

    def show_params(self, params: Params, defaults: Mapping[str, Any]) -> None:
        """`defaults`: the model's own values, by the name of the field."""
        self._quiet = True
        for name, field in self._fields.items():
            usual = defaults.get(name)
            usual = float(usual) if isinstance(usual, int | float) else None
            field.show_number(getattr(params, name), usual, self._left_open(name, usual, field.decimals()))
        if not self._stop.hasFocus() and self._stops() != params.stop:
            self._stop.setPlainText("\n".join(params.stop))
        self._quiet = False

    def apply_to(self, params: Params) -> Params:
        values: dict[str, Any] = {name: field.number for name, field in self._fields.items()}
        for name in WHOLE:
            values[name] = None if values[name] is None else int(values[name])
        return replace(params, stop=self._stops(), **values)

    def _stops(self) -> tuple[str, ...]:
        return tuple(line for line in self._stop.toPlainText().split("\n") if line)

    def _left_open(self, name: str, usual: float | None, digits: int) -> str:
        if name == "seed":
            return self.tr("random")
        if name == "max_tokens" and usual is None:
            return self.tr("what fits")
        if usual is None:
            return self.tr("model's own")
        return self.tr("{number} (model's)").format(number=figures.decimal(usual, digits, self._language))

    def _edited(self) -> None:
        if not self._quiet:
            self.edited.emit()

    def _words(self, name: str) -> tuple[str, str]:
        return {
            "temperature": (
                self.tr("Temperature"),
                self.tr("Higher is more surprising, lower more predictable; 0 always takes the likeliest token."),
            ),
            "top_p": (
                self.tr("Top-p"),
                self.tr("Draws from the likeliest tokens that together have this probability."),
            ),
            "top_k": (self.tr("Top-k"), self.tr("Draws from this many of the likeliest tokens; 0 means all.")),
            "min_p": (
                self.tr("Min-p"),
                self.tr("Leaves out tokens less likely than this share of the likeliest one."),
            ),
            "repetition_penalty": (
                self.tr("Repetition penalty"),
                self.tr("Above 1 the model repeats itself less, its prompt included."),
            ),
            "presence_penalty": (
                self.tr("Presence penalty"),
                self.tr("Above 0 the model prefers words that it has not used yet."),
            ),
            "frequency_penalty": (
                self.tr("Frequency penalty"),
                self.tr("Above 0 a word becomes less likely each time it is used."),
            ),
            "max_tokens": (self.tr("Longest answer"), self.tr("In tokens; the answer is cut there.")),
            "seed": (self.tr("Seed"), self.tr("The same seed, question and settings give the same answer again.")),
        }[name]
