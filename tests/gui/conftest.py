"""The window in this process: real widgets, real services, a real supervisor; a server that plays vLLM."""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton, QWidget
from pytestqt.exceptions import TimeoutError as PatienceError
from pytestqt.qtbot import QtBot

from core.paths import Paths
from core.runtime import Runtime
from gui.app import App
from gui.bridge import Bridge
from tests.support.fake_engine import FakeEngine, make_checkpoint

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

W = TypeVar("W", bound=QObject)
DEADLINE_MS = 30_000
LAYOUT_DEADLINE_MS = 3_000


class Window:
    """A started window and the hands that use it: what can be seen is found by object name."""

    def __init__(self, app: App, bot: QtBot) -> None:
        self.app = app
        self.bot = bot
        self.main = app.window
        self.reports: list[str] = []

    def find(self, kind: type[W], name: str) -> W:
        """The widget of that name, a visible one where several have it."""
        found: list[Any] = self.main.findChildren(kind, name)
        assert found, f"no {kind.__name__} is called {name}"
        return next((widget for widget in found if widget.isVisible()), found[0])

    def sees(self, name: str) -> bool:
        return any(widget.isVisible() for widget in self.main.findChildren(QWidget, name))

    def press(self, name: str) -> None:
        # Looked up each time: a list that changes makes its buttons anew.
        self.until(lambda: self.find(QPushButton, name).isVisible() and self.find(QPushButton, name).isEnabled())
        self.find(QPushButton, name).click()

    def go(self, page: str) -> None:
        self.main.nav_buttons[page].click()

    def text(self, name: str) -> str:
        return self.find(QLabel, name).text()

    def until(self, condition: Callable[[], bool], deadline_ms: int = DEADLINE_MS) -> None:
        try:
            self.bot.waitUntil(condition, timeout=deadline_ms)
        except PatienceError as late:
            late.add_note("the window shows: " + " | ".join(self.texts()))
            raise

    def texts(self) -> list[str]:
        """What can be read in the window now, labels and buttons."""
        found = [*self.main.findChildren(QLabel), *self.main.findChildren(QPushButton)]
        return [each.text() for each in found if each.text() and each.isVisible()]

    def lasting(self, problems: Callable[[], list[str]]) -> list[str]:
        """The problems that are there for longer than a new layout takes."""
        with contextlib.suppress(PatienceError):
            self.until(lambda: not problems(), LAYOUT_DEADLINE_MS)
        return problems()

    # ---- common ways -----------------------------------------------------------------------------------------------

    def add_engine(self, engine: FakeEngine) -> None:
        self.go("engines")
        self.find(QLineEdit, "enginePath").setText(str(engine.folder))
        self.press("addEngineButton")
        self.until(lambda: self.find(QLineEdit, "enginePath").text() == "")

    def add_model(self, folder: Path) -> None:
        self.go("models")
        self.find(QLineEdit, "folderPath").setText(str(folder))
        self.press("addFolderButton")
        self.until(lambda: self.sees(f"launch-{folder}"))

    def launch(self, folder: Path) -> None:
        self.go("models")
        self.press(f"launch-{folder}")

    def launch_until_ready(self, folder: Path) -> None:
        self.launch(folder)
        self.until(lambda: self.sees("stopServerButton"))


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> FakeEngine:
    return FakeEngine(tmp_path_factory.mktemp("engine") / "env")


@pytest.fixture
def model(tmp_path: Path, engine: FakeEngine) -> Path:
    """A checkpoint folder; the fake engine is well-behaved again."""
    engine.behave()
    return make_checkpoint(tmp_path / "models" / "Tiny-1B")


def write_settings(paths: Paths, **values: Any) -> None:
    paths.config.mkdir(parents=True, exist_ok=True)
    paths.settings_file.write_text(json.dumps({"version": 1, **values}), encoding="utf-8")


class Windows:
    """Starts windows one after another and ends each in stages, as closing it does."""

    def __init__(self, paths: Paths, application: QApplication, bot: QtBot) -> None:
        self._paths = paths
        self._application = application
        self._bot = bot
        self._open: list[Window] = []

    def start(self, **settings: Any) -> Window:
        if settings:
            write_settings(self._paths, **settings)
        app = App(self._application, self._paths, owns_process=False)
        window = Window(app, self._bot)
        self._open.append(window)
        with self._bot.waitSignal(app.filled, timeout=DEADLINE_MS):
            app.show()
        assert app.crashes is not None
        app.crashes.reported.connect(window.reports.append)
        return window

    def end(self, window: Window, *, keep_server: bool = False) -> None:
        """Close without asking, wait for the end, and look that the runtime's thread is gone."""
        self._open.remove(window)
        with self._bot.waitSignal(window.app.ended, timeout=DEADLINE_MS):
            window.app.quit(ask=False, keep_server=keep_server)
        self.gone(window)

    def ended_by_itself(self, window: Window) -> None:
        self._open.remove(window)
        self.gone(window)

    def gone(self, window: Window) -> None:
        names = [thread.name for thread in threading.enumerate()]
        assert "stowage-runtime" not in names
        assert not window.main.isVisible()
        assert window.reports == []
        with self._bot.waitSignal(window.app.destroyed, timeout=DEADLINE_MS):
            window.main.deleteLater()
            window.app.deleteLater()

    def end_all(self) -> None:
        for window in tuple(self._open):
            self.end(window)


@pytest.fixture
def windows(home: Paths, qapp: QApplication, qtbot: QtBot) -> Iterator[Windows]:
    started = Windows(home, qapp, qtbot)
    yield started
    started.end_all()


@pytest.fixture
def window(windows: Windows) -> Window:
    return windows.start()


@pytest.fixture
def bridge(qtbot: QtBot) -> Iterator[Bridge]:
    """With a runtime and without services."""
    made = Bridge()
    owner = QObject(made)
    runtime = Runtime(on_error=made.post_bug)

    def start() -> tuple[Runtime, str]:
        runtime.start()
        return runtime, "ready"

    heard: list[str] = []
    made.start(start, owner=owner, done=heard.append)
    qtbot.waitUntil(lambda: heard == ["ready"])
    yield made
    qtbot.waitUntil(made.stop)
