"""What the plan said and what came, amount by amount."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from gui.pages.frame import WIDEST
from gui.pages.launch.run.run_view import FigureLine
from gui.theme import STEP
from gui.widgets.cards import column
from gui.widgets.scroll import scrolled
from gui.widgets.texts import plain, quiet


class FigureTable(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("figureTable")
        inside = QWidget()
        inside.setMaximumWidth(WIDEST)
        rows = column(inside, spacing=STEP)
        self._about = quiet()
        rows.addWidget(self._about)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(3 * STEP)
        self._grid.setVerticalSpacing(STEP // 2)
        self._grid.setColumnStretch(4, 1)
        rows.addLayout(self._grid)
        rows.addStretch(1)
        column(self).addWidget(scrolled(inside))
        self._labels: list[QLabel] = []
        self.show_lines(())

    def show_lines(self, lines: tuple[FigureLine, ...]) -> None:
        for label in self._labels:
            self._grid.removeWidget(label)
            label.hide()
            label.deleteLater()
        self._labels = []
        self._about.setText(
            self.tr("Each launch corrects the plan of the next one on this computer.")
            if lines
            else self.tr("What was planned and what came is told once the server was looked at.")
        )
        if lines:
            heads = (self.tr("Part"), self.tr("Planned"), self.tr("Came"), self.tr("Difference"), self.tr("Where from"))
            for place, text in enumerate(heads):
                self._put(quiet(text, wrap=False), 0, place)
        for number, line in enumerate(lines, 1):
            for place, text in enumerate((line.name, line.planned, line.came, line.off)):
                label = plain(text, wrap=False)
                label.setToolTip(line.meaning)
                label.setAccessibleName(f"{line.name}: {line.planned}, {line.came}, {line.off}. {line.meaning}")
                self._put(label, number, place)
                label.setObjectName(f"figure-{line.id}-{('name', 'planned', 'came', 'off')[place]}")
            meaning = quiet(line.meaning)
            meaning.setObjectName(f"figure-{line.id}-meaning")
            self._put(meaning, number, 4)

    def _put(self, label: QLabel, line: int, place: int) -> None:
        side = Qt.AlignmentFlag.AlignRight if place in (1, 2, 3) else Qt.AlignmentFlag.AlignLeft
        if place == 4:
            self._grid.addWidget(label, line, place)
        else:
            self._grid.addWidget(label, line, place, side | Qt.AlignmentFlag.AlignVCenter)
        self._labels.append(label)
