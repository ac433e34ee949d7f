"""The parts of one tier as a list: name, size, how certain. Two columns."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from gui.pages.launch.plan_view import PartLine
from gui.theme import STEP
from gui.widgets.texts import plain, quiet

COLUMNS = 2
_FIELDS = 4  # name, size, mark, a gap


class PartGrid(QWidget):
    """Labels are made once and keep their places: only texts that differ are set."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._shown: tuple[PartLine, ...] = ()
        self._rows: list[tuple[QLabel, QLabel, QLabel]] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(STEP // 2, 0, STEP // 2, 0)
        self._grid.setHorizontalSpacing(STEP)
        self._grid.setVerticalSpacing(STEP // 4)
        for column in range(COLUMNS):
            self._grid.setColumnStretch(_FIELDS * column, 1)
            self._grid.setColumnMinimumWidth(_FIELDS * column + 1, 12 * STEP)
            self._grid.setColumnMinimumWidth(_FIELDS * column + 2, 10 * STEP)
        for column in range(COLUMNS - 1):
            self._grid.setColumnMinimumWidth(_FIELDS * column + 3, 3 * STEP)

    def show_parts(self, parts: tuple[PartLine, ...]) -> None:
        if parts == self._shown:
            return
        # Whole rows, the last one with an empty place: so the columns of all grids stand below each other.
        places = -(-len(parts) // COLUMNS) * COLUMNS
        while len(self._rows) < places:
            self._add_row()
        for number, labels in enumerate(self._rows):
            for label in labels:
                label.setVisible(number < places)
                if number >= len(parts):
                    label.clear()
        for labels, part, before in zip(self._rows, parts, (*self._shown, *[None] * len(parts)), strict=False):
            if part != before:
                self._fill(labels, part)
        self._shown = parts

    def _fill(self, labels: tuple[QLabel, QLabel, QLabel], part: PartLine) -> None:
        name, size, mark = labels
        for label, text in zip(labels, (part.name, part.size, part.mark), strict=True):
            label.setText(text)
            label.setToolTip(part.meaning)
        size.setObjectName(f"{self.objectName()}-{part.id}")
        name.setAccessibleDescription(part.meaning)
        size.setAccessibleName(f"{part.name}: {part.size}, {part.mark}")
        size.setAccessibleDescription(part.meaning)
        mark.setAccessibleName(f"{part.name}: {part.mark}")

    def _add_row(self) -> None:
        row, column = divmod(len(self._rows), COLUMNS)
        labels = quiet(parent=self, wrap=False), plain(parent=self, wrap=False), quiet(parent=self, wrap=False)
        labels[1].setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        for place, label in enumerate(labels):
            self._grid.addWidget(label, row, _FIELDS * column + place)
        self._rows.append(labels)
