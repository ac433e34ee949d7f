"""The Engines page: leftovers, builds to choose from, an update from the question to the way back, a build's facts."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest
from PySide6.QtWidgets import QComboBox, QFrame, QLabel, QLineEdit, QTableView, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from core.engine import manifest, starter_manifest
from core.engine.capabilities.difference import difference
from core.engine.capabilities.model import Capabilities
from core.engine.manifest import Manifest
from core.engine.recipes import CUDA
from core.events import EngineInfo, EngineState
from core.paths import Paths
from gui.pages.engines.build_dialog import BuildDialog
from gui.pages.engines.build_lines import flowing
from gui.widgets.banner import Banner
from gui.words import Speech
from tests.gui.conftest import Window, Windows, write_settings
from tests.support.fake_engine import FakeEngine, make_checkpoint

W = TypeVar("W", bound=QWidget)
BUILDS = Path(__file__).parents[1] / "data" / "capabilities"
OLD, NEW = "cpu-0.31.0", "cpu-0.32.0"
PIP = "print('Available versions: 0.32.0, 0.31.0')\n"


def build(name: str) -> Capabilities:
    return msgspec.json.decode((BUILDS / f"{name}.json").read_bytes(), type=Capabilities)


@pytest.fixture
def two_engines(home: Paths, tmp_path: Path) -> FakeEngine:
    """A user with two engines of ours, the older the default, whose pip knows of both, and with a starter."""
    engine = FakeEngine(tmp_path / "env")
    pip = next(engine.folder.glob("lib/python3*/site-packages")) / "pip"
    pip.mkdir()
    (pip / "__init__.py").touch()
    (pip / "__main__.py").write_text(PIP)
    for engine_id, version in ((OLD, "0.31.0"), (NEW, "0.32.0")):
        record = Manifest(
            id=engine_id, version=version, platform="cpu", python=str(engine.folder / "bin" / "python"),
            python_version="3.11.7", kind="cpu", recipe=engine_id, checked_at=time.time(), installed_at=time.time(),
            size_bytes=3_500_000_000,
        )  # fmt: skip
        manifest.write(home.engines / engine_id / manifest.FILE_NAME, record)
    starter = make_checkpoint(home.models / "SmolLM2-135M-Instruct")
    starter_manifest.write(starter, "a test", "0")
    answer = tmp_path / "answer"
    answer.write_text("The capital of France is Paris, a city of many bridges.")
    engine.behave(FAKE_ANSWER_FILE=str(answer), FAKE_TOKENS_PER_S="100")
    write_settings(home, engine=OLD)
    return engine


def card_of(window: Window, engine_id: str) -> QFrame:
    return window.find(QFrame, f"engine-{engine_id}")


def chips(window: Window, engine_id: str) -> list[str]:
    labels = card_of(window, engine_id).findChildren(QLabel)
    return [label.text() for label in labels if label.property("tone") == "chip"]


def test_an_update_is_asked_tried_and_can_be_taken_back(two_engines: FakeEngine, windows: Windows) -> None:
    window = windows.start()
    window.go("engines")
    window.until(lambda: window.sees(f"update-{OLD}"))
    assert "default" in chips(window, OLD)
    assert not window.sees("rollBackButton")

    window.press(f"update-{OLD}")
    window.until(lambda: window.sees("updateEngineDialog"))
    window.press("updateEngineDialog-not")
    window.until(lambda: not window.sees("updateEngineDialog"))
    assert "default" in chips(window, OLD), "nothing happens without a yes"

    window.press(f"update-{OLD}")
    window.press("updateEngineDialog-update")
    window.until(lambda: "default" in chips(window, NEW))
    assert any("The trial went well" in label.text() for label in card_of(window, NEW).findChildren(QLabel))

    window.press("rollBackButton")
    window.until(lambda: "default" in chips(window, OLD))
    window.press(f"update-{NEW}")
    window.until(lambda: window.sees("errorBanner"))
    assert "newest" in window.find(Banner, "errorBanner").text()


def test_a_failed_trial_is_told_in_words_and_marked(two_engines: FakeEngine, windows: Windows) -> None:
    two_engines.behave("--die-in", "load")
    window = windows.start()
    window.go("engines")
    window.press(f"update-{OLD}")
    window.press("updateEngineDialog-update")
    window.until(lambda: window.sees("errorBanner"))
    told = window.find(Banner, "errorBanner").text()
    assert "did not pass its trial" in told
    assert "starting the starter model" in told, "the step in words"
    window.until(lambda: "failed its trial" in chips(window, NEW))
    assert "default" in chips(window, OLD)


def test_what_is_left_of_an_installation_is_offered_and_deleted(home: Paths, windows: Windows) -> None:
    folder = home.engines / "cpu-0.32.0"
    folder.mkdir(parents=True)
    (folder / "pyvenv.cfg").write_text("x")
    (folder / "half").write_bytes(bytes(300_000_000))
    window = windows.start()
    window.until(lambda: window.sees("errorBanner"))
    assert "was not finished" in window.find(Banner, "errorBanner").text()
    window.go("engines")
    window.until(lambda: window.sees("half-cpu-0.32.0"))
    card = window.find(QFrame, "half-cpu-0.32.0")
    assert any("0.3 GiB" in label.text() for label in card.findChildren(QLabel))
    window.press("clean-cpu-0.32.0")
    window.until(lambda: not window.sees("half-cpu-0.32.0"))
    assert not folder.exists()


def test_what_cannot_run_here_says_why_and_cannot_be_pressed(window: Window) -> None:
    window.go("engines")
    window.find(QToolButton, "otherBuilds").setChecked(True)
    window.until(lambda: window.sees(f"choice-{CUDA.id}"))
    texts = [label.text() for label in window.find(QFrame, f"choice-{CUDA.id}").findChildren(QLabel)]
    assert any("needs an NVIDIA graphics card" in text for text in texts)
    assert any("driver 580" in text for text in texts)
    assert not window.sees(f"install-{CUDA.id}")

    window.find(QLineEdit, "recipeName").setText("cuda+gguf")
    window.press("installNamedButton")
    window.until(lambda: window.sees("errorBanner"))
    assert "NVIDIA" in window.find(Banner, "errorBanner").text()


@pytest.fixture
def dialog(qtbot: QtBot) -> Iterator[BuildDialog]:
    engine = EngineInfo("cpu-0.32.0", EngineState.READY, "0.32.0", "cpu", "/python", "3.12", ours=True)
    other = EngineInfo("cpu-0.28.0", EngineState.READY, "0.28.0", "cpu", "/python", "3.12", ours=True)
    parent = QFrame()
    parent.resize(1200, 800)
    qtbot.addWidget(parent)
    made = BuildDialog(parent, engine, (other,), Speech("en"))
    made.show()
    yield made
    made.accept()


def part(dialog: BuildDialog, kind: type[W], name: str) -> W:
    found = dialog.findChild(kind, name)
    assert isinstance(found, kind)
    return found


def rows(dialog: BuildDialog, column: int) -> list[str]:
    model = part(dialog, QTableView, "buildTable").model()
    return [str(model.index(row, column).data()) for row in range(model.rowCount())]


def test_a_builds_facts_are_searched_and_read_with_their_source(dialog: BuildDialog) -> None:
    found = build("0.32.0-cpu")
    dialog.show_build(found)
    assert len(rows(dialog, 1)) == len(list(found.rows()))
    search, kinds = part(dialog, QLineEdit, "buildSearch"), part(dialog, QComboBox, "buildKinds")
    search.setText("kv offloading")
    assert set(rows(dialog, 1)) >= {"--kv-offloading-size", "--kv-offloading-backend"}
    assert all("kv" in name and "offload" in name for name in rows(dialog, 1))
    search.setText("")
    kinds.setCurrentIndex(kinds.findData("quantization"))
    assert set(rows(dialog, 1)) == {method.name for method in found.quantizations}
    kinds.setCurrentIndex(kinds.findData("noop"))
    assert len(rows(dialog, 1)) == len(found.noops) > 0

    kinds.setCurrentIndex(0)
    search.setText("--max-model-len")
    part(dialog, QTableView, "buildTable").selectRow(0)
    option = found.option("--max-model-len")
    assert option is not None
    texts = [label.text() for label in dialog.findChildren(QLabel) if label.isVisible()]
    assert str(option.place) in texts
    assert any(option.type in text for text in texts)
    search.setText("no such thing")
    assert "No line holds this." in [label.text() for label in dialog.findChildren(QLabel) if label.isVisible()]


def test_what_changed_between_two_builds(dialog: BuildDialog) -> None:
    dialog.show_build(build("0.32.0-cpu"))
    wanted: list[str] = []
    dialog.compare_wanted.connect(wanted.append)
    other = part(dialog, QComboBox, "buildOther")
    other.setCurrentIndex(1)
    assert wanted == ["cpu-0.28.0"]
    found = difference(build("0.16.0"), build("0.21.0"))
    dialog.show_changes(found)
    named = dict(zip(rows(dialog, 1), rows(dialog, 0), strict=True))
    assert named["--swap-space"] == "gone"
    assert named["--cpu-offload-params"] == "new"
    other.setCurrentIndex(0)
    assert "--max-model-len" in rows(dialog, 1), "without a comparison the build itself is back"


def test_help_flows_and_lists_stay_lists() -> None:
    assert (
        flowing("One line\nand more.\n\nA list:\n- first\n- second\nof two")
        == "One line and more.\n\nA list:\n- first\n- second of two"
    )
