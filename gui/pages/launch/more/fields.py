"""Fields of options: each holds one value of `LaunchOptions`, in a widget that fits its kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QObject, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QPushButton, QWidget

from gui.pages.launch.tuning_row import FIELD_WIDTH
from gui.theme import FIELD_HEIGHT, STEP
from gui.widgets.calm_inputs import CalmComboBox, CalmDoubleSpinBox, CalmSpinBox
from gui.widgets.cards import row
from gui.widgets.texts import set_property

Pick = tuple[str, Any]


class Field(QObject):
    """`changed` when `value` is another one. `widget` goes into the grid; `error` why what was typed is no value, ""
    when it is one."""

    changed = Signal()

    def __init__(self, widget: QWidget, name: str) -> None:
        super().__init__(widget)
        self.widget = widget
        self.error = ""
        widget.setObjectName(name)

    @property
    def value(self) -> Any:
        """As the kinds below have it."""

    def set_value(self, value: Any) -> None:
        """As the kinds below show it."""

    def set_values(self, values: Sequence[str]) -> None:
        """What the build knows; a value that it does not know stays while it is chosen."""

    @property
    def stops(self) -> list[QWidget]:
        """Where the Tab key stops, in order."""
        inside = [each for each in self.widget.children() if isinstance(each, QWidget) and _stops_tab(each)]
        return [self.widget] if _stops_tab(self.widget) else inside

    def describe(self, name: str, hint: str) -> None:
        for widget in (self.widget, *self.widget.findChildren(QWidget)):
            if isinstance(widget, QComboBox | QLineEdit | QCheckBox | CalmSpinBox | CalmDoubleSpinBox):
                if not widget.accessibleName():
                    widget.setAccessibleName(name)
                widget.setAccessibleDescription(hint)
            if isinstance(widget, QComboBox):
                widget.view().setAccessibleName(name)


def _stops_tab(widget: QWidget) -> bool:
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)


class PickField(Field):
    """One of a few values; the first stands for vLLM's own."""

    def __init__(self, name: str, fixed: Sequence[Pick]) -> None:
        self._box = CalmComboBox()
        super().__init__(self._box, name)
        self._fixed = tuple(fixed)
        self._values: tuple[str, ...] = ()
        self._box.setMinimumWidth(FIELD_WIDTH)
        self._box.setMinimumHeight(FIELD_HEIGHT)
        self._box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._fill(None)
        self._box.currentIndexChanged.connect(self.changed)

    @property
    def value(self) -> Any:
        return self._box.currentData()

    def set_value(self, value: Any) -> None:
        if self._box.findData(value) < 0:
            self._box.addItem(str(value), value)
        self._box.setCurrentIndex(self._box.findData(value))

    def set_values(self, values: Sequence[str]) -> None:
        if tuple(values) != self._values:
            self._values = tuple(values)
            self._fill(self.value)

    def _fill(self, chosen: Any) -> None:
        with QSignalBlocker(self._box):
            self._box.clear()
            for text, data in self._fixed:
                self._box.addItem(text, data)
            known = [data for _text, data in self._fixed]
            extra = [value for value in self._values if value not in known]
            for value in extra:
                self._box.addItem(value, value)
            if chosen is not None and chosen not in known and chosen not in extra:
                self._box.addItem(str(chosen), chosen)
            self._box.setCurrentIndex(max(0, self._box.findData(chosen)))


class TristateField(PickField):
    """None: vLLM's own choice."""

    def __init__(self, name: str, own: str, on: str, off: str) -> None:
        super().__init__(name, ((own, None), (on, True), (off, False)))

    def set_value(self, value: Any) -> None:
        self._box.setCurrentIndex({None: 0, True: 1, False: 2}[value])


class CheckField(Field):
    def __init__(self, name: str, text: str) -> None:
        self._box = QCheckBox(text)
        super().__init__(self._box, name)
        self._box.setMinimumHeight(FIELD_HEIGHT)
        self._box.toggled.connect(self.changed)

    @property
    def value(self) -> bool:
        return self._box.isChecked()

    def set_value(self, value: Any) -> None:
        self._box.setChecked(bool(value))


class NumberField(Field):
    """A whole number; the least one, shown as `own`, stands for `nothing`."""

    def __init__(self, name: str, own: str, nothing: Any, *, first: int, last: int, step: int = 1) -> None:
        self._box = CalmSpinBox()
        super().__init__(self._box, name)
        self._nothing = nothing
        self._box.setRange(first, last)
        self._box.setValue(first)
        self._box.setSingleStep(step)
        self._box.setSpecialValueText(own)
        self._box.setGroupSeparatorShown(True)
        self._box.setMinimumWidth(FIELD_WIDTH)
        self._box.setMinimumHeight(FIELD_HEIGHT)
        self._box.valueChanged.connect(self.changed)

    @property
    def value(self) -> Any:
        return self._nothing if self._box.value() == self._box.minimum() else self._box.value()

    def set_value(self, value: Any) -> None:
        self._box.setValue(self._box.minimum() if value == self._nothing else int(value))


class SizeField(Field):
    """GiB on the screen, bytes as the value; 0 stands for None."""

    def __init__(self, name: str, own: str, suffix: str) -> None:
        self._box = CalmDoubleSpinBox()
        super().__init__(self._box, name)
        self._exact: int | None = None
        self._box.setRange(0, 4096)
        self._box.setDecimals(2)
        self._box.setSingleStep(0.25)
        self._box.setSpecialValueText(own)
        self._box.setSuffix(suffix)
        self._box.setMinimumWidth(FIELD_WIDTH)
        self._box.setMinimumHeight(FIELD_HEIGHT)
        self._box.valueChanged.connect(self._typed)

    @property
    def value(self) -> int | None:
        return self._exact

    def set_value(self, value: int | None) -> None:
        """To the byte, though fewer digits are shown."""
        with QSignalBlocker(self._box):
            self._box.setValue((value or 0) / (1 << 30))
        if value != self._exact:
            self._exact = value
            self.changed.emit()

    def _typed(self, gib: float) -> None:
        self._exact = int(gib * (1 << 30)) or None
        self.changed.emit()


class TextField(Field):
    """A line of text that `parse` turns into the value and `write` back; `parse` raises ValueError with the reason.
    Until a text can be read the value before it counts."""

    def __init__(
        self,
        name: str,
        placeholder: str,
        parse: Callable[[str], Any] = str.strip,
        write: Callable[[Any], str] = str,
    ) -> None:
        self._line = QLineEdit()
        super().__init__(self._line, name)
        self._parse, self._write = parse, write
        self._value: Any = parse("")
        self._line.setPlaceholderText(placeholder)
        self._line.setMinimumHeight(FIELD_HEIGHT)
        self._line.textChanged.connect(self._typed)

    @property
    def value(self) -> Any:
        return self._value

    def set_value(self, value: Any) -> None:
        if value != self._value or self.error:
            self._line.setText(self._write(value))

    @property
    def text(self) -> str:
        return self._line.text()

    def mark(self, error: str) -> None:
        self.error = error
        set_property(self._line, "state", "bad" if error else "")

    def _typed(self, text: str) -> None:
        try:
            self._value = self._parse(text)
        except ValueError as error:
            self.mark(str(error))
        else:
            self.mark("")
        self.changed.emit()


class WithButton(Field):
    """A text field with a button beside it that helps to fill it; `pressed` when it was."""

    pressed = Signal()

    def __init__(self, inner: TextField, press: QPushButton) -> None:
        holder = QWidget()
        name = inner.widget.objectName()
        super().__init__(holder, f"{name}Holder")
        self.inner = inner
        line = row(holder, spacing=STEP // 2)
        line.addWidget(inner.widget, 1)
        line.addWidget(press)
        press.clicked.connect(self.pressed)
        inner.changed.connect(self._changed)

    @property
    def value(self) -> Any:
        return self.inner.value

    def set_value(self, value: Any) -> None:
        self.inner.set_value(value)

    def _changed(self) -> None:
        self.error = self.inner.error
        self.changed.emit()
