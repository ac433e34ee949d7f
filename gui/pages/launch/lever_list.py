"""Single changes that would make the plan fit or run faster, each a small button with its gain beside it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QWidget

from gui.pages.launch.plan_view import LeverLine
from gui.theme import STEP
from gui.widgets.buttons import button, retext
from gui.widgets.one_line import OneLine
from gui.widgets.texts import plain
from gui.words import capital


class LeverList(QWidget):
    """`pulled` with the place of the lever in the list that is shown. Hidden while there are none."""

    pulled = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("levers")
        self._shown: tuple[LeverLine, ...] = ()
        self._rows: list[tuple[QPushButton, OneLine]] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(STEP)
        self._grid.setVerticalSpacing(STEP // 2)
        self._grid.setColumnStretch(2, 1)
        self._title: QLabel = plain(self.tr("What would help"), wrap=False)
        self._grid.addWidget(self._title, 0, 0)
        self.hide()

    def show_levers(self, levers: tuple[LeverLine, ...]) -> None:
        if levers == self._shown:
            return
        self._shown = levers
        while len(self._rows) < len(levers):
            self._add_row()
        for number, (press, gain) in enumerate(self._rows):
            shown = number < len(levers)
            press.setVisible(shown)
            gain.setVisible(shown)
            if shown:
                lever = levers[number]
                press.setObjectName(f"lever-{lever.id}")
                retext(press, lever.text)
                press.setToolTip(lever.meaning)
                press.setAccessibleDescription(f"{lever.gain}. {lever.meaning}")
                gain.set_full_text(f"{capital(lever.gain)}. {lever.meaning}")
        self.setVisible(bool(levers))

    def _add_row(self) -> None:
        press = button("", "lever", kind="small", parent=self)
        press.setProperty("place", len(self._rows))
        press.clicked.connect(self._pressed)
        gain = OneLine("quiet", self)
        self._grid.addWidget(press, len(self._rows), 1)
        self._grid.addWidget(gain, len(self._rows), 2)
        self._rows.append((press, gain))

    def _pressed(self) -> None:
        self.pulled.emit(int(self.sender().property("place")))
