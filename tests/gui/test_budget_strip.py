"""The strip's widgets, told through the product's own event: figures, keys, tooltips, screen readers, wrapping."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QHelpEvent, QPalette
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from core.events import MachineChanged
from gui.bridge import Bridge
from gui.budget.cell import NARROWEST, BudgetCell
from gui.budget.ghost import GhostPart, GhostPlan
from gui.budget.motion import LONGEST_MS
from gui.budget.panel import BudgetPanel
from gui.budget.terms import BudgetTerms
from gui.budget.views import BudgetViews
from gui.theme import DARK, LIGHT, Theme
from tests.support import machines
from tests.support.machines import gib

# A tooltip asks to be on top; the offscreen platform has no stack of windows.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support raise", extend=True)


class Strip:
    """A panel on a bridge, as in the window, without services."""

    def __init__(self, bot: QtBot) -> None:
        self.bot = bot
        self.panel = BudgetPanel()
        bot.addWidget(self.panel)
        self.panel.set_animated(False)
        self.panel.resize(1000, 60)
        self.bridge = Bridge(self.panel)
        self.views = BudgetViews(BudgetTerms("en"), self.panel)
        self.plan: GhostPlan | None = None
        self.bridge.on(MachineChanged, self._changed, owner=self.panel)
        self.heard = 0
        self.panel.show()

    def _changed(self, sample: MachineChanged) -> None:
        self.heard += 1
        plan = self.plan.judged(sample.ledger) if self.plan is not None else None
        self.panel.show_views(self.views.all(sample, plan))

    def tell(self, sample: MachineChanged) -> None:
        before = self.heard
        self.bridge.post(sample)
        self.bot.waitUntil(lambda: self.heard > before)

    def cell(self, budget_id: str) -> BudgetCell:
        cell = self.panel.cell(budget_id)
        assert cell is not None
        return cell


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    made = Theme(qapp, "light")
    yield made
    made.choose("light")
    made.deleteLater()


@pytest.fixture
def strip(qtbot: QtBot, theme: Theme) -> Strip:
    del theme
    return Strip(qtbot)


def test_a_sample_fills_the_cells_and_the_next_changes_them(strip: Strip) -> None:
    strip.tell(machines.desktop())
    assert [cell.objectName() for cell in strip.panel.cells] == ["budget-GPU-0", "budget-ram", "budget-disk:/"]
    kept = strip.cell("ram")
    strip.tell(machines.two_cards())
    assert len(strip.panel.cells) == 5
    strip.tell(machines.no_gpu())
    assert [cell.view.id for cell in strip.panel.cells if cell.view] == ["ram", "disk:/"]
    assert kept in strip.panel.findChildren(BudgetCell)


def test_a_screen_reader_hears_name_value_and_parts(strip: Strip) -> None:
    strip.tell(machines.desktop())
    cell = strip.cell("GPU-0")
    interface = QAccessible.queryAccessibleInterface(cell)
    assert interface.role() == QAccessible.Role.ProgressBar
    assert interface.text(QAccessible.Text.Name) == "VRAM RTX 3060"
    assert "firefox: 0.7 GiB" in interface.text(QAccessible.Text.Description)
    value = interface.valueInterface()
    assert (value.currentValue(), value.maximumValue()) == (int(10.1 * 1024), 12 * 1024)
    strip.tell(machines.unknown_figures())
    asleep = QAccessible.queryAccessibleInterface(strip.cell("GPU-0"))
    assert asleep.text(QAccessible.Text.Description).startswith("asleep. The graphics card sleeps")


def test_the_keyboard_goes_through_the_parts(strip: Strip) -> None:
    strip.tell(machines.desktop())
    cell = strip.cell("GPU-0")
    with strip.bot.waitActive(strip.panel):
        strip.panel.activateWindow()
    cell.setFocus()
    whole = cell.accessibleDescription()
    strip.bot.keyClick(cell, Qt.Key.Key_Right)
    assert cell.accessibleDescription().startswith("Our server: 5.5 GiB")
    assert QToolTip.text().startswith("Our server: 5.5 GiB")
    strip.bot.keyClick(cell, Qt.Key.Key_Right)
    assert cell.accessibleDescription().startswith("KV cache, unused: 2.9 GiB")
    strip.bot.keyClick(cell, Qt.Key.Key_End)
    assert cell.accessibleDescription().startswith("Free: 1.9 GiB")
    strip.bot.keyClick(cell, Qt.Key.Key_Right)
    assert cell.accessibleDescription().startswith("Free: 1.9 GiB")
    strip.bot.keyClick(cell, Qt.Key.Key_Home)
    assert cell.accessibleDescription().startswith("Our server")
    strip.tell(machines.idle_desktop())
    assert cell.accessibleDescription().startswith("firefox: 0.7 GiB"), "the cursor stays at its place"
    strip.tell(machines.desktop())
    strip.bot.keyClick(cell, Qt.Key.Key_Tab)
    assert strip.cell("ram").hasFocus()
    assert cell.accessibleDescription() == whole


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Space])
def test_enter_and_a_click_open_the_details(strip: Strip, key: Qt.Key) -> None:
    strip.tell(machines.desktop())
    with strip.bot.waitSignal(strip.panel.opened) as by_key:
        strip.bot.keyClick(strip.cell("ram"), key)
    assert by_key.args == ["ram"]
    with strip.bot.waitSignal(strip.panel.opened) as by_mouse:
        strip.bot.mouseClick(strip.cell("disk:/"), Qt.MouseButton.LeftButton)
    assert by_mouse.args == ["disk:/"]


def test_tooltips_tell_the_part_below_the_pointer_and_the_whole_above(strip: Strip) -> None:
    strip.tell(machines.desktop())
    cell = strip.cell("GPU-0")
    bar = cell.bar_place()

    def tip(point: QPoint) -> str:
        QApplication.sendEvent(cell, QHelpEvent(QEvent.Type.ToolTip, point, cell.mapToGlobal(point)))
        return QToolTip.text()

    middle = round(bar.center().y())
    assert tip(QPoint(round(bar.left() + bar.width() * 0.2), middle)).startswith("Our server: 5.5 GiB")
    assert tip(QPoint(round(bar.right() - 3), middle)).startswith("Free: 1.9 GiB")
    assert tip(QPoint(10, 4)).startswith("NVIDIA GeForce RTX 3060\n10.1 of 12.0 GiB in use")


def test_bars_glide_for_a_moment_and_not_where_motion_is_unwanted(strip: Strip) -> None:
    strip.tell(machines.idle_desktop())
    cell = strip.cell("GPU-0")
    strip.tell(machines.desktop())
    assert not cell.glide.running
    assert cell.glide.view == cell.view
    strip.panel.set_animated(True)
    seen: list[float] = []
    cell.glide.moved.connect(lambda: seen.append(cell.glide.view.spans[-1].start if cell.glide.view else 0.0))
    strip.tell(machines.idle_desktop())
    assert cell.glide.running
    assert cell.view is not None
    assert cell.view.figure == "1.4 / 12.0 GiB", "figures are right at once"
    strip.bot.waitUntil(lambda: not cell.glide.running, timeout=LONGEST_MS * 20)
    assert seen == sorted(seen, reverse=True), "from full to nearly empty, never back"
    assert len(set(seen)) > 2
    assert cell.glide.view == cell.view


def test_a_plan_comes_and_goes(strip: Strip) -> None:
    strip.plan = GhostPlan("A model", (GhostPart("ram", "weights", gib(5)),), about=True)
    strip.tell(machines.idle_desktop())
    view = strip.cell("ram").view
    assert view is not None
    assert [ghost.labels[0] for ghost in view.ghosts] == ["weights 5.0"]
    strip.bot.keyClick(strip.cell("ram"), Qt.Key.Key_End)
    assert strip.cell("ram").accessibleDescription() == "weights: 5.0 GiB\nA model would take about"
    strip.plan = None
    strip.tell(machines.idle_desktop())
    view = strip.cell("ram").view
    assert view is not None
    assert (view.ghosts, view.verdict) == ((), None)


@pytest.mark.parametrize("width", [700, 992, 1880])
@pytest.mark.parametrize("name", ["no_gpu", "two_cards", "many_cards"])
def test_all_cells_are_in_sight_at_every_width(strip: Strip, name: str, width: int) -> None:
    strip.panel.resize(width, 60)
    strip.tell(getattr(machines, name)())
    places = [QRect(cell.geometry()) for cell in strip.panel.cells]
    whole = QRect(0, 0, width, strip.panel.height())
    assert all(whole.contains(place) for place in places)
    assert all(place.width() >= NARROWEST for place in places)
    assert not any(one.intersects(other) for n, one in enumerate(places) for other in places[n + 1 :])
    assert {place.height() for place in places} == {strip.panel.cells[0].sizeHint().height()}
    assert len({place.width() for place in places}) == 1


def test_a_change_of_theme_is_painted_at_once(strip: Strip, theme: Theme) -> None:
    strip.tell(machines.desktop())
    cell = strip.cell("GPU-0")
    place = cell.bar_place()
    point = QPoint(round(place.left() + place.width() * 0.3), round(place.bottom() - 3))
    for choice, colours in (("light", LIGHT), ("dark", DARK)):
        theme.choose(choice)
        assert cell.grab().toImage().pixelColor(point).name() == colours[QPalette.ColorRole.Accent]
