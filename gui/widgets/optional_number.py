"""A number that may be left to somebody else: at its lower end it says whose value then counts."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QValidator

from gui import figures
from gui.widgets.calm_inputs import CalmDoubleSpinBox


class OptionalNumber(CalmDoubleSpinBox):
    """`number` is None while it is left open; emptying the field leaves it open again. `edited` after each change by
    the person."""

    edited = Signal()

    def __init__(self, least: float, most: float, step: float, digits: int, language: str) -> None:
        super().__init__()
        self._language = language
        self._usual: float | None = None
        self._quiet = False
        self.setLocale(figures.locale_of(language))
        self.setDecimals(digits)
        self.setRange(least - step, most)
        self.setSingleStep(step)
        self.setKeyboardTracking(False)
        self.valueChanged.connect(self._changed)

    @property
    def number(self) -> float | None:
        return None if self.value() <= self.minimum() else round(self.value(), self.decimals())

    def show_number(self, number: float | None, usual: float | None, words: str) -> None:
        """`usual` is the value that counts while the number is left open, `words` what is shown then."""
        self._usual = usual
        self._quiet = True
        self.setSpecialValueText(words)
        if not self.hasFocus() or number != self.number:
            self.setValue(self.minimum() if number is None else number)
        self._quiet = False

    def stepBy(self, steps: int) -> None:
        if self.number is None and self._usual is not None:
            # From the value that counted until now, not from the lower end.
            self.setValue(self._usual + steps * self.singleStep())
        else:
            super().stepBy(steps)

    def validate(self, text: str, place: int) -> object:
        if not text.strip() or text == self.specialValueText():
            return QValidator.State.Acceptable, text, place
        return super().validate(text, place)

    def valueFromText(self, text: str) -> float:
        if not text.strip() or text == self.specialValueText():
            return self.minimum()
        return super().valueFromText(text)

    def _changed(self) -> None:
        if not self._quiet:
            self.edited.emit()
