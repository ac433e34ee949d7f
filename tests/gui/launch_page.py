"""The Launch page on computers and with engines that are not at hand, for tests of what it shows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QLabel, QPushButton, QSpinBox, QWidget

from core.checkpoint.load import load_checkpoint
from core.events import EngineInfo, EnginesChanged, MachineChanged
from core.planner.amounts import Verdict
from core.planner.plan import Plan
from core.planning.choices import Choices, engine_of
from core.planning.launch_plan import Basis, plan_launch
from gui.budget.panel import BudgetPanel
from gui.pages.launch.plan_presenter import PlanPresenter
from gui.pages.launch.verdict_bar import VerdictSign
from gui.widgets.one_line import OneLine
from tests.gui.conftest import Window

# What is left alone on a card of these samples: no process that draws is on it.
LEAVE_FREE = 0.3


class Page:
    """The Launch page on a computer and with an engine that are not at hand."""

    def __init__(self, window: Window, sample: MachineChanged, engine: EngineInfo, model: Path) -> None:
        self.window, self.sample, self.engine, self.model = window, sample, engine, model
        bridge, services = window.app.bridge, window.app.services
        assert bridge is not None
        assert services is not None
        done: list[None] = []
        bridge.call(services.computer.show, False, owner=window.app, done=done.append)
        window.until(lambda: bool(done))
        bridge.call(services.add_model_folder, str(model), owner=window.app)
        self.models = window.find(QComboBox, "modelBox")
        window.until(lambda: self.models.findData(str(model)) >= 0)
        self.choose(str(model))
        window.go("launch")
        self.tell(sample)

    def choose(self, model_id: str) -> None:
        """As a person does."""
        place = self.models.findData(model_id)
        self.models.setCurrentIndex(place)
        self.models.activated.emit(place)

    def tell(self, sample: MachineChanged) -> None:
        """Until it is what stands there: engines and a sample of this computer may still have been on their way."""
        self.sample = sample
        panel = self.window.find(BudgetPanel, "budgetPanel")
        ids = [budget.id for budget in (*sample.ledger.gpus, sample.ledger.ram, *sample.ledger.disks)]
        bridge = self.window.app.bridge
        assert bridge is not None

        def stands_there() -> bool:
            if [cell.view.id for cell in panel.cells if cell.view is not None] == ids and self._is_of_this_launch():
                return True
            bridge.post(EnginesChanged((self.engine,), self.engine.id))
            bridge.post(sample)
            return False

        self.window.until(stands_there)
        self.window.until(lambda: not self.window.sees("planSkeleton"))

    def _is_of_this_launch(self) -> bool:
        """Whether the model has been read and what stands there is about it, this engine and this computer."""
        if self._basis.obstacle() is not None:
            return self.verdict == "No plan for this launch"
        shown = self.window.main.findChildren(PlanPresenter)[0].plan
        meant = plan_launch(self._basis, Choices())
        if shown is None:
            return False
        of = shown.request.engine, shown.request.hardware, shown.weights.amount
        return of == (meant.request.engine, meant.request.hardware, meant.weights.amount)

    @property
    def _basis(self) -> Basis:
        engine = engine_of(self.engine.version, self.engine.platform)
        return Basis(load_checkpoint(self.model), engine, self.sample.machine)

    def planned(self, **choices: object) -> Plan:
        """The planner's own answer for the page's computer, engine and model."""
        made = Choices(leave_free_gib=LEAVE_FREE)
        return plan_launch(self._basis, replace(made, **choices))  # type: ignore[arg-type]

    def part(self, part: str, budget: str = "GPU-0") -> str:
        for grid in self.window.main.findChildren(QWidget, f"planParts-{budget}"):
            for label in grid.findChildren(QLabel):
                if label.accessibleName().startswith(f"{part}:") and label.objectName():
                    return label.text()
        raise AssertionError(f"no part {part} in {budget}")

    def says(self, option: str) -> str:
        return self.window.find(OneLine, f"{option}Says").full_text

    @property
    def verdict(self) -> str:
        return self.window.find(OneLine, "planVerdict").full_text

    @property
    def sign(self) -> Verdict | None:
        return self.window.find(VerdictSign, "verdictSign").verdict

    @property
    def levers(self) -> list[str]:
        found = self.window.main.findChildren(QPushButton)
        return [one.objectName() for one in found if one.objectName().startswith("lever-") and one.isVisible()]

    def set(self, name: str, value: float) -> None:
        box = self.window.main.findChild(QSpinBox, name) or self.window.main.findChild(QDoubleSpinBox, name)
        assert box is not None
        box.setValue(value)  # type: ignore[arg-type]
