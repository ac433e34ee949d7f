"""Where a per-layer table lives: offered for models that have one, explained, launched, proven, remembered."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QComboBox, QLabel, QPlainTextEdit, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from core.engine.options import LaunchOptions, Traits
from core.errors import AppError
from core.events import EngineInfo, EngineState, ErrorInfo, ModelInfo
from core.planner.levers import Lever
from core.planner.options import Options
from core.planner.plan import Verdict
from core.planning.choices import Choices, pulled
from core.planning.table_facts import TableFacts, table_facts
from gui.pages.launch.options import LaunchOptions as Form
from gui.pages.launch.table_words import Mark, TableWords
from gui.widgets.one_line import OneLine
from gui.words import Speech
from tests.gui.conftest import Window
from tests.gui.launch_hands import EAGER, Hands
from tests.gui.test_access import cut_off, nameless
from tests.support import machines
from tests.support.builds import build
from tests.support.fake_engine import FakeEngine
from tests.support.plans import plan, published

GEMMA = {
    "architectures": ["Gemma4ForCausalLM"], "model_type": "gemma4_text", "dtype": "bfloat16", "vocab_size": 512,
    "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 16, "global_head_dim": 16, "hidden_size_per_layer_input": 32,
    "vocab_size_per_layer_input": 512, "sliding_window": 64, "layer_types": ["sliding_attention", "full_attention"],
}  # fmt: skip
E4B = "google__gemma-4-E4B-it"
PER_LAYER = Traits("Gemma4ForConditionalGeneration", tables="per_layer")
NVME = TableFacts(
    placement="gpu", table_bytes=5 << 30, share=0.35, row_bytes=21504, freed_bytes=5 << 30, disk_kind="nvme",
    mount="/models", read_s=80e-6, measured=True, rows_per_s=120_000.0, slow=False, ram_token_s=200e-6,
    disk_token_s=(200e-6, 280e-6), step_s=0.04, engine="0.33.0", cpu=False,
)  # fmt: skip


@pytest.fixture
def hands(window: Window, engine: FakeEngine, model: Path) -> Hands:
    known = json.loads((model / "config.json").read_text("utf-8"))
    (model / "config.json").write_text(json.dumps(known | GEMMA), "utf-8")
    (model / "tokenizer_config.json").write_text('{"chat_template": "{{ messages }}"}', "utf-8")
    engine.behave("--counters")
    return Hands(window, engine, model)


def box(window: Window) -> QComboBox:
    return window.find(QComboBox, "tablesBox")


def choose(window: Window, place: str) -> None:
    window.until(lambda: window.sees("tablesBox") and box(window).findData(place) >= 0)
    box(window).setCurrentIndex(box(window).findData(place))


def look_at(hands: Hands) -> None:
    """The page with the model, chosen as a hand does."""
    hands.window.go("launch")
    models = hands.window.find(QComboBox, "modelBox")
    hands.window.until(lambda: models.findData(str(hands.model)) >= 0)
    models.setCurrentIndex(models.findData(str(hands.model)))
    models.activated.emit(models.currentIndex())
    hands.page.options.take(EAGER)
    hands.window.until(lambda: hands.window.sees("tablesBox"))


def verdict(hands: Hands, name: str) -> str:
    hands.window.until(lambda: hands.window.sees(f"chip-{name}"))
    return str(hands.named(f"chip-{name}").property("verdict"))


def test_chosen_in_the_window_launched_proven_counted_and_there_again_next_time(hands: Hands) -> None:
    window = hands.window
    look_at(hands)
    assert box(window).currentData() == "auto"  # vLLM as it is, unless somebody wants it otherwise
    choose(window, "disk")
    command = window.find(QPlainTextEdit, "commandLine")
    window.until(lambda: "STOWAGE_PLE=disk" in command.toPlainText())
    assert "PYTHONPATH=" in command.toPlainText()
    window.press("launchButton")
    hands.until_ready()
    window.until(lambda: verdict(hands, "ple_disk") == "took_effect")
    assert window.find(QWidget, "chip-ple_disk").accessibleName() == "Per-layer table on disk: took effect"
    window.until(lambda: "table rows" in window.find(OneLine, "tableLine").full_text)
    assert "from the cache" in window.find(OneLine, "tableLine").full_text
    (record,) = hands.call(hands.services.launches.history)
    assert record.proof["ple_disk"] == "took_effect"
    hands.stop()

    box(window).setCurrentIndex(0)
    window.launch_until_ready(hands.model)  # from the list of models: as it last went well
    assert hands.page.options.choice().choices.more.ple == "disk"
    assert verdict(hands, "ple_disk")


@pytest.mark.parametrize(
    ("mode", "why"), [("silent", "said nothing"), ("given-up", "left the table"), ("in-ram", "went into RAM")]
)
def test_a_table_that_stayed_is_said_aloud(hands: Hands, engine: FakeEngine, mode: str, why: str) -> None:
    engine.behave("--counters", "--table", mode)
    look_at(hands)
    choose(hands.window, "disk")
    hands.window.press("launchButton")
    hands.until_ready()
    assert verdict(hands, "ple_disk") == "no_effect"
    assert why in hands.window.text("noEffectWhy")


def test_the_list_says_what_there_is_to_know_and_is_whole(hands: Hands) -> None:
    look_at(hands)
    hands.window.find(QToolButton, "tableFold").setChecked(True)
    hands.window.until(lambda: hands.window.sees("tableChecks"))
    card = hands.named("tableChecks")
    told = {label.objectName().removeprefix("tableCheck-"): label.text() for label in card.findChildren(QLabel)}
    told.pop("", None)
    assert set(told) == {"model", "engine", "disk", "cost", "gain", "proof"}
    assert "0.32.0" in told["engine"]
    assert "Proven with vLLM's CPU build" in told["proof"]
    assert hands.window.lasting(lambda: cut_off(card)) == []
    assert nameless(hands.page) == []


def test_a_model_without_tables_does_not_show_the_choice(window: Window, engine: FakeEngine, model: Path) -> None:
    hands = Hands(window, engine, model)
    window.go("launch")
    hands.page.options.choose_model(str(model))
    hands.page.options.take(replace(EAGER, more=LaunchOptions(ple="disk")))
    window.until(lambda: hands.page.options.choice().choices.more.ple == "auto")
    assert not window.sees("tablesBox")
    assert not window.sees("tableFold")


# ---- the form alone --------------------------------------------------------------------------------------------------


@pytest.fixture
def form(qtbot: QtBot) -> Form:
    made = Form(Speech("en"))
    qtbot.addWidget(made)
    engine = EngineInfo("e", EngineState.READY, "0.33.0", "cuda", "/e/bin/python", "3.12", ours=True)
    one = ModelInfo("/models/One", "One", "/models/One", 1)
    made.show_models((one,), one.id)
    made.show_engines((engine,), "e", "cuda")
    return made


def ple(form: Form) -> str:
    return form.choice().choices.more.ple


def test_a_wish_waits_until_it_is_known_whether_it_can_be_had(form: Form) -> None:
    form.show_build(build("0.33.0"), Traits())
    form.take(Choices(more=LaunchOptions(ple="disk")))
    assert ple(form) == "disk"
    form.show_build(build("0.33.0"), PER_LAYER)
    assert ple(form) == "disk"
    form.show_build(build("0.28.0"), PER_LAYER)  # another engine cannot
    assert ple(form) == "auto"
    form.show_build(build("0.33.0"), PER_LAYER)
    assert ple(form) == "disk"
    form.show_build(build("0.33.0"), Traits("LlamaForCausalLM"))
    assert ple(form) == "auto"


def test_only_a_plan_with_a_table_shows_it(form: Form) -> None:
    form.show_build(build("0.33.0"), PER_LAYER)
    shown = form.findChild(QComboBox, "tablesBox")
    assert isinstance(shown, QComboBox)
    assert shown.isHidden()
    form.tables.show_table(NVME)
    assert not shown.isHidden()
    assert [shown.itemData(place) for place in range(shown.count())] == ["auto", "ram", "disk"]
    form.tables.show_table(None)
    assert shown.isHidden()


def test_a_slow_disk_is_warned_of_where_it_is_chosen(form: Form) -> None:
    form.show_build(build("0.33.0"), PER_LAYER)
    form.tables.show_table(replace(NVME, disk_kind="hdd", slow=True, read_s=12e-3))
    assert form.tables.says.property("tone") == "quiet"
    form.tables.set_value("disk")
    assert form.tables.says.full_text == (
        "Hard disk: about 12 ms for a row that no cache holds. RAM is the better place."
    )
    assert form.tables.says.property("tone") == "bad"
    form.tables.set_value("ram")
    assert form.tables.says.property("tone") == "quiet"


@pytest.mark.parametrize("place", ["disk", "ram"])
def test_a_lever_sets_the_choice(form: Form, place: str) -> None:
    form.show_build(build("0.33.0"), PER_LAYER)
    lever = Lever(f"ple_{place}", place, Options(ple_placement=place), 5 << 30, 0, 0.95, Verdict.FITS, "")
    form.take(pulled(form.choice().choices, lever))
    assert ple(form) == place
    shown = form.findChild(QComboBox, "tablesBox")
    assert isinstance(shown, QComboBox)
    assert shown.currentData() == place


# ---- what it says ----------------------------------------------------------------------------------------------------


def test_the_lines_carry_the_plans_own_figures() -> None:
    facts = table_facts(plan(published(E4B), context=8192), machines.idle_desktop().machine.disks[0])
    assert facts is not None
    assert (facts.table_bytes, facts.row_bytes) == (262144 * 42 * 256 * 2, 42 * 256 * 2)
    lines = {line.id: line for line in TableWords(Speech("en")).lines(facts, None)}
    assert "5.2 GiB: 35 % of its weights. A token reads 21 KiB" in lines["model"].text
    assert "/" in lines["disk"].text
    assert "a guess" in lines["disk"].text
    assert lines["proof"].mark is Mark.NOTE
    assert "Not yet proven on a graphics card" in lines["proof"].text
    assert table_facts(plan(published("Qwen__Qwen3-8B"))) is None


def test_a_measured_disk_an_unfit_engine_and_a_cpu() -> None:
    words = TableWords(Speech("en"))
    lines = {line.id: line for line in words.lines(NVME, None)}
    assert (
        lines["disk"].text == "The files lie on /models (NVMe): measured, 0.08 ms a row, up to 120,000 rows a second."
    )
    obstacle = ErrorInfo.of(AppError("option.tables_stay", version="0.28.0"))
    lines = {line.id: line for line in words.lines(replace(NVME, cpu=True), obstacle)}
    assert lines["engine"].mark is Mark.CAREFUL
    assert "0.30" in lines["engine"].text
    assert "RAM" in lines["gain"].text


def test_russian_is_whole() -> None:
    words = TableWords(Speech("ru"))
    for facts in (NVME, replace(NVME, disk_kind="network", slow=True), replace(NVME, disk_kind="", measured=False)):
        assert all(line.text and "{" not in line.text for line in words.lines(facts, None))
