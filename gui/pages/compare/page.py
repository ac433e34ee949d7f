"""Compare: one model, two sets of options, the same questions; then what differs."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFrame, QGridLayout, QLabel, QLineEdit, QWidget

from core.events import ModelInfo
from gui.pages.compare.view import ResultView
from gui.pages.frame import PageFrame
from gui.theme import STEP
from gui.widgets.buttons import button
from gui.widgets.calm_inputs import CalmComboBox, CalmSpinBox
from gui.widgets.cards import card, column, row
from gui.widgets.progress_row import ProgressRow
from gui.widgets.svg_view import SvgView
from gui.widgets.texts import heading, plain, quiet
from gui.words import Speech

# Options of A and of B that people most often ask about.
PRESETS = (
    ("--enforce-eager", ""),
    ("", "--no-enable-prefix-caching"),
    ("--max-num-batched-tokens 512", "--max-num-batched-tokens 2048"),
    ("--dtype bfloat16", "--dtype float32"),
)


class Chooser(QFrame):
    """What to compare. `started` when the button is pressed."""

    started = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self.model = CalmComboBox()
        self.model.setObjectName("compareModel")
        self.preset = CalmComboBox()
        self.preset.setObjectName("comparePreset")
        self.options = {label: self._option(label) for label in "AB"}
        self.repeats = CalmSpinBox()
        self.repeats.setObjectName("compareRepeats")
        self.repeats.setRange(1, 50)
        self.repeats.setValue(3)
        self.twice = QCheckBox(self.tr("Launch each side twice (A, B, B, A)"))
        self.twice.setObjectName("compareTwice")
        self.twice.setToolTip(self.tr("What changes with time, such as warmth, then touches both sides alike."))
        self.start = button(self.tr("Compare"), "compareButton", kind="primary")
        self.start.clicked.connect(self.started)
        self.note = quiet()
        self._fill_presets()
        self.preset.activated.connect(self._preset_chosen)
        self._build()

    def _option(self, label: str) -> QLineEdit:
        field = QLineEdit()
        field.setObjectName(f"compareOptions{label}")
        field.setPlaceholderText(self.tr("none: as Stowage launches by itself"))
        return field

    def _fill_presets(self) -> None:
        names = (
            self.tr("Faster start, or compiled"),
            self.tr("With or without the memory of earlier prompts"),
            self.tr("Prompts in small or in large steps"),
            self.tr("16 or 32 bits"),
        )
        self.preset.addItem(self.tr("My own options"), None)
        for name, pair in zip(names, PRESETS, strict=True):
            self.preset.addItem(name, pair)

    def _build(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(2 * STEP)
        grid.setVerticalSpacing(STEP)
        rows: Sequence[tuple[str, QWidget]] = (
            (self.tr("Model"), self.model),
            (self.tr("Suggestion"), self.preset),
            (self.tr("Options of A"), self.options["A"]),
            (self.tr("Options of B"), self.options["B"]),
            (self.tr("Repeats"), self.repeats),
        )
        for number, (name, widget) in enumerate(rows):
            label = plain(name, wrap=False)
            label.setBuddy(widget)
            widget.setAccessibleName(name)
            if isinstance(widget, CalmComboBox):
                widget.view().setAccessibleName(name)
            grid.addWidget(label, number, 0)
            left = Qt.AlignmentFlag.AlignLeft if widget is self.repeats else Qt.AlignmentFlag(0)
            grid.addWidget(widget, number, 1, left)
        grid.setColumnStretch(1, 1)
        layout = column(self, spacing=STEP, margin=2 * STEP)
        layout.addLayout(grid)
        layout.addWidget(self.twice)
        line = row(spacing=2 * STEP)
        line.addWidget(self.note, 1)
        line.addWidget(self.start)
        layout.addLayout(line)

    def _preset_chosen(self, _index: int) -> None:
        pair = self.preset.currentData()
        if pair is not None:
            for label, text in zip("AB", pair, strict=True):
                self.options[label].setText(text)

    def show_models(self, models: Sequence[ModelInfo]) -> None:
        """Those that are ready; the choice is kept."""
        chosen = self.model.currentData()
        self.model.clear()
        for model in models:
            if model.error is None:
                self.model.addItem(model.name, model.id)
        self.model.setCurrentIndex(max(0, self.model.findData(chosen)))
        self.start.setEnabled(self.model.count() > 0)


class ResultCard(QFrame):
    """What came out. `open_report`, `open_folder`, `copy_report` for the buttons."""

    open_report = Signal()
    open_folder = Signal()
    copy_report = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self.setObjectName("compareResult")
        self._headline = heading()
        self._headline.setObjectName("compareHeadline")
        self._table = QGridLayout()
        self._table.setHorizontalSpacing(3 * STEP)
        self._table.setVerticalSpacing(STEP // 2)
        self._notes = plain()
        self._pictures = column(spacing=2 * STEP)
        self._buttons = QWidget()
        self._build()
        self.hide()

    def _build(self) -> None:
        line = row(self._buttons)
        for text, name, icon, signal in (
            (self.tr("Open report"), "compareOpen", "", self.open_report),
            (self.tr("Open folder"), "compareFolder", "folder", self.open_folder),
            (self.tr("Copy as Markdown"), "compareCopy", "copy", self.copy_report),
        ):
            made = button(text, name, kind="" if not icon else "quiet", icon=icon)
            made.clicked.connect(signal)
            line.addWidget(made)
        line.addStretch(1)
        layout = column(self, spacing=2 * STEP, margin=2 * STEP)
        layout.addWidget(self._headline)
        layout.addLayout(self._table)
        layout.addWidget(self._notes)
        layout.addWidget(self._buttons)
        layout.addLayout(self._pictures)

    def show_result(self, view: ResultView) -> None:
        self._headline.setText(view.headline)
        self._show_table(view)
        self._notes.setText("\n".join(view.notes))
        self._notes.setVisible(bool(view.notes))
        self._buttons.setVisible(bool(view.folder))
        _clear(self._pictures)
        for picture in view.pictures:
            self._pictures.addWidget(SvgView(picture.svg, picture.meaning))
        self.show()

    def _show_table(self, view: ResultView) -> None:
        _clear(self._table)
        for place, text in enumerate(("", self.tr("A"), self.tr("B"), self.tr("B : A"))):
            self._table.addWidget(_cell(text, strong=True), 0, place)
        for number, cells in enumerate(view.rows, 1):
            for place, text in enumerate(cells):
                self._table.addWidget(_cell(text), number, place)
        self._table.setColumnStretch(3, 1)


def _cell(text: str, *, strong: bool = False) -> QLabel:
    return heading(text) if strong else plain(text, wrap=False)


def _clear(layout) -> None:
    while (item := layout.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()


class ComparePage(PageFrame):
    def __init__(self, speech: Speech) -> None:
        super().__init__(
            self.tr("Compare"),
            self.tr("Two launches of one model, with the same questions: which is faster, and by how much."),
            scrolls=True,
        )
        self.chooser = Chooser()
        self.progress = ProgressRow(speech, "compareProgress")
        frame, inside = card()
        inside.addWidget(self.progress)
        self._progress_card = frame
        frame.hide()
        self.result = ResultCard()
        for part in (self.chooser, frame, self.result):
            self.body.addWidget(part)
        self.body.addStretch(1)

    def show_running(self, running: bool) -> None:
        self._progress_card.setVisible(running)
        self.progress.setVisible(running)
        self.chooser.setEnabled(not running)
