"""From "Get" to "Launch" in the window: real downloads from a Hub on loopback."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QLineEdit, QProgressBar, QPushButton, QTextBrowser

from tests.fakes.fake_hub import FakeHub
from tests.gui.conftest import Windows
from tests.gui.hub_window import TINY, HubWindow, add_tiny, hub_window
from tests.support.fake_engine import FakeEngine
from tests.support.hub import sent_bytes

MIB = 1 << 20
GATED = "org/Gated-1B"


def cached(name: str) -> list[Path]:
    return [path for path in (Path(os.environ["HF_HOME"]) / "hub").rglob("*") if path.is_file() and name in path.name]


def slow(folder: Path, *, rate: float = 2 * MIB):
    """One model of 8 MiB from a slow Hub."""

    def fill(hub: FakeHub) -> None:
        add_tiny(hub, folder, weight_bytes=8 * MIB)
        hub.rate = rate

    return fill


def start(at: HubWindow, button: str = "getButton") -> None:
    at.open_hub()
    at.choose(TINY)
    at.window.press(button)
    at.until(lambda: at.window.sees("pauseButton"))


def test_get_turns_into_progress_and_then_into_launch(windows: Windows, tmp_path: Path) -> None:
    with hub_window(windows, slow(tmp_path)) as at:
        at.open_hub()
        at.choose(TINY)
        assert "8 MiB to download" in at.window.text("getNote")
        with at.window.bot.waitActive(at.window.main):
            at.window.main.activateWindow()
        at.window.find(QPushButton, "getButton").setFocus()
        at.window.press("getButton")
        at.until(lambda: at.window.sees("pauseButton"))
        assert not at.window.sees("getLaunchButton"), "the button is in the progress now"
        at.until(lambda: "of 8 MiB" in at.window.text("getFigures"))
        assert at.window.sees("statusDownloads")
        at.until(lambda: at.window.sees("launchHubButton"))
        assert QApplication.focusWidget() is at.window.find(QPushButton, "launchHubButton"), "keys go on working"
        assert not at.window.sees("statusDownloads")
        assert [path.stat().st_size > 8 * MIB for path in cached("model.safetensors")] == [True]
        at.until(lambda: at.view.chosen is not None and at.view.chosen.cached == "whole")
        at.window.go("launch")
        at.until(lambda: at.window.find(QComboBox, "modelBox").findData(TINY) >= 0)


def test_pause_keeps_and_resume_fetches_only_the_rest(windows: Windows, tmp_path: Path) -> None:
    with hub_window(windows, slow(tmp_path)) as at:
        start(at)
        at.until(lambda: at.window.find(QProgressBar, "getBar").value() > 250)
        at.window.press("pauseButton")
        at.until(lambda: at.window.sees("resumeButton"))
        assert at.window.text("getState") == "Paused"
        at.hub.rate = 0.0
        at.window.press("resumeButton")
        at.until(lambda: at.window.sees("launchHubButton"))
        assert sent_bytes(at.hub, "model.safetensors") < 9 * MIB, "what was there is not fetched again"


def test_cancel_removes_what_was_fetched(windows: Windows, tmp_path: Path) -> None:
    with hub_window(windows, slow(tmp_path, rate=MIB)) as at:
        start(at)
        at.until(lambda: cached("incomplete") != [])
        at.window.press("cancelGetButton")
        at.until(lambda: at.window.sees("getButton"))
        at.until(lambda: cached("incomplete") == [] and cached("model.safetensors") == [])


def test_the_drawer_has_every_download_and_its_verbs(windows: Windows, tmp_path: Path) -> None:
    def fill(hub: FakeHub) -> None:
        slow(tmp_path, rate=MIB)(hub)
        add_tiny(hub, tmp_path, "org/Other", weight_bytes=8 * MIB)

    with hub_window(windows, fill) as at:
        start(at)
        at.choose("org/Other")
        at.window.press("getButton")
        at.until(lambda: "2" in at.window.find(QPushButton, "downloadsButton").text())
        at.window.go("chat")
        at.window.press("statusDownloads")
        at.until(lambda: at.window.sees("downloadsDrawer"))
        assert at.window.main.shown_page == "models"
        at.window.press(f"pause-download-{TINY}")
        at.until(lambda: at.window.sees(f"resume-download-{TINY}"))
        at.window.press("cancel-download-org/Other")
        at.until(lambda: not at.window.sees("download-org/Other"))
        at.window.bot.keyClick(at.window.find(QComboBox, "speedLimit"), Qt.Key.Key_Escape)
        assert not at.window.sees("downloadsDrawer")


def test_get_and_launch_is_one_click_to_a_chat(windows: Windows, tmp_path: Path, engine: FakeEngine) -> None:
    engine.behave()
    with hub_window(windows, lambda hub: add_tiny(hub, tmp_path)) as at:
        at.window.add_engine(engine)
        at.open_hub()
        at.choose(TINY)
        at.window.press("getLaunchButton")
        at.until(lambda: at.window.main.shown_page == "chat")
        assert at.window.text("statusServer") == "Ready"
        assert "Tiny-1B" in at.window.text("statusModel")


def test_a_gated_model_says_how_to_get_in(windows: Windows, tmp_path: Path) -> None:
    def fill(hub: FakeHub) -> None:
        add_tiny(hub, tmp_path, GATED, gated="manual", token="hf_valid")

    with hub_window(windows, fill) as at:
        at.open_hub()
        at.choose(GATED)
        at.window.press("getButton")
        at.until(lambda: at.window.sees("gateCard"))
        assert "sign-in" in at.window.text("gateTitle")
        assert at.window.sees("gateToken")
        at.window.find(QLineEdit, "gateToken").setText("hf_wrong")
        at.window.press("gateTokenSave")
        at.until(lambda: at.window.sees("gateTokenProblem"))
        at.window.find(QLineEdit, "gateToken").setText("  hf_valid\n")
        at.window.press("gateTokenSave")
        at.until(lambda: not at.window.sees("gateCard"))
        at.window.press("getButton" if at.window.sees("getButton") else "resumeButton")
        at.until(lambda: at.window.sees("launchHubButton"))


def test_a_licence_that_is_not_accepted_is_told_from_no_token(windows: Windows, tmp_path: Path) -> None:
    def fill(hub: FakeHub) -> None:
        add_tiny(hub, tmp_path, GATED, gated="manual", token="hf_of_somebody_else")
        token = Path(os.environ["HF_HOME"]) / "token"
        token.parent.mkdir(parents=True, exist_ok=True)
        token.write_text("hf_valid\n", encoding="ascii")

    with hub_window(windows, fill) as at:
        at.open_hub()
        at.choose(GATED)
        at.window.press("getButton")
        at.until(lambda: at.window.sees("gateCard"))
        assert at.window.sees("gateOpen")
        assert not at.window.sees("gateToken"), "the token is fine"
        at.hub.repos[GATED].token = "hf_valid"  # the author let the user in
        at.window.press("gateAgain")
        at.until(lambda: not at.window.sees("gateCard"))


def test_the_details_say_what_is_fetched_and_never_load_pictures(windows: Windows, tmp_path: Path) -> None:
    def fill(hub: FakeHub) -> None:
        add_tiny(hub, tmp_path)
        hub.commit(TINY, {"pytorch_model.bin": b"x" * 5_000_000, "logo.png": b"png"})

    with hub_window(windows, fill) as at:
        at.open_hub()
        at.choose(TINY)
        card = at.window.find(QTextBrowser, "modelCard").toPlainText()
        assert f"About {TINY}" in card
        assert "[picture: logo]" in card
        assert "<b>" not in card
        assert "license: mit" not in card
        assert "5 MiB are not needed by vLLM" in at.window.text("fileSizes")
        assert not any("logo.png" in request.path for request in at.hub.log.all())


def test_own_code_needs_a_yes_that_names_repository_and_revision(windows: Windows, tmp_path: Path) -> None:
    config = (
        '{"architectures": ["TinyForCausalLM"], "model_type": "tiny", "max_position_embeddings": 2048,'
        ' "auto_map": {"AutoModelForCausalLM": "modeling_tiny.TinyForCausalLM", "AutoConfig": "modeling_tiny.Config"}}'
    )

    def fill(hub: FakeHub) -> None:
        add_tiny(hub, tmp_path)
        hub.commit(TINY, {"config.json": config, "modeling_tiny.py": "print('never')"})

    with hub_window(windows, fill) as at:
        at.open_hub()
        at.choose(TINY)
        assert at.window.sees("consentCard")
        sentence = at.window.text("consentSentence")
        assert TINY in sentence
        assert at.hub.repos[TINY].branches["main"][:12] in sentence
        assert not at.can_press("getLaunchButton")
        assert at.can_press("getButton")
        at.window.find(QCheckBox, "consentBox").click()
        assert at.can_press("getLaunchButton")
