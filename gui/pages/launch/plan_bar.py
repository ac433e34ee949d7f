"""One tier of a plan as a bar over the whole width, and below it the list of its parts."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from gui.budget.cell import BudgetCell, cell_height
from gui.budget.view import BudgetView
from gui.pages.launch.part_grid import PartGrid
from gui.pages.launch.plan_view import TierLine
from gui.theme import STEP
from gui.widgets.cards import column, row


class PlanBar(BudgetCell):
    """The strip's bar with more room."""

    def show_view(self, view: BudgetView) -> None:
        super().show_view(view)
        self.setObjectName(f"plan-{view.id}")
        self.setAccessibleName(self.tr("Plan for {bar}").format(bar=f"{view.title} {view.name}".strip()))


class TierBlock(QWidget):
    """`opened` with the budget's id."""

    opened = Signal(str)

    def __init__(self, number: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bar = PlanBar(self)
        self.bar.opened.connect(self.opened)
        self.parts = PartGrid(f"planParts{number}", self)
        layout = column(self, spacing=STEP // 2)
        # The style sheet lets it be lower than it needs; a layout would make use of that.
        place = row(spacing=0)
        place.addStrut(cell_height(self.font()))
        place.addWidget(self.bar)
        layout.addLayout(place)
        layout.addWidget(self.parts)

    def show_tier(self, tier: TierLine, view: BudgetView | None) -> None:
        self.bar.setVisible(view is not None)
        if view is not None:
            self.bar.show_view(view)
        self.parts.setObjectName(f"planParts-{tier.budget_id}")
        self.parts.show_parts(tier.parts)
