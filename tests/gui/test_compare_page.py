"""Comparing in the window: choose, run, watch, cancel, read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QPushButton, QSpinBox

from core.events import ServerState
from core.services import Services
from gui.widgets.svg_view import SvgView
from tests.gui.conftest import Window
from tests.support.fake_engine import FakeEngine


@pytest.fixture
def ready(window: Window, engine: FakeEngine, model: Path) -> Window:
    """A window with an engine that writes 300 tokens a second, and a model; the Compare page in front."""
    engine.behave(FAKE_TOKENS_PER_S="300")
    window.add_engine(engine)
    window.add_model(model)
    window.go("compare")
    choice = window.find(QComboBox, "compareModel")
    window.until(lambda: choice.findData(str(model)) >= 0)
    choice.setCurrentIndex(choice.findData(str(model)))
    window.find(QSpinBox, "compareRepeats").setValue(1)
    return window


def fill(window: Window, a: str, b: str) -> None:
    window.find(QLineEdit, "compareOptionsA").setText(a)
    window.find(QLineEdit, "compareOptionsB").setText(b)


def services(window: Window) -> Services:
    assert window.app.services is not None
    return window.app.services


def pictures(window: Window) -> list[SvgView]:
    return [view for view in window.main.findChildren(SvgView) if view.isVisible()]


def folders(window: Window) -> list[Path]:
    return sorted(services(window).paths.comparisons.glob("*"))


def test_a_comparison_from_the_choice_to_the_report(ready: Window) -> None:
    fill(ready, "--max-num-seqs 4", "")
    ready.press("compareButton")
    ready.until(lambda: ready.sees("compareProgressCancel"))
    ready.until(lambda: ready.sees("compareOpen"))
    assert not ready.sees("compareProgress")
    assert ready.text("compareHeadline")
    texts = [label.text() for label in ready.main.findChildren(QLabel) if label.isVisible()]
    assert "All answers are equal, word for word." in texts
    ready.until(lambda: len([view for view in pictures(ready) if view.height() > 50]) >= 3)
    assert all(view.accessibleName() for view in pictures(ready))
    (folder,) = folders(ready)
    data = json.loads((folder / "result.json").read_text("utf-8"))
    assert data["state"] == "done"
    assert data["comparison"]["a"]["text"] == "--max-num-seqs 4"
    ready.press("compareCopy")
    assert QGuiApplication.clipboard().text().startswith("# Two launches compared")


def test_cancelled_nothing_runs_and_what_was_measured_stays(ready: Window, engine: FakeEngine) -> None:
    engine.behave("--step", "0.3", FAKE_TOKENS_PER_S="30")
    ready.press("compareButton")
    ready.until(lambda: services(ready).server_status.state is ServerState.STARTING)
    ready.press("compareProgressCancel")
    ready.until(lambda: ready.find(QComboBox, "compareModel").isEnabled())
    assert services(ready).server_status.state is ServerState.IDLE
    (folder,) = folders(ready)
    assert json.loads((folder / "result.json").read_text("utf-8"))["state"] == "cancelled"
    assert not ready.sees("errorBanner")


def test_an_option_that_cannot_be_read_is_said_at_once(ready: Window) -> None:
    fill(ready, "--max-num-seqs many", "")
    ready.press("compareButton")
    ready.until(lambda: ready.sees("errorBanner"))
    assert not ready.sees("compareProgress")
    assert folders(ready) == []


def test_a_suggestion_fills_both_sides(ready: Window) -> None:
    presets = ready.find(QComboBox, "comparePreset")
    presets.setCurrentIndex(1)
    presets.activated.emit(1)
    assert ready.find(QLineEdit, "compareOptionsA").text() == "--enforce-eager"
    assert ready.find(QLineEdit, "compareOptionsB").text() == ""


def test_a_side_that_fails_is_named(ready: Window) -> None:
    fill(ready, "", "--die-in load")
    ready.press("compareButton")
    ready.until(lambda: ready.sees("compareOpen"))
    assert ready.text("compareHeadline").startswith("B failed: ")


def test_a_running_server_is_not_disturbed(ready: Window, model: Path) -> None:
    ready.launch_until_ready(model)
    ready.go("compare")
    assert not ready.find(QPushButton, "compareButton").isEnabled()
    texts = [label.text() for label in ready.main.findChildren(QLabel) if label.isVisible()]
    assert "Stop the running server first." in texts
