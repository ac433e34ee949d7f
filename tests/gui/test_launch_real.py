"""Failures of the real engine, put right by the buttons of the window; and an option that it accepts and ignores."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QTextBrowser
from pytestqt.qtbot import QtBot

from core.engine.options import LaunchOptions
from core.engine.process_tree import read_process
from core.paths import Paths
from core.planning.choices import Choices
from gui.pages.launch.page import LaunchPage
from tests.gui.conftest import Window, Windows
from tests.gui.real_hands import ask, launch, until_fix, until_ready
from tests.support import survivors

pytestmark = [pytest.mark.timeout(290), pytest.mark.patient]


@pytest.fixture
def ready_to_launch(user_with_engine: Paths, qapp: QApplication, qtbot: QtBot) -> Iterator[Window]:
    windows = Windows(user_with_engine, qapp, qtbot)
    window = windows.start()
    window.go("launch")
    page = window.find(LaunchPage, "")
    window.until(lambda: page.options.engine is not None)
    page.options.choose_model("starter")
    yield window
    windows.end_all()


def kill_engine_core(tmp_path: Path) -> None:
    seen = [(pid, read_process(pid)) for pid, _started in survivors.orphans_of(tmp_path)]
    (core,) = [pid for pid, process in seen if process is not None and process.name == "VLLM::EngineCor"]
    os.kill(core, signal.SIGKILL)


def test_too_little_room_options_that_a_cpu_does_not_have_and_an_engine_that_dies(
    ready_to_launch: Window, tmp_path: Path
) -> None:
    window = ready_to_launch
    page = window.find(LaunchPage, "")
    few = ("--num-gpu-blocks-override", "10")
    tight = LaunchOptions(extra=(*few, "--kv-offloading-size", "1", "--kv-offloading-backend", "native"))
    launch(window, Choices(context=8192, offload_gib=0.1, more=tight))
    assert "8,192 tokens" in until_fix(window, "context").text()
    window.press("fix-context")
    # There is room now; and a prompt cache in RAM ends a CPU engine.
    until_fix(window, "no_kv_offload")
    window.press("fix-no_kv_offload")
    until_ready(window)
    assert page.options.choice().choices.more.extra == few
    estimate = page.options.choice().choices.context
    assert estimate is not None
    assert 0 < estimate < 8192

    window.until(lambda: window.sees("noEffectNote"))
    assert window.text("noEffectTitle") == "Weights in RAM (0.1 GiB): had no effect"
    assert "everything is in RAM already" in window.text("noEffectWhy")
    window.until(lambda: window.sees("chip-context"))

    window.press("openChatButton")
    ask(window, "Write a very long story about a lighthouse.")
    window.until(lambda: any(b.toPlainText() for b in window.main.findChildren(QTextBrowser, "answerText")))
    kill_engine_core(tmp_path)
    window.go("launch")
    until_fix(window, "retry")
    assert window.text("statusServer") == "Failed"
    window.press("fix-retry")
    until_ready(window)
