"""Options of several values in one row: speculative decoding, and layers that are fetched ahead."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from core.engine.options import OffloadShape, Speculative
from gui.pages.launch.more.fields import Field
from gui.theme import FIELD_HEIGHT, STEP
from gui.widgets.calm_inputs import CalmComboBox, CalmSpinBox
from gui.widgets.cards import row

# vLLM's own names (`SpeculativeMethod`, 0.33.0); others are kept as they come.
METHODS = ("ngram", "draft_model", "eagle", "eagle3", "mtp", "suffix", "medusa")


class SpeculativeField(Field):
    def __init__(self, name: str) -> None:
        holder = QWidget()
        super().__init__(holder, name)
        self._method, self._tokens, self._model = CalmComboBox(), CalmSpinBox(), QLineEdit()
        self._lookup = 0
        self._method.setObjectName(f"{name}Method")
        self._method.addItem(self.tr("off"), "")
        for method in METHODS:
            self._method.addItem(method, method)
        self._method.setAccessibleName(self.tr("Method"))
        self._method.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._tokens.setObjectName(f"{name}Tokens")
        self._tokens.setRange(1, 64)
        self._tokens.setValue(4)
        self._tokens.setSuffix(self.tr(" tokens ahead"))
        self._tokens.setAccessibleName(self.tr("Tokens ahead"))
        self._model.setObjectName(f"{name}Model")
        self._model.setPlaceholderText(self.tr("helper model, where the method needs one"))
        self._model.setAccessibleName(self.tr("Helper model"))
        line = row(holder, spacing=STEP)
        for widget in (self._method, self._tokens, self._model):
            widget.setMinimumHeight(FIELD_HEIGHT)
            line.addWidget(widget, 1 if widget is self._model else 0)
        self._method.currentIndexChanged.connect(self._arrange)
        self._tokens.valueChanged.connect(self.changed)
        self._model.textChanged.connect(self.changed)
        self._arrange()

    @property
    def value(self) -> Speculative | None:
        method = str(self._method.currentData())
        if not method:
            return None
        return Speculative(method, self._tokens.value(), self._model.text().strip(), self._lookup)

    def set_value(self, value: Any) -> None:
        wish = value if isinstance(value, Speculative) else Speculative("", self._tokens.value())
        if self._method.findData(wish.method) < 0:
            self._method.addItem(wish.method, wish.method)
        self._lookup = wish.lookup
        self._tokens.setValue(wish.tokens)
        self._model.setText(wish.model)
        self._method.setCurrentIndex(self._method.findData(wish.method))

    def _arrange(self) -> None:
        on = bool(self._method.currentData())
        self._tokens.setVisible(on)
        self._model.setVisible(on and self._method.currentData() not in ("ngram", "suffix"))
        self.changed.emit()


class PrefetchField(Field):
    """The part of `OffloadShape` that is about groups."""

    def __init__(self, name: str) -> None:
        holder = QWidget()
        super().__init__(holder, name)
        self._size, self._away, self._ahead = CalmSpinBox(), CalmSpinBox(), CalmSpinBox()
        parts = (
            (self._size, "Size", 0, self.tr("Layers in a group")),
            (self._away, "Away", 1, self.tr("Layers of a group in RAM")),
            (self._ahead, "Ahead", 1, self.tr("Layers fetched ahead")),
        )
        line = row(holder, spacing=STEP)
        for box, part, first, meaning in parts:
            box.setObjectName(f"{name}{part}")
            box.setRange(first, 128)
            box.setMinimumHeight(FIELD_HEIGHT)
            box.setAccessibleName(meaning)
            box.setToolTip(meaning)
            box.valueChanged.connect(self._arrange)
            line.addWidget(box)
        self._size.setSpecialValueText(self.tr("off"))
        self._size.setPrefix(self.tr("groups of "))
        self._away.setPrefix(self.tr("in RAM "))
        self._ahead.setPrefix(self.tr("ahead "))
        line.addStretch(1)
        self._arrange()

    @property
    def value(self) -> OffloadShape:
        return OffloadShape((), self._size.value(), self._away.value(), self._ahead.value())

    def set_value(self, value: Any) -> None:
        shape = value if isinstance(value, OffloadShape) else OffloadShape()
        self._size.setValue(shape.group_size)
        self._away.setValue(shape.num_in_group)
        self._ahead.setValue(shape.prefetch_step)

    def _arrange(self) -> None:
        on = self._size.value() > 0
        self._away.setVisible(on)
        self._ahead.setVisible(on)
        if on:
            self._away.setMaximum(self._size.value())
        self.changed.emit()
