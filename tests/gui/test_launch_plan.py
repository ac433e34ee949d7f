"""The plan on the Launch page: real widgets, real services, crafted computers; figures are the planner's own."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QGuiApplication, QWheelEvent
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QLabel, QPlainTextEdit, QPushButton, QSlider, QSpinBox, QWidget

from core.events import EngineInfo, EngineState, ModelInfo, ModelsChanged
from core.planner.amounts import Verdict
from core.words import show_bytes
from gui.budget.panel import BudgetPanel
from gui.budget.view import Look
from gui.widgets.one_line import OneLine
from tests.gui.conftest import Window, Windows
from tests.gui.launch_page import Page
from tests.support import machines
from tests.support.fake_engine import FakeEngine
from tests.support.published import make_published

CPU = EngineInfo("cpu-0.32.0", EngineState.READY, "0.32.0", "cpu", "/engines/cpu/bin/python", "3.12", ours=True)
CUDA = EngineInfo("cuda-0.33.0", EngineState.READY, "0.33.0", "cuda", "/engines/cuda/bin/python", "3.12", ours=True)
ROCM = EngineInfo("rocm", EngineState.READY, "0.33.0", "rocm", "/engines/rocm/bin/python", "3.12", ours=False)


@pytest.fixture
def qwen_8b(tmp_path: Path) -> Path:
    return make_published(tmp_path / "Qwen3-8B", "Qwen__Qwen3-8B")


@pytest.fixture
def qwen_small(tmp_path: Path) -> Path:
    return make_published(tmp_path / "Qwen3-0.6B", "Qwen__Qwen3-0.6B")


def test_the_context_moves_the_kv_figure_at_once(window: Window, qwen_8b: Path) -> None:
    page = Page(window, machines.idle_desktop(), CUDA, qwen_8b)
    figures: list[str] = []
    for context in (8192, 32768):
        page.set("contextBox", context)
        plan = page.planned(context=context)
        kv = plan.vram.part("kv_cache") if plan.vram else None
        assert kv is not None
        # No waiting: the plan is made in the same turn as the edit.
        assert page.part("KV cache") == show_bytes(kv.likely)
        assert page.says("contextBox") == f"{show_bytes(plan.kv.bytes_one_request)} of KV cache"
        figures.append(page.part("KV cache"))
    assert figures == ["1.1 GiB", "4.5 GiB"]
    slider = window.find(QSlider, "contextBoxSlider")
    slider.setValue(slider.maximum())
    assert window.find(QSpinBox, "contextBox").value() == 0
    assert page.says("contextBox").startswith("40,960 tokens")


def test_an_edit_waits_for_no_second_look_at_the_model(window: Window, qwen_8b: Path) -> None:
    page = Page(window, machines.idle_desktop(), CUDA, qwen_8b)
    window.go("chat")
    window.go("launch")  # its files may have changed meanwhile: they are looked at again
    page.set("contextBox", 8192)
    assert page.part("KV cache") == "1.1 GiB"


def test_twelve_gib_offer_offload_and_the_lever_makes_it_fit(window: Window, qwen_8b: Path) -> None:
    page = Page(window, machines.idle_desktop(), CUDA, qwen_8b)
    page.set("contextBox", 8192)
    plan = page.planned(context=8192)
    assert plan.verdict is Verdict.NO
    assert page.sign is Verdict.NO
    assert page.verdict.startswith("Does not fit: VRAM is short by ")
    assert "You can launch it all the same" in window.find(OneLine, "planDetail").full_text
    assert window.find(QPushButton, "launchButton").isEnabled()
    window.until(lambda: "lever-cpu_offload_gb" in page.levers)
    window.press("lever-cpu_offload_gb")
    moved = window.find(QDoubleSpinBox, "offloadBox").value()
    assert moved > 0
    after = page.planned(context=8192, offload_gib=moved)
    assert after.vram is not None
    assert after.vram.limit_bytes is not None
    # vLLM takes its whole share: what is not needed for one conversation becomes room for more.
    rest = after.vram.limit_bytes - after.vram.likely_bytes
    assert page.part("more KV cache") == f"≈ {show_bytes(rest)}"
    assert after.verdict is Verdict.FITS
    assert page.verdict.startswith("Fits: ")
    assert page.says("offloadBox").startswith(show_bytes(after.offload.offloaded_bytes))
    assert page.part("offloaded weights", "ram") == show_bytes(after.offload.pinned_bytes)
    assert f"--cpu-offload-gb {moved:g}" in window.find(QPlainTextEdit, "commandLine").toPlainText()
    window.until(lambda: "lever-cpu_offload_gb" not in page.levers)


def test_what_a_person_changed_since_stays_when_a_lever_is_pulled(window: Window, qwen_8b: Path) -> None:
    page = Page(window, machines.idle_desktop(), CUDA, qwen_8b)
    page.set("contextBox", 8192)
    window.until(lambda: "lever-cpu_offload_gb" in page.levers)
    page.set("contextBox", 4096)
    window.press("lever-cpu_offload_gb")
    assert window.find(QSpinBox, "contextBox").value() == 4096


@pytest.mark.parametrize(
    ("free", "verdict", "words"),
    [(11.0, Verdict.FITS, "Fits: "), (7.3, Verdict.TIGHT, "Tight: "), (4.0, Verdict.NO, "Does not fit: ")],
)
def test_the_verdict_in_words(window: Window, tmp_path: Path, free: float, verdict: Verdict, words: str) -> None:
    model = make_published(tmp_path / "Qwen2.5-3B", "Qwen__Qwen2.5-3B-Instruct")
    page = Page(window, machines.sample(machines.card(free=free)), CUDA, model)
    page.set("contextBox", 8192)
    assert page.planned(context=8192).verdict is verdict
    assert page.sign is verdict
    assert page.verdict.startswith(words)
    panel = window.find(BudgetPanel, "budgetPanel")
    strip = panel.cell("GPU-0")
    assert strip is not None
    assert strip.view is not None
    if verdict is Verdict.NO:
        assert strip.view.verdict_text.startswith("short by ")
        assert strip.view.verdict_text.removeprefix("short by ") in page.verdict
    else:
        assert strip.view.verdict_text == str(verdict)


def test_the_parts_lie_over_the_bars(window: Window, qwen_8b: Path) -> None:
    page = Page(window, machines.idle_desktop(), CUDA, qwen_8b)
    page.set("contextBox", 8192)
    strip = window.find(BudgetPanel, "budgetPanel").cell("GPU-0")
    assert strip is not None
    assert strip.view is not None
    names = [ghost.labels[-1] for ghost in strip.view.ghosts if ghost.look is Look.GHOST]
    assert names == ["weights", "CUDA", "working memory", "KV cache"]
    window.go("chat")
    window.until(lambda: strip.view is not None and not strip.view.ghosts)


def test_every_part_explains_itself(window: Window, qwen_8b: Path) -> None:
    page = Page(window, machines.idle_desktop(), CUDA, qwen_8b)
    for part, mark, sentence in (
        ("weights", "exact", "The model itself, as vLLM holds it.\nExact: counted as vLLM itself counts it."),
        ("CUDA", "0.2–0.4", "as soon as a program uses the card.\nEstimated, between 0.2 GiB and 0.4 GiB."),
    ):
        label = next(
            one
            for one in window.find(QWidget, "planParts-GPU-0").findChildren(QLabel)
            if one.accessibleName().startswith(f"{part}: {page.part(part)}")
        )
        assert label.accessibleName().endswith(mark)
        assert label.accessibleDescription().endswith(sentence)
        assert label.toolTip() == label.accessibleDescription()
    interface = QAccessible.queryAccessibleInterface(window.find(QSlider, "contextBoxSlider"))
    assert interface.text(QAccessible.Text.Name) == "Context"


def test_a_cpu_build_plans_for_ram_and_offers_no_offload(window: Window, qwen_small: Path) -> None:
    page = Page(window, machines.no_gpu(), CPU, qwen_small)
    assert not window.sees("offloadBox")
    assert not window.sees("leaveFreeBox")
    plan = page.planned()
    assert page.part("weights", "ram") == show_bytes(plan.weights.bytes)
    # 40,960 tokens do not go into 1 GiB: vLLM would refuse, and the page says so with what would help.
    assert page.verdict == "Does not fit: 40,960 tokens need 4.4 GiB of KV cache and 1.0 GiB are there"
    assert page.says("kvBox") == f"enough for {plan.kv.longest_context:,} tokens of context"
    window.until(lambda: page.levers == ["lever-cpu_kv_cache", "lever-context"])
    window.press("lever-cpu_kv_cache")
    assert window.find(QSpinBox, "kvBox").value() == 5
    assert page.verdict.startswith("Fits: ")
    command = window.find(QPlainTextEdit, "commandLine").toPlainText()
    assert command.startswith("VLLM_CPU_KVCACHE_SPACE=5 /engines/cpu/bin/python -m vllm.entrypoints.openai.api_server")
    assert "offload" not in command
    assert "KEY" not in command
    window.find(QPushButton, "copyCommandButton").click()
    assert QGuiApplication.clipboard().text() == command
    assert "until the RAM of this computer is measured" in window.find(OneLine, "planSpeed").full_text
    window.press("measureButton")
    window.until(lambda: window.sees("budgetDetails"))


def test_an_unknown_architecture_gets_a_range_and_a_word(window: Window, tmp_path: Path) -> None:
    model = make_published(tmp_path / "Foo", "Qwen__Qwen3-0.6B", architectures=["FooForCausalLM"], model_type="foo")
    page = Page(window, machines.idle_desktop(), CUDA, model)
    assert "does not know this architecture" in window.text("planNotes")
    assert page.part("weights").startswith("≈ ")
    assert page.part("KV cache").startswith("≈ ")
    strip = window.find(BudgetPanel, "budgetPanel").cell("GPU-0")
    assert strip is not None
    assert strip.view is not None
    assert "would take about" in strip.view.meaning


def test_a_card_that_sleeps_is_not_judged(window: Window, qwen_small: Path) -> None:
    page = Page(window, machines.unknown_figures(), CUDA, qwen_small)
    assert page.sign is Verdict.UNKNOWN
    assert page.verdict == "Not known whether it fits: the card's memory cannot be seen"
    assert page.part("weights") == "1.1 GiB"
    assert page.says("leaveFreeBox") == ""
    assert page.says("requestsBox") == "up to 256"


def test_without_a_card_a_cuda_engine_has_no_plan(window: Window, qwen_small: Path) -> None:
    page = Page(window, machines.no_gpu(), CUDA, qwen_small)
    assert "none is seen here" in window.text("planMessage")
    assert page.sign is None
    assert page.verdict == "No plan for this launch"
    assert page.says("contextBox") == ""
    assert window.find(QPushButton, "launchButton").isEnabled()
    page.tell(machines.idle_desktop())
    window.until(lambda: page.sign is Verdict.FITS)


def test_other_engines_have_no_plan_and_can_be_launched(window: Window, qwen_small: Path) -> None:
    Page(window, machines.idle_desktop(), ROCM, qwen_small)
    assert "CUDA and CPU engines only" in window.text("planMessage")
    assert window.find(QPushButton, "launchButton").isEnabled()


def test_a_model_that_cannot_be_read_any_more(window: Window, qwen_small: Path) -> None:
    page = Page(window, machines.idle_desktop(), CUDA, qwen_small)
    (qwen_small / "config.json").write_text("{", encoding="utf-8")
    window.go("chat")
    window.go("launch")
    window.until(lambda: window.sees("planMessage"))
    assert "config.json" in window.text("planMessage")
    assert page.verdict == "No plan for this launch"


def test_a_skeleton_stands_there_until_the_computer_is_known(windows: Windows) -> None:
    window = windows.start()
    page = window.main.page("launch")
    assert page.findChildren(QWidget, "planSkeleton")[0].isVisibleTo(page)
    window.go("launch")
    window.until(lambda: not window.sees("planSkeleton"))


def test_the_starter_is_planned_before_it_is_made(window: Window, qwen_small: Path) -> None:
    page = Page(window, machines.no_gpu(), CPU, qwen_small)
    page.models.setCurrentIndex(page.models.findData("starter"))
    window.until(lambda: page.part("weights", "ram") == "0.3 GiB")
    assert page.part("download", "disk:/") == "≈ 0.3 GiB"


def test_the_latest_model_wins(window: Window, qwen_8b: Path, qwen_small: Path) -> None:
    page = Page(window, machines.idle_desktop(), CUDA, qwen_8b)
    assert window.app.bridge is not None
    assert window.app.services is not None
    window.app.bridge.call(window.app.services.add_model_folder, str(qwen_small), owner=window.app)
    window.until(lambda: page.models.findData(str(qwen_small)) >= 0)
    big, small = (page.models.findData(str(model)) for model in (qwen_8b, qwen_small))
    page.set("offloadBox", 4)
    for place in (small, big, small, big, small):
        page.models.setCurrentIndex(place)
    page.model = qwen_small
    # Offload was a wish for the other model.
    assert window.find(QDoubleSpinBox, "offloadBox").value() == 0
    weights = page.planned().vram
    assert weights is not None
    expected = weights.part("weights")
    assert expected is not None
    window.until(lambda: page.part("weights") == show_bytes(expected.likely))
    assert page.sign is Verdict.FITS


def test_a_list_of_models_that_comes_late_leaves_the_choice(window: Window, qwen_8b: Path, qwen_small: Path) -> None:
    """The settings have not heard of the choice yet: their loop is busy."""
    page = Page(window, machines.idle_desktop(), CUDA, qwen_8b)
    free = threading.Event()

    async def busy() -> None:
        free.wait(10)

    assert window.app.bridge is not None
    models = tuple(ModelInfo(str(path), path.name, str(path), 1) for path in (qwen_8b, qwen_small))
    window.app.bridge.post(ModelsChanged(models))
    window.until(lambda: page.models.itemData(0) == str(qwen_8b))
    window.app.bridge.call(busy, owner=window.app)
    page.choose(str(qwen_small))
    window.app.bridge.post(ModelsChanged(models[::-1]))
    window.until(lambda: page.models.itemData(0) == str(qwen_small))
    free.set()
    assert page.models.currentData() == str(qwen_small)


def test_what_is_planned_is_launched(window: Window, engine: FakeEngine, model: Path) -> None:
    window.add_engine(engine)
    window.add_model(model)
    window.go("launch")
    models = window.find(QComboBox, "modelBox")
    models.setCurrentIndex(models.findData(str(model)))
    window.find(QSpinBox, "requestsBox").setValue(4)
    window.find(QSpinBox, "stepTokensBox").setValue(512)
    window.press("launchButton")
    window.until(lambda: window.sees("stopServerButton"))
    log = window.find(QPlainTextEdit, "logView").toPlainText()
    assert "'max_num_seqs': 4, 'max_num_batched_tokens': 512" in log


def test_what_holds_for_every_model_is_remembered(windows: Windows, engine: FakeEngine, model: Path) -> None:
    window = windows.start()
    window.add_engine(engine)
    window.add_model(model)
    window.go("launch")
    models = window.find(QComboBox, "modelBox")
    models.setCurrentIndex(models.findData(str(model)))
    window.find(QSpinBox, "requestsBox").setValue(4)
    window.find(QDoubleSpinBox, "leaveFreeBox").setValue(2.5)
    window.find(QDoubleSpinBox, "offloadBox").setValue(1)
    window.press("launchButton")
    window.until(lambda: window.sees("stopServerButton"))
    windows.end(window)
    again = windows.start()
    assert again.find(QSpinBox, "requestsBox").value() == 4
    assert again.find(QDoubleSpinBox, "leaveFreeBox").value() == 2.5
    # What was a wish for one model comes back with that model's last launch.
    again.until(lambda: again.find(QDoubleSpinBox, "offloadBox").value() == 1)


def test_the_wheel_leaves_a_figure_that_has_not_the_focus(window: Window, qwen_8b: Path) -> None:
    Page(window, machines.idle_desktop(), CUDA, qwen_8b)
    slider = window.find(QSlider, "contextBoxSlider")
    slider.setValue(4)
    window.find(QPushButton, "launchButton").setFocus()
    middle = slider.rect().center()
    wheel = QWheelEvent(
        QPointF(middle),
        QPointF(slider.mapToGlobal(middle)),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QCoreApplication.sendEvent(slider, wheel)
    assert slider.value() == 4
    assert not wheel.isAccepted()


def test_the_last_log_is_a_click_away(window: Window, engine: FakeEngine, model: Path) -> None:
    window.add_engine(engine)
    window.add_model(model)
    window.launch_until_ready(model)
    window.go("launch")
    window.press("stopServerButton")
    window.until(lambda: window.sees("showLogButton"))
    assert not window.sees("logView")
    window.press("showLogButton")
    assert window.sees("logView")
