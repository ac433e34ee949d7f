"""From an empty window to an answer and back, the way a person goes."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QTextBrowser,
    QToolButton,
)

from gui.widgets.banner import Banner
from gui.widgets.phase_timeline import PhaseTimeline, StepState
from tests.gui.conftest import Window, Windows
from tests.support.fake_engine import FakeEngine


def ask(window: Window, text: str) -> None:
    box = window.find(QPlainTextEdit, "chatInput")
    box.setPlainText(text)
    window.bot.keyClick(box, Qt.Key.Key_Return)


def answers(window: Window) -> list[str]:
    return [part.toPlainText() for part in window.main.findChildren(QTextBrowser, "answerText")]


def test_first_start_offers_one_guided_step_and_says_the_sizes(window: Window) -> None:
    window.until(lambda: window.sees("guideButton"))
    texts = [label.text() for label in window.find(QFrame, "guideCard").findChildren(QLabel)]
    assert "GiB to download" in " ".join(texts)
    window.go("chat")
    assert window.sees("goLaunchButton")
    assert not window.sees("suggestion0")
    window.press("goLaunchButton")
    assert window.main.shown_page == "launch"


def test_launch_chat_and_stop(window: Window, engine: FakeEngine, model: Path) -> None:
    engine.behave("--step", "0.3", FAKE_TOKENS_PER_S="30")
    window.add_engine(engine)
    window.add_model(model)
    window.launch(model)
    timeline = window.find(PhaseTimeline, "phaseTimeline")
    window.until(lambda: any(step.state is StepState.RUNNING for step in timeline.steps))
    assert window.main.shown_page == "launch"
    assert window.sees("cancelLaunchButton")
    window.until(lambda: window.sees("stopServerButton"))
    assert "Tiny-1B is ready" in window.text("readyTitle")
    assert window.text("statusServer") == "Ready"
    assert "Starting to load model" in window.find(QPlainTextEdit, "logView").toPlainText()
    states = [step.state for step in timeline.steps]
    assert states == [StepState.DONE, StepState.DONE, StepState.SKIPPED, StepState.DONE, StepState.DONE]

    window.press("openChatButton")
    ask(window, "one two three")
    window.until(lambda: window.sees("sendButton") and "echo: one two three" in answers(window))
    stats = window.text("answerStats")
    assert re.fullmatch(r"[\d,.]+ tok/s · first token \d+\.\d\d s · 4 tokens", stats), stats
    ask(window, "again")
    window.until(lambda: "echo: again" in answers(window))
    assert len(answers(window)) == 2
    window.until(lambda: window.sees("sendButton"))
    window.press("newConversationButton")
    window.until(lambda: answers(window) == [])

    window.go("launch")
    window.press("stopServerButton")
    window.until(lambda: window.sees("launchButton"))
    assert window.text("statusServer") == "No server"


def test_an_answer_can_be_stopped_and_keeps_what_came(
    window: Window, engine: FakeEngine, model: Path, tmp_path: Path
) -> None:
    long = tmp_path / "long.md"
    long.write_text("word " * 2000, encoding="utf-8")
    engine.behave(FAKE_ANSWER_FILE=str(long), FAKE_TOKENS_PER_S="50")
    window.add_engine(engine)
    window.add_model(model)
    window.launch_until_ready(model)
    window.go("chat")
    ask(window, "go")
    window.until(lambda: bool(answers(window)) and answers(window)[0].count("word") > 3)
    assert re.search(r"tok/s", window.text("statusSpeed"))
    window.press("stopAnswerButton")
    window.until(lambda: window.sees("sendButton"))
    assert 3 < answers(window)[0].count("word") < 2000
    assert "stopped by you" in window.text("answerStats")
    assert window.text("statusSpeed") == ""


def test_a_launch_can_be_cancelled(window: Window, engine: FakeEngine, model: Path) -> None:
    engine.behave("--hang-in", "load")
    window.add_engine(engine)
    window.add_model(model)
    window.launch(model)
    timeline = window.find(PhaseTimeline, "phaseTimeline")
    window.until(lambda: bool(timeline.steps) and timeline.steps[1].state is StepState.RUNNING)
    window.press("cancelLaunchButton")
    window.until(lambda: window.sees("launchButton"))
    assert not window.sees("errorBanner")


def test_a_failed_launch_says_why_with_the_last_words(window: Window, engine: FakeEngine, model: Path) -> None:
    engine.behave("--die-in", "load")
    window.add_engine(engine)
    window.add_model(model)
    window.launch(model)
    window.until(lambda: window.sees("errorBanner"))
    banner = window.find(Banner, "errorBanner")
    assert "the fake cause" in banner.text()
    assert len(banner.text().splitlines()) == 3
    details = next(box for box in banner.findChildren(QPlainTextEdit))
    assert not details.isVisible()
    window.bot.mouseClick(window.find(QToolButton, "errorBannerDetails"), Qt.MouseButton.LeftButton)
    assert details.isVisible()
    assert "Traceback" in details.toPlainText()
    window.until(lambda: window.sees("launchButton"))
    assert window.text("statusServer") == "Failed"


def test_the_log_can_be_searched_and_copied(window: Window, engine: FakeEngine, model: Path) -> None:
    window.add_engine(engine)
    window.add_model(model)
    window.launch_until_ready(model)
    window.press("readyTab-log")
    window.find(QLineEdit, "logSearch").setText("completed")
    window.until(lambda: window.text("logMatches") == "3 matches")
    window.press("logNext")
    window.until(lambda: window.text("logMatches") == "1 of 3")
    window.press("logPrevious")
    window.until(lambda: window.text("logMatches") == "3 of 3")
    window.press("logCopy")
    assert QGuiApplication.clipboard().text() == "Completed"


def test_a_folder_that_is_no_model_is_refused_in_place(window: Window, tmp_path: Path) -> None:
    window.find(QLineEdit, "folderPath").setText(str(tmp_path))
    window.press("addFolderButton")
    window.until(lambda: window.sees("errorBanner"))
    assert str(tmp_path) in window.find(Banner, "errorBanner").text()
    assert window.find(QLineEdit, "folderPath").text() == str(tmp_path)
    assert not window.sees(f"launch-{tmp_path}")


def test_an_engine_without_vllm_is_refused_in_place(window: Window, tmp_path: Path) -> None:
    window.go("engines")
    window.find(QLineEdit, "enginePath").setText(str(tmp_path / "nowhere"))
    window.press("addEngineButton")
    window.until(lambda: window.sees("errorBanner"))
    assert "nowhere" in window.find(Banner, "errorBanner").text()
    assert window.find(QLineEdit, "enginePath").isEnabled()


def test_removing_an_engine_asks_first(window: Window, engine: FakeEngine) -> None:
    window.add_engine(engine)
    name = next(
        w.objectName() for w in window.main.findChildren(QPushButton) if w.objectName().startswith("remove-own")
    )
    window.press(name)
    window.until(lambda: window.sees("removeEngineDialog"))
    window.press("removeEngineDialog-keep")
    window.until(lambda: not window.sees("removeEngineDialog"))
    assert window.sees(name)
    window.press(name)
    window.press("removeEngineDialog-remove")
    window.until(lambda: not window.sees(name))
    assert engine.folder.is_dir()


def test_choices_of_a_launch_are_kept(windows: Windows, engine: FakeEngine, model: Path) -> None:
    window = windows.start()
    window.add_engine(engine)
    window.add_model(model)
    window.launch_until_ready(model)
    windows.end(window)
    again = windows.start()
    again.go("launch")
    assert again.find(QComboBox, "modelBox").currentText() == "Tiny-1B"
    assert again.text("statusServer") == "No server"
