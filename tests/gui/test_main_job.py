"""The main job through the window, whole: real widgets, real engine, real model, and the server's own figures."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QPlainTextEdit, QTextBrowser
from pytestqt.qtbot import QtBot

from core.engine.endpoint import Endpoint
from core.engine.metrics import GENERATED, TIME_PER_OUTPUT_TOKEN, Metrics, fetch
from core.paths import Paths
from gui.widgets.phase_timeline import PhaseTimeline, StepState
from tests.gui.conftest import Window, Windows
from tests.support import survivors

PICTURES = Path(__file__).parents[2] / "artefacts" / "main-job"
START_MS = 180_000
ANSWER_MS = 60_000

pytestmark = pytest.mark.timeout(300)


def ask(window: Window, text: str) -> str:
    """Type a question, press Enter, wait for the whole answer."""
    known = len(window.main.findChildren(QTextBrowser, "answerText"))
    box = window.find(QPlainTextEdit, "chatInput")
    window.bot.keyClicks(box, text)
    window.bot.keyClick(box, Qt.Key.Key_Return)
    window.until(lambda: len(window.main.findChildren(QTextBrowser, "answerText")) > known)
    window.until(lambda: window.sees("sendButton"), ANSWER_MS)
    return window.main.findChildren(QTextBrowser, "answerText")[-1].toPlainText()


def shown_stats(window: Window) -> tuple[float, int]:
    """Tokens/s and answer tokens, as written under the newest answer."""
    text = window.main.findChildren(QLabel, "answerStats")[-1].text()
    found = re.fullmatch(r"([\d,.]+) tok/s · first token \d+\.\d\d s · ([\d,]+) tokens", text)
    assert found is not None, text
    return float(found[1].replace(",", "")), int(found[2].replace(",", ""))


def own_figures(endpoint: Endpoint) -> Metrics:
    return asyncio.run(fetch(endpoint))


def picture(window: Window, page: str) -> None:
    window.go(page)
    PICTURES.mkdir(parents=True, exist_ok=True)
    window.bot.wait(1)
    assert window.main.grab().save(str(PICTURES / f"{page}.png"))


def test_launch_ask_and_quit(user_with_engine: Paths, tmp_path: Path, qapp: QApplication, qtbot: QtBot) -> None:
    windows = Windows(user_with_engine, qapp, qtbot)
    window = windows.start(context_tokens=1024)
    window.main.resize(1180, 760)
    try:
        window.go("launch")
        window.until(lambda: window.sees("preciseButton"))
        window.press("preciseButton")
        window.until(lambda: window.sees("preciseFigures"), ANSWER_MS)
        figures = window.text("preciseFigures").splitlines()
        assert len(figures) >= 4
        assert [line for line in figures if not line.endswith("· equal")] == []

        window.go("models")
        window.press("launch-starter")
        timeline = window.find(PhaseTimeline, "phaseTimeline")
        running: list[int] = []

        def watch() -> bool:
            now = [n for n, step in enumerate(timeline.steps) if step.state is StepState.RUNNING]
            running.extend(n for n in now if n not in running)
            return window.sees("stopServerButton")

        window.until(watch, START_MS)
        # Seen one after another, from the first: an eager start on a CPU compiles nothing and may pass the KV cache
        # within one frame.
        assert running[:2] == [0, 1]
        assert running == sorted(running)
        assert [s.state for s in timeline.steps if s.state not in (StepState.DONE, StepState.SKIPPED)] == []
        log = window.find(QPlainTextEdit, "logView").toPlainText()
        assert "non-default args" in log
        assert "Application startup complete" in log
        services = window.app.services
        assert services is not None
        endpoint = services.endpoint
        assert endpoint is not None
        assert endpoint.api_key not in log

        window.press("openChatButton")
        before = own_figures(endpoint)
        assert "Paris" in ask(window, "What is the capital of France? Answer in one sentence.")
        after = own_figures(endpoint)
        _rate, tokens = shown_stats(window)
        assert tokens == (after.value(GENERATED) or 0) - (before.value(GENERATED) or 0)

        before = own_figures(endpoint)
        ask(window, "Write a long story about a lighthouse and its keeper, with many details.")
        spent = own_figures(endpoint).histogram(TIME_PER_OUTPUT_TOKEN).since(before.histogram(TIME_PER_OUTPUT_TOKEN))
        rate, tokens = shown_stats(window)
        assert tokens > 50
        assert spent.count == 1
        assert spent.mean is not None
        assert rate == pytest.approx(1 / spent.mean, rel=0.05)

        for page in ("models", "launch", "chat", "compare", "engines", "settings"):
            picture(window, page)
        pids = survivors.orphans_of(tmp_path)
        assert pids
    finally:
        windows.end_all()
    assert survivors.orphans_of(tmp_path) == set()
    assert list(user_with_engine.launches.iterdir()) == []
