"""What the list of found models is narrowed to, and how it is sorted."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QWidget

from core.hub.model import SearchQuery
from gui.pages.models.repo_words import QUANTIZATIONS
from gui.theme import FIELD_HEIGHT, STEP
from gui.widgets.buttons import button
from gui.widgets.calm_inputs import CalmComboBox
from gui.widgets.cards import column, row

BILLION = 1_000_000_000
SIZES = ((0, 0), (0, 4), (4, 9), (9, 16), (16, 40), (40, 0))
OFFERED_QUANTIZATIONS = ("awq", "gptq", "fp8", "compressed-tensors", "nvfp4", "mxfp4", "bitsandbytes")
LICENCES = (
    ("apache-2.0", "Apache-2.0"),
    ("mit", "MIT"),
    ("llama3.3", "Llama 3.3"),
    ("llama3.2", "Llama 3.2"),
    ("llama3.1", "Llama 3.1"),
    ("gemma", "Gemma"),
    ("cc-by-nc-4.0", "CC BY-NC 4.0"),
)


class FilterBox(CalmComboBox):
    """One filter. Its first entry lets everything pass. `picked` only when the user chose."""

    picked = Signal()

    def __init__(self, name: str, meaning: str, entries: list[tuple[str, object]]) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(meaning)
        self.setToolTip(meaning)
        self.view().setAccessibleName(meaning)
        self.setMinimumHeight(FIELD_HEIGHT)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(6)
        self.setMaximumWidth(24 * STEP)
        for words, value in entries:
            self.addItem(words, value)
        widest = max(self.fontMetrics().horizontalAdvance(words) for words, _ in entries)
        self.view().setMinimumWidth(widest + 5 * STEP)
        self.activated.connect(self._activated)

    def _activated(self) -> None:
        self.picked.emit()


@dataclass(frozen=True, slots=True)
class Filters:
    """What each box stands at, whatever the language."""

    boxes: tuple[int, ...]
    author: str
    everything: bool
    more: bool


class FilterBar(QWidget):
    """`changed` when a search with other filters is wanted; `fit_changed` when only the shown rows change."""

    changed = Signal()
    fit_changed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        words = FilterWords(self)
        self._fit = FilterBox("fitFilter", self.tr("How it fits this computer"), words.fits())
        self._size = FilterBox("sizeFilter", self.tr("Number of parameters"), words.sizes())
        self._quantization = FilterBox("quantizationFilter", self.tr("Quantization"), words.quantizations())
        self._licence = FilterBox("licenceFilter", self.tr("Licence"), words.licences())
        self._gated = FilterBox("gatedFilter", self.tr("Whether its owner must let you in"), words.gates())
        self._updated = FilterBox("updatedFilter", self.tr("Last change"), words.ages())
        self._sort = FilterBox("sortBox", self.tr("Order of the list"), words.sorts())
        self._author = QLineEdit()
        self._all = QCheckBox(self.tr("Also what vLLM cannot load"))
        self._more = button(self.tr("More"), "moreFilters", kind="quiet")
        self._clear = button(self.tr("Clear"), "clearFilters", kind="quiet")
        self._second = QWidget()
        self._build()

    def _build(self) -> None:
        self._author.setObjectName("authorFilter")
        self._author.setAccessibleName(self.tr("Author or organisation"))
        self._author.setPlaceholderText(self.tr("Author"))
        self._author.setMinimumWidth(14 * STEP)
        self._author.editingFinished.connect(self._author_edited)
        self._known_author = ""
        self._all.setObjectName("unloadableFilter")
        self._all.setAccessibleName(self._all.text())
        self._all.toggled.connect(self._changed)
        self._more.setCheckable(True)
        self._more.setToolTip(self.tr("More filters"))
        self._more.toggled.connect(self._second.setVisible)
        self._clear.setToolTip(self.tr("Let everything pass again"))
        self._clear.clicked.connect(self.clear)
        self._fit.picked.connect(self._fit_picked)
        for box in (self._size, self._quantization, self._licence, self._gated, self._updated, self._sort):
            box.picked.connect(self._changed)
        first = row()
        for part in (self._fit, self._size, self._quantization, self._licence):
            first.addWidget(part, 1)
        first.addWidget(self._more)
        first.addWidget(self._clear)
        first.addStretch()
        first.addWidget(self._sort, 1)
        second = row(self._second)
        for part in (self._gated, self._updated, self._author):
            second.addWidget(part, 1)
        second.addWidget(self._all)
        second.addStretch(1)
        self._second.hide()
        self._clear.setEnabled(False)
        layout = column(self)
        layout.addLayout(first)
        layout.addWidget(self._second)

    # ---- what is wished --------------------------------------------------------------------------------------------

    @property
    def fit(self) -> str:
        return str(self._fit.currentData())

    def query(self, text: str) -> SearchQuery:
        low, high = self._size.currentData()
        return SearchQuery(
            text=text,
            sort=self._sort.currentData(),
            min_parameters=low * BILLION,
            max_parameters=high * BILLION,
            quantization=self._quantization.currentData(),
            licence=self._licence.currentData(),
            author=self._author.text().strip(),
            gated=self._gated.currentData(),
            updated_within_days=self._updated.currentData(),
            loadable_only=not self._all.isChecked(),
        )

    @property
    def _boxes(self) -> tuple[FilterBox, ...]:
        return (self._fit, self._size, self._quantization, self._licence, self._gated, self._updated, self._sort)

    @property
    def state(self) -> Filters:
        boxes = tuple(box.currentIndex() for box in self._boxes)
        return Filters(boxes, self._author.text(), self._all.isChecked(), self._more.isChecked())

    def bring_back(self, state: Filters) -> None:
        """As they stood before the window was made anew; nothing is told."""
        for box, place in zip(self._boxes, state.boxes, strict=True):
            box.setCurrentIndex(place)
        self._author.setText(state.author)
        self._known_author = state.author.strip()
        with QSignalBlocker(self._all):
            self._all.setChecked(state.everything)
        self._more.setChecked(state.more)
        self._clear.setEnabled(self.any_set())

    def any_set(self) -> bool:
        return self.query("") != SearchQuery(sort=self._sort.currentData()) or bool(self.fit)

    def clear(self) -> None:
        had_fit = bool(self.fit)
        for box in (self._fit, self._size, self._quantization, self._licence, self._gated, self._updated):
            box.setCurrentIndex(0)
        self._author.clear()
        self._known_author = ""
        was = self._all.blockSignals(True)
        self._all.setChecked(False)
        self._all.blockSignals(was)
        if had_fit:
            self.fit_changed.emit("")
        self._changed()

    # ---- the user's hands ------------------------------------------------------------------------------------------

    def _fit_picked(self) -> None:
        self._clear.setEnabled(self.any_set())
        self.fit_changed.emit(self.fit)

    def _author_edited(self) -> None:
        if self._author.text().strip() != self._known_author:
            self._known_author = self._author.text().strip()
            self._changed()

    def _changed(self) -> None:
        self._clear.setEnabled(self.any_set())
        self.changed.emit()


class FilterWords(QObject):
    """The entries of each filter."""

    def fits(self) -> list[tuple[str, object]]:
        return [
            (self.tr("Any fit"), ""),
            (self.tr("Fits"), "fits"),
            (self.tr("Fits or runs with RAM"), "runs"),
        ]

    def sizes(self) -> list[tuple[str, object]]:
        entries: list[tuple[str, object]] = []
        for low, high in SIZES:
            if not low and not high:
                words = self.tr("Any size")
            elif not low:
                words = self.tr("Up to {high} B").format(high=high)
            elif not high:
                words = self.tr("Over {low} B").format(low=low)
            else:
                words = self.tr("{low} to {high} B").format(low=low, high=high)
            entries.append((words, (low, high)))
        return entries

    def quantizations(self) -> list[tuple[str, object]]:
        return [(self.tr("Any weights"), ""), *((QUANTIZATIONS[name], name) for name in OFFERED_QUANTIZATIONS)]

    def licences(self) -> list[tuple[str, object]]:
        return [(self.tr("Any licence"), ""), *((words, value) for value, words in LICENCES)]

    def gates(self) -> list[tuple[str, object]]:
        return [
            (self.tr("Open or gated"), "any"),
            (self.tr("Open only"), "open"),
            (self.tr("Gated only"), "gated"),
        ]

    def ages(self) -> list[tuple[str, object]]:
        return [
            (self.tr("Any age"), 0),
            (self.tr("Changed within a week"), 7),
            (self.tr("Changed within a month"), 30),
            (self.tr("Changed within a year"), 365),
        ]

    def sorts(self) -> list[tuple[str, object]]:
        return [
            (self.tr("Trending"), "trending"),
            (self.tr("Most downloads"), "downloads"),
            (self.tr("Most likes"), "likes"),
            (self.tr("Changed last"), "updated"),
            (self.tr("Newest"), "created"),
        ]
