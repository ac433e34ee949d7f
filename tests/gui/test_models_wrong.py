"""Wrong things on the Models page: each is answered with what it is, and nothing stays that is not so."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from core.hub.model import Fit
from gui.pages.models.fit_sign import SIZE, paint_fit
from tests.fakes.fake_hub import FakeHub
from tests.fakes.hub_faults import Fault
from tests.gui.conftest import Windows
from tests.gui.hub_window import TINY, HubWindow, add_tiny, hub_window

OTHER, GGUF, SECRET = "org/Other-1B", "org/Packed-7B-GGUF", "org/Private-1B"


def paste(at: HubWindow, text: str, answer: str) -> None:
    """Until `answer` is the title that stands in the place of the list."""
    at.paste(text)
    at.until(lambda: at.window.sees("hubInstead") and answer in at.window.text("hubInsteadTitle"))


def instead(at: HubWindow) -> str:
    return " ".join(label.text() for label in at.window.find(QWidget, "hubInstead").findChildren(QLabel))


def test_what_is_no_model_of_the_hub_says_so(windows: Windows, tmp_path: Path) -> None:
    def fill(hub: FakeHub) -> None:
        add_tiny(hub, tmp_path)
        add_tiny(hub, tmp_path, SECRET, private=True, token="hf_somebody")

    with hub_window(windows, fill) as at:
        at.window.go("models")
        paste(at, "https://github.com/vllm-project/vllm", "This names no model")
        assert "https://github.com/vllm-project/vllm" in instead(at)
        paste(at, SECRET, f"There is no model {SECRET}")
        assert "private" in instead(at)
        paste(at, "ы" * 3000, "Nothing found")
        assert len(at.window.text("hubInsteadTitle")) < 80
        at.enter(f"{TINY}@nope")
        at.until(lambda: at.window.sees("detailsFailure"))
        assert not at.window.sees("detailsFit"), "nobody looks whether it fits any more"
        assert [row.badge.fit for row in at.rows if row.badge is not None] == [Fit.UNKNOWN]
        assert not at.can_press("getButton", "getLaunchButton")
        at.enter(TINY)
        at.until(lambda: at.shows(TINY) and at.window.sees("detailsFit"))


def test_what_vllm_cannot_load_is_told_before_it_is_got(windows: Windows, tmp_path: Path) -> None:
    def fill(hub: FakeHub) -> None:
        add_tiny(hub, tmp_path)
        hub.add(GGUF, {"README.md": "# packed", "model.Q4_K_M.gguf": b"GGUF" * 100})

    with hub_window(windows, fill) as at:
        at.window.go("models")
        at.enter(GGUF)
        at.until(lambda: "only as GGUF" in at.window.text("detailsWarnings"))
        assert not at.can_press("getButton", "getLaunchButton")
        assert not at.window.sees("fileSizes")


def test_what_went_wrong_with_one_model_is_not_said_beside_another(windows: Windows, tmp_path: Path) -> None:
    def fill(hub: FakeHub) -> None:
        add_tiny(hub, tmp_path)
        add_tiny(hub, tmp_path, OTHER)
        hub.faults.set(f"/api/models/{TINY}/tree/{hub.repos[TINY].branches['main']}", Fault(status=500))

    with hub_window(windows, fill) as at:
        at.open_hub()
        at.choose(TINY)
        at.window.press("getButton")
        at.until(lambda: at.window.sees("errorBanner"))
        at.choose(OTHER)
        assert not at.window.sees("errorBanner")
        assert at.window.find(QPushButton, "getButton").isEnabled()


def test_a_fit_that_is_not_known_is_an_empty_ring_wherever_it_is_painted() -> None:
    """Also on the chosen row, whose ground was painted with a brush."""
    ground, ink = QColor("white"), QColor("blue")
    for fit in (None, Fit.UNKNOWN):
        image = QImage(SIZE, SIZE, QImage.Format.Format_RGB32)
        image.fill(ground)
        painter = QPainter(image)
        painter.setBrush(ink)
        paint_fit(painter, QRectF(0, 0, SIZE, SIZE), fit, ink)
        painter.end()
        assert image.pixelColor(SIZE // 2, SIZE // 2) == ground
        assert any(image.pixelColor(x, SIZE // 2) != ground for x in range(SIZE))
