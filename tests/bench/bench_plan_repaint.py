"""From an edit of an option to the repainted page, wall time on the GUI thread: every edit within one frame of 60 Hz.

A plan of Qwen3-8B for a 12 GiB card at 1024 x 640 and 1440 x 900; each edit is a movement of the context, the offload or
the slider for requests. `repaint` renders the whole page at once instead of waiting for the next paint event, so the
figure holds the plan, the words, the layout and all of the painting. Writes `artefacts/bench/plan_repaint.json`.
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

from tests.gui.conftest import Window, Windows
from tests.gui.test_launch_plan import CUDA, Page
from tests.support import machines
from tests.support.published import make_published

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
pytest_plugins = ("tests.gui.conftest",)
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


def once(page: QWidget, strip: QWidget, widget: QWidget, value: float) -> float:
    """Milliseconds of one edit with everything that it makes necessary."""
    picture, below = QPixmap(page.size()), QPixmap(strip.size())
    began = time.perf_counter()
    widget.setValue(value if isinstance(widget, QDoubleSpinBox) else round(value))  # type: ignore[attr-defined]
    QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    page.render(picture, QPoint())
    strip.render(below, QPoint())
    return (time.perf_counter() - began) * 1000


@pytest.mark.bench
def test_an_edit_is_on_the_screen_within_a_frame(windows: Windows, tmp_path: Path) -> None:
    window = windows.start()
    page = Page(window, machines.idle_desktop(), CUDA, make_published(tmp_path / "Qwen3-8B", "Qwen__Qwen3-8B"))
    launch, strip = window.main.page("launch"), window.find(QWidget, "budgetPanel")
    results: dict[str, dict[str, float]] = {}
    for size in SIZES:
        window.main.resize(*size)
        window.until(lambda size=size: window.main.size().toTuple() == size)
        for name, steps in edits(window).items():
            times = sorted(once(launch, strip, *step) for step in steps)
            results[f"{name} {size[0]}x{size[1]}"] = {
                "median_ms": round(statistics.median(times), 2),
                "p95_ms": round(times[int(len(times) * 0.95)], 2),
                "max_ms": round(times[-1], 2),
            }
    assert page.sign is not None
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps({"allowed_ms": ALLOWED_MS, "edits": results}, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(results, indent=1))
    assert max(row["median_ms"] for row in results.values()) <= ALLOWED_MS, results
