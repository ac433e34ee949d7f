"""Long work as the window tells it: the step, how much, how fast, how long, and its end."""

from __future__ import annotations

from PySide6.QtWidgets import QPlainTextEdit, QProgressBar

from core.events import JobDone, LogLines, Progress
from tests.gui.conftest import Window, Windows

JOB = "engine:cpu-0.32.0"


def post(window: Window, *events: Progress | JobDone | LogLines) -> None:
    assert window.app.bridge is not None
    for event in events:
        window.app.bridge.post(event)


def test_an_install_shows_step_bytes_rate_and_time_left(window: Window) -> None:
    window.go("engines")
    gib = 1024**3
    post(window, Progress(JOB, "torch", 4, 7, done_bytes=gib // 2, total_bytes=gib, rate=12.5e6, eta_s=42.0))
    window.until(lambda: window.sees("engineProgress"))
    assert window.text("engineProgressFigures") == "0.5 GiB of 1.0 GiB · 12.5 MB/s · about 0:42 left"
    assert window.text("statusJob") == "Getting PyTorch"
    bar = next(bar for bar in window.main.findChildren(QProgressBar) if bar.isVisible())
    assert bar.value() == bar.maximum() // 2
    post(window, JobDone(JOB))
    window.until(lambda: not window.sees("engineProgress"))
    assert window.text("statusJob") == ""


def test_a_size_that_is_unknown_is_not_invented(window: Window) -> None:
    window.go("engines")
    post(window, Progress(JOB, "verify", 7, 7))
    window.until(lambda: window.sees("engineProgress"))
    assert window.text("engineProgressFigures") == ""
    bar = next(bar for bar in window.main.findChildren(QProgressBar) if bar.isVisible())
    assert bar.maximum() == 0
    post(window, JobDone(JOB))
    window.until(lambda: not window.sees("engineProgress"))


def test_the_log_is_bounded_and_counts_what_it_left_out(windows: Windows) -> None:
    window = windows.start()
    window.go("launch")
    log = window.find(QPlainTextEdit, "logView")
    post(window, LogLines("one", ("first", "second")))
    window.until(lambda: log.toPlainText() == "first\nsecond")
    post(window, LogLines("one", tuple(f"line {n}" for n in range(2000)), dropped=7))
    window.until(lambda: window.text("logLeftOut") == "7 lines left out")
    for _ in range(3):
        post(window, LogLines("one", tuple(f"line {n}" for n in range(1500))))
        post(window, JobDone("a barrier, so that they are not joined"))
    window.until(lambda: log.toPlainText().endswith("line 1499") and log.blockCount() == 5000)
    assert window.text("logLeftOut") == "1,509 lines left out"
    post(window, LogLines("two", ("another launch",)))
    window.until(lambda: log.toPlainText() == "another launch")
    assert window.text("logLeftOut") == ""


def test_the_log_does_not_pull_a_reader_back_to_the_end(window: Window) -> None:
    window.go("launch")
    log = window.find(QPlainTextEdit, "logView")
    post(window, LogLines("one", tuple(f"line {n}" for n in range(400))))
    window.until(lambda: log.blockCount() == 400)
    bar = log.verticalScrollBar()
    assert bar.value() == bar.maximum()
    bar.setValue(10)
    post(window, LogLines("one", ("more",)))
    window.until(lambda: log.blockCount() == 401)
    assert bar.value() == 10
    bar.setValue(bar.maximum())
    post(window, LogLines("one", ("and more",)))
    window.until(lambda: log.blockCount() == 402)
    assert bar.value() == bar.maximum()
