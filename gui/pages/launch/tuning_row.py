"""One option of a launch: its name, a slider, the exact figure, and what follows from it."""

from __future__ import annotations

from PySide6.QtCore import QObject, QSignalBlocker, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QGridLayout, QLabel, QSpinBox, QWidget

from gui.pages.launch.scales import position
from gui.theme import FIELD_HEIGHT, STEP
from gui.widgets.calm_inputs import CalmDoubleSpinBox, CalmSlider, CalmSpinBox
from gui.widgets.one_line import TwoLines
from gui.widgets.texts import plain

FIELD_WIDTH = 19 * STEP
SLIDER_WIDTH = 15 * STEP


class TuningRow(QObject):
    """`changed` with every movement. The slider has few stops, the field takes any figure; `name` is the field's
    object name, the consequence's is `name` + "Says"."""

    changed = Signal()

    def __init__(self, parent: QWidget, name: str, label: str, hint: str, *, whole: bool = True) -> None:
        super().__init__(parent)
        self.label: QLabel = plain(label, wrap=False)
        self.slider = CalmSlider()
        self.field: QSpinBox | QDoubleSpinBox = CalmSpinBox() if whole else CalmDoubleSpinBox()
        self.says = TwoLines("quiet")
        self.says.setObjectName(f"{name}Says")
        self._stops: tuple[float, ...] = (0.0,)
        self._widgets: tuple[QWidget, ...] = (self.label, self.slider, self.field, self.says)
        self.field.setObjectName(name)
        self.slider.setObjectName(f"{name}Slider")
        for widget in (self.slider, self.field):
            widget.setAccessibleName(label)
            widget.setAccessibleDescription(hint)
        for widget in (self.label, self.slider, self.field):
            widget.setToolTip(hint)
        self.field.setFixedWidth(FIELD_WIDTH)
        self.field.setMinimumHeight(FIELD_HEIGHT)
        self.field.setGroupSeparatorShown(True)
        self.slider.setMinimumSize(SLIDER_WIDTH, 3 * STEP)
        self.slider.valueChanged.connect(self._slid)
        self.field.valueChanged.connect(self._typed)

    def place(self, grid: QGridLayout, row: int) -> None:
        for column, widget in enumerate(self._widgets):
            grid.addWidget(widget, row, column)

    def set_visible(self, visible: bool) -> None:
        for widget in self._widgets:
            widget.setVisible(visible)

    def set_stops(self, stops: tuple[float, ...]) -> None:
        if stops != self._stops:
            self._stops = stops
            with QSignalBlocker(self.slider):
                self.slider.setRange(0, len(stops) - 1)
                self.slider.setPageStep(max(1, len(stops) // 8))
            self._follow()

    def set_range(self, first: float, last: float, step: float) -> None:
        if isinstance(self.field, QSpinBox):
            self.field.setRange(round(first), round(last))
            self.field.setSingleStep(round(step))
        else:
            self.field.setDecimals(1 if step >= 0.1 and round(step * 10) == step * 10 else 2)
            self.field.setRange(first, last)
            self.field.setSingleStep(step)

    @property
    def value(self) -> float:
        return self.field.value()

    def set_value(self, value: float) -> None:
        if isinstance(self.field, QSpinBox):
            self.field.setValue(round(value))
        else:
            self.field.setValue(value)
        self._follow()

    def say(self, text: str, meaning: str = "") -> None:
        """What follows from the value; `meaning` explains it."""
        if text != self.says.full_text:
            self.says.set_full_text(text)
        self.says.setAccessibleDescription(meaning)
        if meaning:
            self.says.setToolTip(f"{text}\n{meaning}")

    def _slid(self, place: int) -> None:
        self.set_value(self._stops[place])

    def _typed(self) -> None:
        self._follow()
        self.changed.emit()

    def _follow(self) -> None:
        """The slider goes to the stop nearest to the figure."""
        with QSignalBlocker(self.slider):
            self.slider.setValue(position(self._stops, self.field.value()))
