"""What tests of the Launch page do again and again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QPushButton, QWidget

from core.events import Event
from core.planning.choices import Choices
from core.services import Services
from gui.pages.launch.page import LaunchPage
from tests.gui.conftest import Window
from tests.support.fake_engine import FakeEngine

EAGER = Choices(context=512)


class Hands:
    """A window with a model and an engine; `launch` with these choices on the form."""

    def __init__(self, window: Window, engine: FakeEngine, model: Path) -> None:
        self.window, self.model = window, model
        window.add_engine(engine)
        window.add_model(model)
        services = window.app.services
        assert services is not None
        self.services: Services = services
        self.heard: list[Event] = []
        bridge = window.app.bridge
        assert bridge is not None
        bridge.on(Event, self.heard.append, owner=window.app)
        self.bridge = bridge
        self.page = window.find(LaunchPage, "")  # the only one of its kind

    def launch(self, choices: Choices = EAGER) -> None:
        self.window.go("launch")
        self.page.options.choose_model(str(self.model))
        self.page.options.take(choices)
        self.window.press("launchButton")

    def until_ready(self) -> None:
        self.window.until(lambda: self.window.sees("stopServerButton"))

    def stop(self) -> None:
        self.window.press("stopServerButton")
        self.window.until(lambda: self.window.sees("launchButton"))

    def buttons(self, start: str) -> list[str]:
        found = self.window.main.findChildren(QPushButton)
        return [one.objectName() for one in found if one.objectName().startswith(start) and one.isVisible()]

    def named(self, name: str) -> QWidget:
        return self.window.find(QWidget, name)

    def call(self, verb: Callable[..., Any], *args: Any) -> Any:
        """What a service's verb gives."""
        done: list[Any] = []
        self.bridge.call(verb, *args, owner=self.window.app, done=done.append)
        self.window.until(lambda: bool(done))
        return done[0]
