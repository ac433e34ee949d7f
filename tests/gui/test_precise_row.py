"""Precise mode on the Launch page: real children of an engine that has no planner; the real one is in the main job."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QComboBox, QSpinBox

from tests.gui.conftest import Window
from tests.support.fake_engine import FakeEngine


@pytest.fixture
def planned(window: Window, engine: FakeEngine, model: Path) -> Window:
    """The Launch page with a plan of the small model on the fake engine."""
    window.add_engine(engine)
    window.add_model(model)
    window.go("launch")
    models = window.find(QComboBox, "modelBox")
    models.setCurrentIndex(models.findData(str(model)))
    window.until(lambda: window.sees("preciseButton"))
    return window


def test_an_engine_without_a_planner_is_told_in_words_and_the_plan_stands(planned: Window) -> None:
    planned.press("preciseButton")
    assert planned.sees("preciseCancel")
    planned.until(lambda: planned.sees("preciseFigures"))
    assert "vLLM's own planner" in planned.text("preciseState")
    assert "Stowage's own figures stand." in planned.text("preciseFigures")
    assert planned.sees("launchButton")
    assert planned.sees("preciseButton")


def test_an_answer_belongs_to_one_plan_only(planned: Window) -> None:
    planned.press("preciseButton")
    planned.until(lambda: planned.sees("preciseFigures"))
    planned.find(QSpinBox, "requestsBox").setValue(4)
    planned.until(lambda: not planned.sees("preciseFigures"))
    assert planned.text("preciseState") == ""
    assert planned.sees("preciseButton")


def test_it_can_be_stopped(planned: Window) -> None:
    planned.press("preciseButton")
    planned.press("preciseCancel")
    assert planned.sees("preciseButton")
    assert not planned.sees("preciseFigures")
    planned.press("preciseButton")
    planned.until(lambda: planned.sees("preciseFigures"))
