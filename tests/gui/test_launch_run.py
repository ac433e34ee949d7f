"""A launch after the click, with a server that plays vLLM: what it waits for, what stopped it, what came of it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QTableWidget,
)

from core.engine.launch_events import ProofChanged, VitalsChanged
from core.engine.options import LaunchOptions
from core.errors import AppError
from core.events import ErrorInfo
from core.paths import Paths
from core.preflight.finding import Finding, Remedy, Severity
from gui.pages.launch.run.run_words import RunWords
from gui.widgets.banner import Banner
from gui.widgets.one_line import OneLine
from gui.window import SMALLEST
from gui.words import Speech
from tests.gui.conftest import Window, Windows
from tests.gui.launch_hands import EAGER, Hands
from tests.gui.test_access import cut_off, nameless
from tests.support.fake_engine import FakeEngine
from tests.support.launching import CONFIG

CACHED = replace(EAGER, more=LaunchOptions(prefix_caching=True))


@pytest.fixture
def hands(window: Window, engine: FakeEngine, model: Path) -> Hands:
    config = json.loads((model / "config.json").read_text("utf-8")) | CONFIG
    (model / "config.json").write_text(json.dumps(config), "utf-8")
    return Hands(window, engine, model)


def line(hands: Hands, name: str) -> str:
    return hands.window.find(OneLine, name).full_text


def test_a_start_tells_what_it_waits_for_and_the_second_one_how_long(hands: Hands, engine: FakeEngine) -> None:
    engine.behave("--step", "0.4")
    hands.launch()
    hands.window.until(lambda: "weights are read" in line(hands, "launchWaits"))
    assert re.fullmatch(r"\d:\d\d", hands.window.text("launchElapsed"))
    assert "no chat template" in line(hands, "launchCareful").lower()
    hands.until_ready()
    hands.stop()
    hands.launch()
    hands.window.until(lambda: "left" in hands.window.text("launchElapsed"))
    assert re.fullmatch(r"0:0\d, (about|longer than usual, at least) 0:0\d left", hands.window.text("launchElapsed"))
    hands.window.press("cancelLaunchButton")
    hands.window.until(lambda: hands.window.sees("launchButton"))


@pytest.fixture
def no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.delenv("CXX", raising=False)


@pytest.mark.usefixtures("no_compiler")
def test_what_would_fail_is_stopped_with_a_remedy_of_one_click(hands: Hands) -> None:
    hands.launch(replace(EAGER, enforce_eager=False))
    hands.window.until(lambda: hands.window.sees("check-preflight.no_compiler"))
    assert not hands.window.sees("errorBanner")
    assert hands.window.sees("launchAnywayButton")
    assert hands.buttons("remedy-") == ["remedy-preflight.no_compiler"]
    hands.window.press("remedy-preflight.no_compiler")
    hands.until_ready()
    assert hands.page.options.choice().choices.enforce_eager, "the form says what was launched"
    assert not hands.window.sees("checkCard")


@pytest.mark.usefixtures("no_compiler")
def test_a_person_may_launch_in_spite_of_it(hands: Hands) -> None:
    hands.launch(replace(EAGER, enforce_eager=False))
    hands.window.press("launchAnywayButton")
    hands.until_ready()


def test_what_cannot_work_at_all_is_not_launched_anyway(hands: Hands) -> None:
    words = RunWords(Speech("en"), hands.page)
    port = AppError("preflight.port_taken", port=8000, holder="python", pid=17)
    finding = Finding(Severity.BLOCK, ErrorInfo.of(port), anyway=False)
    hands.window.go("launch")
    hands.page.show_checks((words.check(finding),), anyway=False)
    assert hands.window.sees("checkCard")
    assert not hands.window.sees("launchAnywayButton")
    hands.window.press("checkCardClose")
    assert not hands.window.sees("checkCard")


def test_a_failure_brings_buttons_that_put_it_right_and_what_is_different(hands: Hands, engine: FakeEngine) -> None:
    hands.launch()
    hands.until_ready()
    hands.stop()
    hands.launch(replace(EAGER, more=LaunchOptions(extra=("--swap-space", "4"))))
    hands.window.until(lambda: hands.window.sees("fix-drop_flag"))
    banner = hands.window.find(Banner, "errorBanner")
    assert "--swap-space" in banner.text()
    hands.window.until(lambda: "Extra arguments" in hands.window.text("sinceGood"))
    assert "Extra arguments: not set → --swap-space 4" in hands.window.text("sinceGood")
    hands.window.press("copyLaunchReportButton")
    hands.window.until(lambda: "--swap-space 4" in QGuiApplication.clipboard().text())
    assert hands.window.find(QPushButton, "launchButton").property("kind") == "", "the fix is to be pressed first"
    hands.window.press("fix-drop_flag")
    hands.until_ready()
    assert hands.page.options.choice().choices.more.extra == ()
    assert not hands.window.sees("errorBanner")


def test_what_stowage_put_right_itself_is_told(hands: Hands, engine: FakeEngine) -> None:
    engine.behave("--fail-unless-eager", "Failed to find C compiler. Please specify via CC environment variable")
    hands.launch(replace(EAGER, enforce_eager=False))
    hands.until_ready()
    assert "Launch without compiling" in hands.window.find(Banner, "launchNews").text()
    hands.window.press("launchNewsClose")
    assert not hands.window.sees("launchNews")


@pytest.mark.parametrize(("switches", "deaf"), [(("--counters",), False), (("--counters", "--no-hits"), True)])
def test_an_option_without_effect_is_news_with_its_reason(
    hands: Hands, engine: FakeEngine, switches: tuple[str, ...], deaf: bool
) -> None:
    engine.behave(*switches)
    hands.launch(CACHED)
    hands.window.until(lambda: any(isinstance(e, ProofChanged) and e.complete for e in hands.heard))
    hands.window.until(lambda: hands.window.sees("chip-prefix_caching"))
    assert hands.window.sees("noEffectNote") is deaf, hands.window.text("noEffectTitle")
    chip = hands.window.find(QPushButton, "chip-prefix_caching")
    assert chip.property("verdict") == ("no_effect" if deaf else "took_effect")
    if deaf:
        assert "Prefix caching: had no effect" in hands.window.text("noEffectTitle")
        assert "did not hit the cache" in hands.window.text("noEffectWhy")
    hands.window.press("chip-prefix_caching")
    hands.window.until(lambda: hands.window.sees("proof-prefix_caching"))
    hands.stop()


def test_planned_and_taken_stand_side_by_side(hands: Hands, engine: FakeEngine) -> None:
    hands.launch()
    hands.until_ready()
    hands.window.press("readyTab-memory")
    hands.window.until(lambda: hands.window.sees("figure-kv_tokens-came"))
    assert hands.window.text("figure-kv_tokens-came") == "46,592"
    assert "GiB" in hands.window.text("figure-ram.kv_cache-planned")


def test_the_server_is_used_from_elsewhere_with_a_key_that_is_shown_on_demand(hands: Hands) -> None:
    hands.launch()
    hands.until_ready()
    endpoint = hands.services.endpoint
    assert endpoint is not None
    hands.window.press("readyTab-connect")
    hands.window.until(lambda: hands.window.text("endpointAddress").startswith("http://127.0.0.1:"))
    key, text = hands.window.find(QLineEdit, "endpointKey"), hands.window.find(QPlainTextEdit, "snippetText")
    assert endpoint.api_key not in key.text() + text.toPlainText()
    assert text.toPlainText().startswith("curl ")
    hands.window.press("snippet-Python")
    assert "from openai import OpenAI" in text.toPlainText()
    hands.window.press("showKeyButton")
    assert endpoint.api_key == key.text()
    assert endpoint.api_key in text.toPlainText()
    hands.window.press("snippet-JavaScript")
    hands.window.press("copySnippetButton")
    assert "await fetch" in QGuiApplication.clipboard().text()
    assert hands.window.text("endpointElsewhere") == "Only programs on this computer can reach it."


def test_how_the_server_is_kept_is_a_setting_with_its_warning(hands: Hands, home: Paths) -> None:
    hands.launch()
    hands.until_ready()
    hands.window.press("readyTab-serving")
    share, warning = hands.window.find(QCheckBox, "shareBox"), hands.window.find(QLabel, "shareWarning")
    assert not warning.isVisible()
    share.click()
    hands.window.until(warning.isVisible)
    assert hands.services.settings.current.share
    hands.window.find(QCheckBox, "keepKeyBox").click()
    endpoint = hands.services.endpoint
    assert endpoint is not None
    hands.window.until(lambda: hands.services.settings.current.api_key == endpoint.api_key)
    idle = hands.window.find(QComboBox, "unloadAfterBox")
    idle.setCurrentIndex(idle.findData(15))
    idle.activated.emit(idle.currentIndex())
    hands.window.until(lambda: hands.services.settings.current.unload_after_idle_minutes == 15)
    assert not hands.window.sees("sleepButton"), "a CPU build cannot sleep"


def test_how_the_server_fares_while_somebody_looks(hands: Hands, engine: FakeEngine) -> None:
    engine.behave("--counters", "--always-running", "1")
    hands.launch()
    hands.until_ready()
    hands.window.until(lambda: "1 running, 0 waiting" in line(hands, "vitalsLine"))
    assert line(hands, "vitalsLine").startswith("KV cache 25 %")
    assert any(isinstance(event, VitalsChanged) for event in hands.heard)


def test_earlier_launches_with_their_errors_are_listed_and_exported(
    hands: Hands, engine: FakeEngine, tmp_path: Path
) -> None:
    hands.launch()
    hands.until_ready()
    hands.stop()
    engine.behave("--die-in", "load")
    hands.launch()
    hands.window.until(lambda: hands.window.sees("errorBanner"))
    hands.window.press("launchHistoryButton")
    hands.window.until(lambda: hands.window.sees("launchHistory"))
    table = hands.window.find(QTableWidget, "historyTable")
    assert table.rowCount() == 2
    newest = table.item(0, 3)
    assert newest is not None
    assert newest.text().startswith("Failed: ")
    assert "the fake cause" in hands.window.find(QPlainTextEdit, "historyDetails").toPlainText()
    hands.window.find(QCheckBox, "onlyFailuresBox").click()
    assert [table.isRowHidden(row) for row in range(2)] == [False, True]
    hands.window.press("exportHistoryButton")
    hands.window.until(lambda: hands.window.sees("exportHistoryDialog"))
    target = tmp_path / "out.json"
    dialog = hands.window.find(QFileDialog, "exportHistoryDialog")
    dialog.fileSelected.emit(str(target))
    dialog.reject()
    hands.window.until(target.exists)
    assert len(json.loads(target.read_text("utf-8"))["launches"]) == 1
    hands.window.until(lambda: "1 launch" in line(hands, "historySaid"))
    hands.window.press("closeHistoryButton")


@pytest.mark.parametrize("language", ["en", "ru"])
def test_nothing_of_it_is_cut_off_and_everything_has_a_name(
    windows: Windows, engine: FakeEngine, model: Path, language: str
) -> None:
    window = windows.start(language=language)
    window.main.resize(*SMALLEST)
    hands = Hands(window, engine, model)
    hands.launch(replace(EAGER, more=LaunchOptions(extra=("--swap-space", "4"))))
    window.until(lambda: window.sees("fix-drop_flag"))
    words = RunWords(Speech(language), hands.page)
    errors = (AppError("preflight.no_compiler", compiler="gcc"), AppError("preflight.tight"))
    findings = [Finding(Severity.BLOCK, ErrorInfo.of(error), Remedy("eager")) for error in errors]
    hands.page.show_checks(tuple(map(words.check, findings)), anyway=True)
    assert nameless(window.main) == []
    assert not window.lasting(lambda: cut_off(window.main))
    engine.behave("--counters", "--no-hits", "--always-running", "1")
    hands.launch(CACHED)
    hands.until_ready()
    window.until(lambda: window.sees("noEffectNote") and bool(line(hands, "vitalsLine")))
    for tab in ("proof", "memory", "connect", "serving", "log"):
        window.press(f"readyTab-{tab}")
        assert nameless(window.main) == []
        assert not window.lasting(lambda: cut_off(window.main)), tab


def test_a_server_that_dies_is_launched_again_by_a_button(hands: Hands, engine: FakeEngine) -> None:
    engine.behave("--unhealthy-after", "0.5")
    hands.launch()
    hands.window.until(lambda: hands.window.sees("fix-retry"))
    assert hands.window.text("statusServer") == "Failed"
    engine.behave()
    hands.window.press("fix-retry")
    hands.until_ready()
    assert not hands.window.sees("errorBanner")
