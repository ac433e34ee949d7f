"""All seldom options in groups, with a search over them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QGridLayout, QLabel, QLineEdit, QWidget

from core.engine.options import LaunchOptions, Lora, OffloadShape
from core.planning.option_facts import OptionFacts
from gui.pages.launch.more.fields import TextField
from gui.pages.launch.more.row_view import RowView
from gui.pages.launch.more.rows import MoreRows
from gui.theme import FIELD_HEIGHT, STEP
from gui.widgets.cards import column
from gui.widgets.texts import quiet
from gui.words import Speech

_OWN = LaunchOptions()
# Rows that stand for a part of one field.
_SHAPE = ("offload_params", "offload_groups")


class MoreForm(QWidget):
    """`changed` when `options` would be others. `make_grid` gives a grid with the columns of the page."""

    changed = Signal()

    def __init__(self, speech: Speech, make_grid: Callable[[], QGridLayout]) -> None:
        super().__init__()
        self._rows = MoreRows(self)
        self._views = {row.option: RowView(row, speech, self) for row in self._rows.all}
        self._groups: list[tuple[QLabel, list[RowView]]] = []
        self.search = QLineEdit()
        self._usual: list[tuple[QWidget, str]] = []
        self._none = quiet(self.tr("No option is called so. Extra arguments take everything that the engine knows."))
        self._layout = column(self, spacing=STEP)
        self._build(make_grid)

    def _build(self, make_grid: Callable[[], QGridLayout]) -> None:
        self.search.setObjectName("moreSearch")
        self.search.setPlaceholderText(self.tr("Search the options"))
        self.search.setAccessibleName(self.tr("Search the options"))
        self.search.setClearButtonEnabled(True)
        self.search.setMinimumHeight(FIELD_HEIGHT)
        self.search.textChanged.connect(self._filter)
        self._none.setObjectName("moreNone")
        self._none.hide()
        self._layout.addWidget(self.search)
        self._layout.addWidget(self._none)
        grid = make_grid()
        self._layout.addLayout(grid)
        line, title = 0, ""
        for view in self._views.values():
            if view.row.group != title:
                title = view.row.group
                self._groups.append((_heading(title), []))
                grid.addWidget(self._groups[-1][0], line, 0, 1, 4)
                line += 1
            line = view.place(grid, line)
            self._groups[-1][1].append(view)
            view.changed.connect(self._changed)
        stops = [self.search, *(stop for view in self._views.values() for stop in view.row.field.stops)]
        for before, after in pairwise(stops):
            QWidget.setTabOrder(before, after)
        self._rows.loras.pressed.connect(self._add_adapter)
        self._rows.chat_template.pressed.connect(self._choose_template)

    def add_usual(self, widget: QWidget, words: str) -> None:
        """A part that comes first, found by `words`."""
        self._usual.append((widget, words.lower()))
        self._layout.insertWidget(1 + len(self._usual), widget)

    @property
    def extra(self) -> TextField:
        return self._rows.extra

    def name_of(self, option: str) -> str:
        """As the page calls it; "" for an option that is elsewhere."""
        return self._views[option].row.name if option in self._views else ""

    @property
    def labels(self) -> tuple[QLabel, ...]:
        return tuple(view.label for view in self._views.values())

    # ---- values ----------------------------------------------------------------------------------------------------

    def options(self, base: LaunchOptions) -> LaunchOptions:
        """`base` with what the form says; an option that cannot be had counts as not chosen."""
        values = {name: view.row.field.value for name, view in self._views.items() if name not in _SHAPE}
        kept = {name: value if self._views[name].available else getattr(_OWN, name) for name, value in values.items()}
        return replace(base, offload=self._shape(), **kept)

    def _shape(self) -> OffloadShape:
        groups, params = self._views["offload_groups"], self._views["offload_params"]
        shape: OffloadShape = groups.row.field.value if groups.available else OffloadShape()
        return replace(shape, params=params.row.field.value if params.available else ())

    def take(self, options: LaunchOptions) -> None:
        """Set every field; the caller hears of it once."""
        self.blockSignals(True)
        for name, view in self._views.items():
            view.row.field.set_value(self._of(name, options))
        self.blockSignals(False)
        self.changed.emit()

    @staticmethod
    def _of(name: str, options: LaunchOptions) -> Any:
        if name == "offload_params":
            return options.offload.params
        return options.offload if name == "offload_groups" else getattr(options, name)

    # ---- what the build says ---------------------------------------------------------------------------------------

    def show_facts(self, facts: dict[str, OptionFacts]) -> None:
        for name, view in self._views.items():
            if name in facts:
                view.show_facts(facts[name])
        self.changed.emit()

    def show_trouble(self, option: str, text: str) -> None:
        self._views[option].show_trouble(text)

    # ---- the rest --------------------------------------------------------------------------------------------------

    def _changed(self) -> None:
        for view in self._views.values():
            if view.row.option != "extra":
                error = view.row.field.error
                view.show_trouble(self.tr("Not understood: {word}").format(word=error) if error else "")
        self.changed.emit()

    def _filter(self) -> None:
        text = self.search.text().strip().lower()
        some = False
        for widget, words in self._usual:
            widget.setVisible(all(word in words for word in text.split()))
            some = some or not widget.isHidden()
        for heading, views in self._groups:
            shown = [view for view in views if view.matches(text)]
            for view in views:
                view.set_visible(view in shown)
            heading.setVisible(bool(shown))
            some = some or bool(shown)
        self._none.setVisible(not some)

    def _add_adapter(self) -> None:
        dialog = QFileDialog(self, self.tr("Choose an adapter's folder"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._adapter_chosen)
        dialog.open()

    def _adapter_chosen(self, path: str) -> None:
        name = path.rstrip("/").rpartition("/")[2]
        self._rows.loras.set_value((*self._rows.loras.value, Lora(name, path)))

    def _choose_template(self) -> None:
        dialog = QFileDialog(self, self.tr("Choose a chat template"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._rows.chat_template.set_value)
        dialog.open()


def _heading(text: str) -> QLabel:
    label = quiet(text, wrap=False)
    label.setContentsMargins(0, STEP, 0, 0)
    return label
