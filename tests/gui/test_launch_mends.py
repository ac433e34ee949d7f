"""What the window puts right before and beside a launch: a model that is not here, a port, a name too long to show."""

from __future__ import annotations

import shutil
import socket
from pathlib import Path

from PySide6.QtWidgets import QComboBox, QLabel, QPushButton, QSpinBox

from core.engine.finding import Finding, Verdict
from core.engine.launch_events import ProofChanged
from core.engine.spawn import free_port
from core.hub.model import RepoRef
from gui.widgets.banner import Banner
from tests.gui.conftest import Window, Windows
from tests.gui.hub_window import TINY, add_tiny, hub_window
from tests.gui.launch_hands import EAGER, Hands
from tests.support.fake_engine import FakeEngine


def test_a_model_that_went_away_is_got_online_again_and_launched(
    windows: Windows, engine: FakeEngine, model: Path, tmp_path: Path
) -> None:
    with hub_window(windows, lambda hub: add_tiny(hub, tmp_path), enforce_eager=True) as at:
        hands = Hands(at.window, engine, model)
        key = hands.call(hands.services.hub.get, RepoRef(TINY)).key
        hands.call(hands.services.hub.wait, key)
        path = Path(hands.call(hands.services.model_path, TINY))
        at.window.go("launch")
        at.until(lambda: at.window.find(QComboBox, "modelBox").findData(TINY) >= 0)
        hands.page.options.choose_model(TINY)
        at.until(lambda: hands.page.options.choice().model_id == TINY)
        hands.page.options.take(EAGER)
        hands.bridge.call(hands.services.change_settings, owner=at.window.app, hub_offline=True)
        at.until(lambda: hands.services.settings.current.hub_offline)
        shutil.rmtree(path.parents[1])
        at.window.press("launchButton")
        at.until(lambda: at.window.sees("fix-get_model"))
        assert "not on this computer" in at.window.find(Banner, "errorBanner").text()
        text = at.window.find(QPushButton, "fix-get_model").text()
        assert text == f"Go online, download {TINY} and launch"
        at.window.press("fix-get_model")
        hands.until_ready()
        assert path.is_dir()
        assert not hands.services.settings.current.hub_offline
        hands.stop()


def test_a_port_of_ones_own_is_kept_or_given_up(window: Window, engine: FakeEngine, model: Path) -> None:
    hands = Hands(window, engine, model)
    box, port = window.find(QSpinBox, "portBox"), free_port()
    assert box.text() == "any free one"
    box.setValue(port)
    box.editingFinished.emit()
    window.until(lambda: hands.services.settings.current.server_port == port)
    hands.launch()
    hands.until_ready()
    assert window.text("serverAddress") == f"http://127.0.0.1:{port}/v1"
    hands.stop()
    with socket.create_server(("127.0.0.1", port)):
        hands.launch()
        window.press("remedy-preflight.port_taken")
        hands.until_ready()
        assert hands.services.server_status.port != port
        hands.stop()
    box.setValue(box.minimum())
    box.editingFinished.emit()
    window.until(lambda: hands.services.settings.current.server_port is None)


def test_a_folder_is_called_by_its_name_with_its_path_behind(window: Window, engine: FakeEngine, model: Path) -> None:
    hands = Hands(window, engine, model)
    window.go("launch")
    hands.launch(EAGER)
    hands.until_ready()
    launch_id = hands.services.server_status.launch_id
    path = "/models/of/somebody/Tiny-1B"
    found = Finding("served_name", path, Verdict.TOOK_EFFECT, path)
    hands.bridge.post(ProofChanged(launch_id, (found,), complete=True))
    window.until(lambda: window.sees("chip-served_name") and "✓" in window.find(QPushButton, "chip-served_name").text())
    chip = window.find(QPushButton, "chip-served_name")
    assert chip.text() == "Name of the model ✓ Tiny-1B"
    assert path in chip.toolTip()

    def told() -> list[tuple[str, str]]:
        labels = hands.named("proof-served_name").findChildren(QLabel)
        return [(label.text(), label.toolTip()) for label in labels if "Tiny-1B" in label.text()]

    window.until(lambda: told() == [("Name of the model (Tiny-1B): took effect", path)])
    hands.stop()
