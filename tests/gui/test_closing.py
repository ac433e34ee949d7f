"""Closing the window with a server running: asked, remembered, kept, found again."""

from __future__ import annotations

import json
from pathlib import Path

from PySide6.QtWidgets import QCheckBox, QLabel
from pytestqt.qtbot import QtBot

from core.paths import Paths
from tests.gui.conftest import DEADLINE_MS, Window, Windows
from tests.support import survivors
from tests.support.fake_engine import FakeEngine


def running(windows: Windows, engine: FakeEngine, model: Path) -> Window:
    window = windows.start()
    window.add_engine(engine)
    window.add_model(model)
    window.launch_until_ready(model)
    return window


def test_closing_without_a_server_asks_nothing(windows: Windows, qtbot: QtBot) -> None:
    window = windows.start()
    with qtbot.waitSignal(window.app.ended, timeout=DEADLINE_MS):
        window.main.close()
    windows.ended_by_itself(window)


def test_closing_asks_and_cancel_goes_on(windows: Windows, engine: FakeEngine, model: Path) -> None:
    window = running(windows, engine, model)
    window.main.close()
    window.until(lambda: window.sees("closeDialog"))
    assert window.main.isVisible()
    window.press("closeDialog-cancel")
    window.until(lambda: not window.sees("closeDialog"))
    assert window.text("statusServer") == "Ready"
    windows.end(window)


def test_stop_can_be_remembered(windows: Windows, home: Paths, engine: FakeEngine, model: Path, qtbot: QtBot) -> None:
    window = running(windows, engine, model)
    window.main.close()
    window.find(QCheckBox, "closeDialogRemember").setChecked(True)
    with qtbot.waitSignal(window.app.ended, timeout=DEADLINE_MS):
        window.press("closeDialog-stop")
    windows.ended_by_itself(window)
    assert json.loads(home.settings_file.read_text("utf-8"))["keep_server_on_close"] == "stop"


def test_a_kept_server_is_found_again_and_said_so(
    windows: Windows, engine: FakeEngine, model: Path, qtbot: QtBot
) -> None:
    window = running(windows, engine, model)
    address = window.text("serverAddress")
    window.main.close()
    with qtbot.waitSignal(window.app.ended, timeout=DEADLINE_MS):
        window.press("closeDialog-keep")
    windows.ended_by_itself(window)

    again = windows.start()
    again.until(lambda: again.text("statusServer") == "Ready")
    again.go("launch")
    assert again.text("serverAddress") == address
    assert any("kept running" in label.text() for label in again.main.findChildren(QLabel) if label.isVisible())
    again.press("stopServerButton")
    again.until(lambda: again.sees("launchButton"))
    again.until(survivors.reap)


def test_closing_during_a_start_cancels_it(windows: Windows, engine: FakeEngine, model: Path, qtbot: QtBot) -> None:
    engine.behave("--hang-in", "load")
    window = windows.start()
    window.add_engine(engine)
    window.add_model(model)
    window.launch(model)
    window.until(lambda: window.text("statusServer").startswith("Starting"))
    window.main.close()
    window.until(lambda: window.sees("closeDialog"))
    assert not window.sees("closeDialog-keep")
    with qtbot.waitSignal(window.app.ended, timeout=DEADLINE_MS):
        window.press("closeDialog-stop")
    windows.ended_by_itself(window)


def test_the_place_of_the_window_is_kept(windows: Windows, qtbot: QtBot) -> None:
    window = windows.start()
    usual = window.main.height()
    window.main.resize(1024, 700)
    windows.end(window)
    again = windows.start()
    assert again.main.height() == 700 != usual
