"""From an edit of an option to the repainted page, wall time on the GUI thread: every edit within one frame of 60 Hz.

A plan of Qwen3-8B for a 12 GiB card at 1024 x 640 and 1440 x 900; each edit is a movement of the context, the offload
or the slider for requests. Page and strip are rendered at once instead of waiting for the next paint event, so the
figure holds the plan, the words, the layout and all of the painting. Other work on the machine only adds wall time: the
CPU time of this thread is what must stay within the frame. Writes `artefacts/bench/plan_repaint.json`.
"""

from __future__ import annotations

import json
import os
import statistics
import time
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QApplication, QDoubleSpinBox, QSlider, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from core.paths import Paths
from tests.gui.conftest import Window, Windows
from tests.gui.test_launch_plan import CUDA, Page
from tests.support import machines
from tests.support.published import make_published

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
RESULT = Path(__file__).parents[2] / "artefacts" / "bench" / "plan_repaint.json"
ALLOWED_MS = 16.0
ROUNDS = 60
SIZES = ((1024, 640), (1440, 900))


def edits(window: Window) -> dict[str, list[tuple[QWidget, float]]]:
    """What is moved, and the values it goes through."""
    context, offload = window.find(QSpinBox, "contextBox"), window.find(QDoubleSpinBox, "offloadBox")
    requests = window.find(QSlider, "requestsBoxSlider")
    return {
        "context": [(context, 1024 + 512 * number) for number in range(ROUNDS)],
        "offload": [(offload, 0.25 * (number % 30)) for number in range(ROUNDS)],
        "requests": [(requests, number % 16) for number in range(ROUNDS)],
    }


def once(page: QWidget, strip: QWidget, widget: QWidget, value: float) -> tuple[float, float]:
    """CPU and wall milliseconds of one edit with everything that it makes necessary."""
    picture, below = QPixmap(page.size()), QPixmap(strip.size())
    began, spent = time.perf_counter(), time.thread_time()
    widget.setValue(value if isinstance(widget, QDoubleSpinBox) else round(value))  # type: ignore[attr-defined]
    QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    page.render(picture, QPoint())
    strip.render(below, QPoint())
    return (time.thread_time() - spent) * 1000, (time.perf_counter() - began) * 1000


def summary(times: list[tuple[float, float]]) -> dict[str, float]:
    found: dict[str, float] = {}
    for kind, column in zip(("cpu", "wall"), zip(*times, strict=True), strict=True):
        ordered = sorted(column)
        found[f"{kind}_median_ms"] = round(statistics.median(ordered), 2)
        found[f"{kind}_p95_ms"] = round(ordered[int(len(ordered) * 0.95)], 2)
        found[f"{kind}_max_ms"] = round(ordered[-1], 2)
    return found


@pytest.mark.bench
def test_an_edit_is_on_the_screen_within_a_frame(home: Paths, qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    windows = Windows(home, qapp, qtbot)
    try:
        measure(windows.start(), tmp_path)
    finally:
        windows.end_all()


def measure(window: Window, tmp_path: Path) -> None:
    page = Page(window, machines.idle_desktop(), CUDA, make_published(tmp_path / "Qwen3-8B", "Qwen__Qwen3-8B"))
    launch, strip = window.main.page("launch"), window.find(QWidget, "budgetPanel")
    results: dict[str, dict[str, float]] = {}
    for size in SIZES:
        window.main.resize(*size)
        window.until(lambda size=size: window.main.size().toTuple() == size)
        for name, steps in edits(window).items():
            results[f"{name} {size[0]}x{size[1]}"] = summary([once(launch, strip, *step) for step in steps])
    assert page.sign is not None
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps({"allowed_ms": ALLOWED_MS, "edits": results}, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(results, indent=1))
    assert max(row["cpu_p95_ms"] for row in results.values()) <= ALLOWED_MS, results
