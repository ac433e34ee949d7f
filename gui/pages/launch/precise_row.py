"""Precise mode in the plan's card: a button that asks vLLM itself, then its figures beside ours."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from gui.theme import STEP
from gui.widgets.buttons import button
from gui.widgets.cards import column, row
from gui.widgets.one_line import OneLine
from gui.widgets.texts import quiet, selectable


class PreciseRow(QWidget):
    """`asked` and `cancelled` by its buttons."""

    asked = Signal()
    cancelled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("preciseRow")
        self._ask = button(self.tr("Check with vLLM itself"), "preciseButton", kind="small")
        self._ask.setToolTip(
            self.tr("Runs vLLM's own planner in the installed engine: no weights, no card, about 10 seconds")
        )
        self._ask.clicked.connect(self.asked)
        self._stop = button(self.tr("Cancel"), "preciseCancel", kind="small")
        self._stop.clicked.connect(self.cancelled)
        self._state = OneLine("quiet")
        self._state.setObjectName("preciseState")
        self._figures = selectable(quiet())
        self._figures.setObjectName("preciseFigures")
        line = row(spacing=STEP)
        for part in (self._ask, self._stop):
            line.addWidget(part)
        line.addWidget(self._state, 1)
        outer = column(self, spacing=STEP // 2)
        outer.addLayout(line)
        outer.addWidget(self._figures)
        self.reset()

    def reset(self) -> None:
        """Nothing asked about the plan that is shown."""
        self._show(asking=False, state="", figures=())

    def show_asking(self) -> None:
        self._show(asking=True, state=self.tr("Asking vLLM's own planner…"), figures=())

    def show_answer(self, state: str, figures: tuple[str, ...]) -> None:
        self._show(asking=False, state=state, figures=figures)

    def _show(self, *, asking: bool, state: str, figures: tuple[str, ...]) -> None:
        self._ask.setVisible(not asking)
        self._stop.setVisible(asking)
        self._state.set_full_text(state)
        self._figures.setText("\n".join(figures))
        self._figures.setVisible(bool(figures))
