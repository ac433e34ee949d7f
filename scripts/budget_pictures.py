"""The budget strip and its details on computers that are not at hand, for `screenshots.py`: crafted samples, told
through the same event as the real ones."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from core.events import MachineChanged
    from gui.app import App

Condition = Callable[[], bool]
Save = Callable[[str, "QWidget"], None]

SHOWN = ("desktop", "two_cards", "many_cards", "unified", "unknown_figures", "no_gpu")
DETAILED = (("desktop", "GPU-0"), ("unknown_figures", "GPU-0"), ("no_gpu", "ram"))


def budget_pictures(app: App, save: Save) -> Generator[Condition]:
    """The strip below the Launch page (with its plan), then the details."""
    from tests.support import machines

    yield from watch(app, False)
    app.window.show_page("launch")
    for name in SHOWN:
        yield from told(app, getattr(machines, name)())
        save(f"budget-{name}", app.window)
    for name, budget_id in DETAILED:
        yield from told(app, getattr(machines, name)())
        yield from _details(app, budget_id, lambda dialog, name=name: save(f"details-{name}", dialog))
    yield from watch(app, True)


def watch(app: App, visible: bool) -> Generator[Condition]:
    done: list[None] = []
    assert app.bridge is not None
    assert app.services is not None
    app.bridge.call(app.services.computer.show, visible, owner=app, done=done.append)
    yield lambda: bool(done)


def told(app: App, sample: MachineChanged) -> Generator[Condition]:
    """Tell it until the strip shows it and stands still: a sample of this computer may still have been on its way."""
    from gui.budget.panel import BudgetPanel

    assert app.bridge is not None
    panel = app.window.findChildren(BudgetPanel)[0]
    wanted = {budget.id for budget in (sample.ledger.ram, *sample.ledger.disks)}
    bridge, rounds = app.bridge, [0]

    def shown() -> bool:
        bridge.post(sample)
        ids = {cell.view.id for cell in panel.cells if cell.view is not None}
        still = not any(cell.glide.running for cell in panel.cells)
        rounds[0] = rounds[0] + 1 if wanted <= ids and still else 0
        return rounds[0] > 4

    yield shown


def _details(app: App, budget_id: str, save: Callable[[QWidget], None]) -> Generator[Condition]:
    from gui.budget.details import BudgetDetails
    from gui.budget.panel import BudgetPanel

    app.window.findChildren(BudgetPanel)[0].opened.emit(budget_id)
    yield lambda: bool(app.window.findChildren(BudgetDetails))
    dialog = app.window.findChildren(BudgetDetails)[0]
    rounds = [0]

    def settled() -> bool:
        rounds[0] += 1
        return dialog.isVisible() and rounds[0] > 5

    yield settled
    save(dialog)
    dialog.accept()
    yield lambda: not app.window.findChildren(BudgetDetails)
