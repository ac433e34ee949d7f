"""The plan on the Launch page for a 12 GiB card that is not at hand, for `screenshots.py`: crafted samples and a
crafted engine, told through the same events as the real ones."""

from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.budget_pictures import told, watch

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from gui.app import App

Condition = Callable[[], bool]
Save = Callable[[str, "QWidget"], None]


def plan_pictures(app: App, save: Save, large: Path, strange: Path, table: Path) -> Generator[Condition]:
    """Args: `large` a checkpoint that needs offload on that card, `strange` one of an unknown architecture, `table` one
    with a per-layer table."""
    from PySide6.QtWidgets import QComboBox, QScrollArea, QSpinBox

    from core.events import EngineInfo, EnginesChanged, EngineState
    from tests.support import machines

    assert app.bridge is not None
    assert app.services is not None
    engines: list[tuple[EngineInfo, ...]] = []
    app.bridge.call(app.services.list_engines, owner=app, done=engines.append)
    for folder in (large, strange, table):
        app.bridge.call(app.services.add_model_folder, str(folder), owner=app)
    box = _one(app, QComboBox, "modelBox")
    yield lambda: box.findData(str(table)) >= 0 and bool(engines)
    yield from watch(app, False)
    before = box.currentIndex()
    cuda = EngineInfo("cuda-0.33.0", EngineState.READY, "0.33.0", "cuda", "python", "3.12", ours=True)
    app.bridge.post(EnginesChanged((cuda,), cuda.id))
    app.window.show_page("launch")
    box.setCurrentIndex(box.findData(str(large)))
    _one(app, QSpinBox, "contextBox").setValue(8192)
    yield from told(app, machines.idle_desktop())
    yield _lever(app, True)
    save("plan-short", app.window)
    area = next(area for area in app.window.page("launch").findChildren(QScrollArea) if area.widget() is not None)
    area.verticalScrollBar().setValue(area.verticalScrollBar().maximum())
    save("plan-levers", app.window)
    _press(app, "lever-cpu_offload_gb")
    yield _lever(app, False)
    area.verticalScrollBar().setValue(0)
    yield from told(app, machines.idle_desktop())
    save("plan-offload", app.window)
    yield from _options(app, save)
    box.setCurrentIndex(box.findData(str(table)))
    yield from _table(app, save)
    _one(app, QSpinBox, "contextBox").setValue(0)
    box.setCurrentIndex(box.findData(str(strange)))
    yield from told(app, machines.idle_desktop())
    area.verticalScrollBar().setValue(area.verticalScrollBar().maximum())
    save("plan-unknown", app.window)
    area.verticalScrollBar().setValue(0)
    yield from told(app, machines.no_gpu())
    save("plan-no-card", app.window)
    app.bridge.post(EnginesChanged(engines[0], engines[0][0].id if engines[0] else None))
    box.setCurrentIndex(before)
    yield from watch(app, True)


def _table(app: App, save: Save) -> Generator[Condition]:
    """Where a per-layer table lives, and what there is to know about it."""
    from PySide6.QtWidgets import QComboBox, QScrollArea, QToolButton, QWidget

    from core.engine.options import Traits
    from gui.pages.launch.options import LaunchOptions
    from tests.support import machines
    from tests.support.builds import build

    page = app.window.page("launch")
    area = next(area for area in page.findChildren(QScrollArea) if area.widget() is not None)
    yield from told(app, machines.idle_desktop())
    form = page.findChildren(LaunchOptions)[0]
    form.show_build(build("0.33.0"), Traits("Gemma4ForConditionalGeneration", tables="per_layer"))
    fold, card = _one(app, QToolButton, "tableFold"), _one(app, QWidget, "tableChecks")
    yield fold.isVisible
    fold.setChecked(True)
    places = _one(app, QComboBox, "tablesBox")
    places.setCurrentIndex(places.findData("disk"))
    yield from told(app, machines.idle_desktop())
    area.ensureWidgetVisible(card, 0, 40)
    yield from told(app, machines.idle_desktop())
    save("plan-table", app.window)
    fold.setChecked(False)
    area.verticalScrollBar().setValue(0)


def _options(app: App, save: Save) -> Generator[Condition]:
    """The seldom options of a build that was read from its wheel, and the dialogs about them."""
    from PySide6.QtWidgets import QDialog, QLineEdit, QPushButton, QScrollArea, QToolButton, QWidget

    from core.engine.options import Traits
    from gui.pages.launch.options import LaunchOptions
    from tests.support import machines
    from tests.support.builds import build

    page = app.window.page("launch")
    area = next(area for area in page.findChildren(QScrollArea) if area.widget() is not None)
    page.findChildren(LaunchOptions)[0].show_build(build("0.33.0"), Traits(tables="ngram"))
    _one(app, QToolButton, "moreOptions").setChecked(True)
    yield from told(app, machines.idle_desktop())
    for name in ("moreSearch", "dtypeBox", "lorasBox", "reasoningBox", "extraBox"):
        area.ensureWidgetVisible(_one(app, QWidget, name), 0, 240)
        yield from told(app, machines.idle_desktop())
        save(f"options-{name}", app.window)
    _one(app, QLineEdit, "moreSearch").setText("parallel")
    area.ensureWidgetVisible(_one(app, QWidget, "moreSearch"), 0, 240)
    yield from told(app, machines.idle_desktop())
    save("options-search", app.window)
    _one(app, QLineEdit, "moreSearch").clear()
    _one(app, QToolButton, "moreOptions").setChecked(False)
    area.verticalScrollBar().setValue(0)
    _one(app, QPushButton, "pasteFlagsButton").click()
    dialog = _one(app, QDialog, "pasteDialog")
    yield dialog.isVisible
    save("options-paste", dialog)
    dialog.reject()


def _lever(app: App, shown: bool) -> Condition:
    from PySide6.QtWidgets import QPushButton

    def there() -> bool:
        found = app.window.findChildren(QPushButton, "lever-cpu_offload_gb")
        return any(button.isVisible() for button in found) is shown

    return there


def _one(app: App, kind: type, name: str):
    return app.window.findChildren(kind, name)[0]


def _press(app: App, name: str) -> None:
    from PySide6.QtWidgets import QPushButton

    next(button for button in app.window.findChildren(QPushButton, name) if button.isVisible()).click()
