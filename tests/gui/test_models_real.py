"""The whole way in one window: search, Get and launch, and the first answer, by the real engine with a model that came
from a Hub on loopback. Pictures of every stop lie in artefacts/hub-job."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QProgressBar, QPushButton, QTextBrowser
from pytestqt.qtbot import QtBot

from core.paths import Paths
from tests.fakes.fake_hub import FakeHub
from tests.fakes.hub_content import folder_files
from tests.gui.conftest import Windows
from tests.gui.hub_window import HubWindow, hub_window
from tests.support import survivors
from tests.support.hub import sent_bytes
from tests.support.hub_cache import snapshot_download

PICTURES = Path(__file__).parents[2] / "artefacts" / "hub-job"
REPO = "org/SmolLM2-135M-Instruct"
START_MS = 180_000
ANSWER_MS = 60_000

pytestmark = [pytest.mark.timeout(300), pytest.mark.patient]


def picture(at: HubWindow, name: str) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    at.window.bot.wait(1)
    assert at.window.main.grab().save(str(PICTURES / f"{name}.png"))


def test_from_search_to_the_first_answer(
    user_with_engine: Paths, starter_path: Path, tmp_path: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    windows = Windows(user_with_engine, qapp, qtbot)

    def fill(hub: FakeHub) -> None:
        hub.add(REPO, {**folder_files(starter_path), "README.md": "# SmolLM2\n\nSmall and quick.", "extra.bin": b"x"})
        hub.rate = 60e6

    with hub_window(windows, fill, context_tokens=1024) as at:
        at.window.main.resize(1180, 760)
        at.type("smollm2")
        at.until(lambda: at.names == [REPO])
        at.until(lambda: at.rows[0].badge is not None)
        picture(at, "1-found")
        at.choose(REPO)
        picture(at, "2-details")
        at.window.press("getLaunchButton")
        at.until(lambda: at.window.find(QProgressBar, "getBar").value() > 200)
        picture(at, "3-getting")
        at.until(lambda: at.window.main.shown_page == "launch", ANSWER_MS)
        picture(at, "4-starting")
        at.until(lambda: at.window.main.shown_page == "chat", START_MS)
        box = at.window.find(QPlainTextEdit, "chatInput")
        at.window.bot.keyClicks(box, "What is the capital of France? Answer in one sentence.")
        at.window.bot.keyClick(box, Qt.Key.Key_Return)
        at.until(lambda: bool(at.window.main.findChildren(QTextBrowser, "answerText")))
        at.until(lambda: at.window.find(QPushButton, "sendButton").isVisible(), ANSWER_MS)
        assert "Paris" in at.window.main.findChildren(QTextBrowser, "answerText")[-1].toPlainText()
        picture(at, "5-answered")

        weights = starter_path / "model.safetensors"
        assert sent_bytes(at.hub, "model.safetensors") < weights.stat().st_size + 2_000_000, "fetched once"
        assert sent_bytes(at.hub, "extra.bin") == 0, "only what vLLM needs"
        found = snapshot_download(REPO, cache=Path(os.environ["HF_HOME"]) / "hub")
        assert (found / "model.safetensors").stat().st_size == weights.stat().st_size
    assert survivors.orphans_of(tmp_path) == set()
