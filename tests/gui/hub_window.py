"""Hands for the Models page, and a Hub on loopback for it."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QPushButton

from core.hub.model import RepoRow
from gui.pages.models.details_pane import DetailsPane
from gui.pages.models.repo_view import RepoView
from tests.fakes.fake_hub import FakeHub
from tests.fakes.hub_content import OnDisk, folder_files
from tests.gui.conftest import Window, Windows
from tests.support.fake_engine import make_checkpoint
from tests.support.hub import running_hub
from tests.support.published import make_published

TINY = "org/Tiny-1B"


class Unread(OnDisk):
    """A file too large to hash in a test; its name in git is made up."""

    @functools.cached_property
    def sha256(self) -> str:
        return hashlib.sha256(str(self.path).encode()).hexdigest()


class HubWindow:
    """A window whose Hub is `hub`."""

    def __init__(self, window: Window, hub: FakeHub) -> None:
        self.window = window
        self.hub = hub
        self.view = window.find(RepoView, "hubList")
        self.pane = window.find(DetailsPane, "detailsPane")
        self.until = window.until

    @property
    def rows(self) -> tuple[RepoRow, ...]:
        return self.view.rows.rows

    @property
    def names(self) -> list[str]:
        return [row.repo_id for row in self.rows]

    def type(self, text: str) -> None:
        """Key by key, as a person does."""
        box = self.window.find(QLineEdit, "hubSearch")
        box.selectAll()
        self.window.bot.keyClicks(box, text)

    def enter(self, text: str) -> None:
        self.type(text)
        self.window.bot.keyClick(self.window.find(QLineEdit, "hubSearch"), Qt.Key.Key_Return)

    def paste(self, text: str) -> None:
        self.window.find(QLineEdit, "hubSearch").setText(text)

    def open_hub(self) -> None:
        self.window.go("models")
        self.window.press("tabHub")
        self.until(lambda: bool(self.rows))

    def open_local(self) -> None:
        self.window.go("models")
        self.window.press("tabLocal")

    def choose(self, repo_id: str) -> None:
        """A click on its row; its details are there afterwards."""
        self.until(lambda: repo_id in self.names)
        index = self.view.rows.index(self.view.rows.place_of(repo_id))
        self.view.scrollTo(index)
        place = self.view.visualRect(index).center()
        self.window.bot.mouseClick(self.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
        self.until(lambda: self.shows(repo_id))

    def shows(self, repo_id: str) -> bool:
        """Whether the details of that model have come."""
        row = self.pane.row
        return row is not None and row.repo_id == repo_id and self.can_press("getButton", "launchHubButton")

    def can_press(self, *names: str) -> bool:
        found = [self.window.find(QPushButton, name) for name in names]
        return any(button.isVisible() and button.isEnabled() for button in found)

    def visible_text(self, name: str) -> str:
        return self.window.text(name).replace("\u200b", "")


def add_tiny(hub: FakeHub, folder: Path, repo_id: str = TINY, *, weight_bytes: int = 4096, **options: object) -> None:
    """A small whole model."""
    made = make_checkpoint(folder / repo_id.replace("/", "--"), weight_bytes=weight_bytes)
    readme = made / "README.md"
    readme.write_text(f"---\nlicense: mit\n---\n# About {repo_id}\n\nA <b>tiny</b> one. ![logo](logo.png)\n", "utf-8")
    hub.add(repo_id, folder_files(made), **options)


def add_published(hub: FakeHub, folder: Path, repo_id: str, name: str) -> None:
    """A model with the config of a published one and a hole of its size as weights."""
    files = folder_files(make_published(folder / repo_id.replace("/", "--"), name))
    hub.add(repo_id, {path: Unread(file) if path.endswith(".safetensors") else file for path, file in files.items()})


@contextmanager
def hub_window(windows: Windows, fill: Callable[[FakeHub], None], **settings: object) -> Generator[HubWindow]:
    """A window whose Hub holds what `fill` put there. The window ends before its Hub does."""
    with running_hub() as hub:
        fill(hub)
        window = windows.start(hub_endpoint=hub.url, **settings)
        try:
            yield HubWindow(window, hub)
        finally:
            windows.end(window)
