"""The options of the Launch page: each changes the command of a real build, and one that cannot be had says why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QLabel, QLineEdit, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from core.engine.build import of_capabilities
from core.engine.command import shown_command
from core.engine.options import LaunchOptions, Lora, OffloadShape, PromptCache, Speculative, Tables, Traits
from core.events import EngineInfo, EngineState, ModelInfo
from core.planning.choices import Choices
from core.planning.option_facts import FLAGS, VARIABLES
from core.planning.spelling import Spelling
from gui.pages.launch.options import LaunchOptions as Form
from gui.widgets.one_line import OneLine
from gui.words import Speech
from tests.support.builds import CPU, build

MODEL = ModelInfo("/models/One", "One", "/models/One", 1)


class Options:
    """The form alone, for an engine whose build was read from its wheel."""

    def __init__(self, bot: QtBot, wheel: str, tables: Tables = "", *, hybrid: bool = False) -> None:
        platform = "cpu" if wheel == CPU else "cuda"
        version = wheel.partition("-")[0]
        self.engine = EngineInfo("e", EngineState.READY, version, platform, "/e/bin/python", "3.12", ours=True)
        self.known = Spelling(Traits(tables=tables, hybrid=hybrid), build(wheel))
        self.form = Form(Speech("en"))
        bot.addWidget(self.form)
        self.form.show_models((MODEL,), MODEL.id)
        self.form.show_engines((self.engine,), "e", platform)
        assert self.known.build is not None
        self.form.show_build(self.known.build, self.known.traits)

    @property
    def choices(self) -> Choices:
        return self.form.choice().choices

    @property
    def command(self) -> str:
        return shown_command(self.known.request("One", "/models/One", self.engine, self.choices))

    def find(self, kind: type[Any], name: str) -> Any:
        found = self.form.findChild(kind, name)
        assert found is not None, name
        return found

    def pick(self, name: str, value: object) -> None:
        box = self.find(QComboBox, name)
        assert box.findData(value) >= 0, [box.itemData(place) for place in range(box.count())]
        box.setCurrentIndex(box.findData(value))

    def says(self, name: str) -> str:
        return self.find(OneLine, f"{name}Says").full_text


def _pick(name: str, value: object) -> Callable[[Options], None]:
    return lambda options: options.pick(name, value)


def _type(name: str, text: str) -> Callable[[Options], None]:
    return lambda options: options.find(QLineEdit, name).setText(text)


def _turn(name: str, value: int) -> Callable[[Options], None]:
    return lambda options: options.find(QSpinBox, name).setValue(value)


def _tick(name: str) -> Callable[[Options], None]:
    return lambda options: options.find(QCheckBox, name).setChecked(True)


def _size(name: str, gib: float) -> Callable[[Options], None]:
    return lambda options: options.find(QDoubleSpinBox, name).setValue(gib)


def _speculate(options: Options) -> None:
    options.pick("speculativeBoxMethod", "eagle3")
    options.find(QSpinBox, "speculativeBoxTokens").setValue(5)
    options.find(QLineEdit, "speculativeBoxModel").setText("/m/head")


def _prefetch(options: Options) -> None:
    options.find(QSpinBox, "prefetchBoxSize").setValue(8)
    options.find(QSpinBox, "prefetchBoxAway").setValue(2)


def _params(options: Options) -> None:
    options.find(QDoubleSpinBox, "offloadBox").setValue(2)
    options.find(QLineEdit, "offloadParamsBox").setText("experts gate")


def _disk(options: Options) -> None:
    options.form.prompt_cache.default_folder = "/data/prompts"
    options.pick("promptCacheBox", "disk")


@pytest.mark.parametrize(
    ("change", "written"),
    [
        (_pick("kvDtypeBox", "fp8"), "--kv-cache-dtype fp8"),
        (_pick("kvDtypeBox", "nvfp4"), "--kv-cache-dtype nvfp4"),
        (_size("kvBytesBox", 2), "--kv-cache-memory-bytes 2147483648"),
        (_pick("prefixCachingBox", True), "--enable-prefix-caching"),
        (_pick("prefixCachingBox", False), "--no-enable-prefix-caching"),
        (_pick("asyncBox", True), "--async-scheduling"),
        (_pick("asyncBox", False), "--no-async-scheduling"),
        (_params, "--cpu-offload-gb 2 --cpu-offload-params experts gate"),
        (_prefetch, "--offload-group-size 8 --offload-num-in-group 2 --offload-prefetch-step 1"),
        (_pick("promptCacheBox", "ram"), "--kv-offloading-size 4 --kv-offloading-backend native"),
        (_disk, '"disk_path":"/data/prompts/kv.bin"'),
        (_pick("dtypeBox", "bfloat16"), "--dtype bfloat16"),
        (_pick("quantizationBox", "fp8"), "--quantization fp8"),
        (lambda options: options.form.take(Choices(more=LaunchOptions(load_format="dummy"))), "--load-format dummy"),
        (_turn("tpBox", 2), "--tensor-parallel-size 2"),
        (_turn("ppBox", 3), "--pipeline-parallel-size 3"),
        (_type("lorasBox", "poet=/l/poet '/l/a b'"), '\'{"name": "a b", "path": "/l/a b"}\''),
        (_speculate, '"method": "eagle3", "num_speculative_tokens": 5, "model": "/m/head"'),
        (_type("multimodalBox", "image=2 video=0"), '\'{"image": 2, "video": 0}\''),
        (_tick("textOnlyBox"), "--language-model-only"),
        (_pick("reasoningBox", "qwen3"), "--reasoning-parser qwen3"),
        (_pick("toolBox", "hermes"), "--tool-call-parser hermes"),
        (_type("chatTemplateBox", "/t.jinja"), "--chat-template /t.jinja"),
        (_type("servedNameBox", "bob"), "--served-model-name bob"),
        (_turn("seedBox", 0), "--seed 0"),
        (_pick("logLevelBox", "DEBUG"), "VLLM_LOGGING_LEVEL=DEBUG "),
        (_tick("logRequestsBox"), "--enable-log-requests"),
        (_type("envBox", "CUDA_VISIBLE_DEVICES=1"), "CUDA_VISIBLE_DEVICES=1 "),
        (_type("extraBox", "--trust-remote-code --foo 'a b'"), "--trust-remote-code --foo 'a b'"),
    ],
)
def test_an_option_changes_the_command(qtbot: QtBot, change: Callable[[Options], None], written: str) -> None:
    options = Options(qtbot, "0.33.0")
    before = options.command
    assert written not in before
    with qtbot.waitSignal(options.form.changed):
        change(options)
    assert written in options.command
    # The same choices put back into the form say the same.
    choices, command = options.choices, options.command
    options.form.take(Choices(enforce_eager=False))
    assert options.command == before
    options.form.take(choices)
    assert options.command == command


def test_the_options_of_the_processor(qtbot: QtBot) -> None:
    options = Options(qtbot, CPU)
    options.find(QLineEdit, "cpuThreadsBox").setText("0-3")
    options.find(QSpinBox, "cpuReservedBox").setValue(0)
    assert "VLLM_CPU_NUM_OF_RESERVED_CPU=0 VLLM_CPU_OMP_THREADS_BIND=0-3 " in options.command


@pytest.mark.parametrize(
    ("wheel", "name", "reason"),
    [
        (CPU, "kvBytesBox", "For graphics cards; this engine uses the processor."),
        (CPU, "promptCacheBox", "On the CPU engine the KV cache is in RAM already"),
        (CPU, "prefetchBox", "The CPU engine accepts weight offload and does nothing with it"),
        ("0.33.0", "cpuThreadsBox", "For the processor; this engine uses a graphics card."),
        ("0.10.2", "promptCacheBox", "vLLM 0.10.2 cannot move earlier prompts to RAM."),
        ("0.10.2", "prefetchBox", "vLLM 0.10.2 cannot prefetch offloaded layers."),
        ("0.16.0", "offloadParamsBox", "vLLM 0.16.0 cannot choose which weights to offload"),
    ],
)
def test_what_cannot_be_had_says_why(qtbot: QtBot, wheel: str, name: str, reason: str) -> None:
    options = Options(qtbot, wheel)
    widget = options.find(QWidget, name)
    assert not widget.isEnabled()
    assert options.says(name).startswith(reason)
    assert reason in widget.toolTip()


def test_a_wish_that_this_build_cannot_fulfil_waits_for_one_that_can(qtbot: QtBot) -> None:
    options = Options(qtbot, "0.33.0")
    wish = LaunchOptions(offload=OffloadShape(group_size=4), prompt_cache=PromptCache(ram_gib=8), text_only=True)
    options.form.take(Choices(more=wish))
    options.form.show_build(build("0.10.2"), Traits())
    assert options.choices.more == LaunchOptions()
    options.form.show_build(build("0.33.0"), Traits())
    assert options.choices.more == wish


@pytest.mark.parametrize(("tables", "shown"), [("", False), ("ngram", True)])
def test_tables_are_placed_where_there_are_some(qtbot: QtBot, tables: Tables, shown: bool) -> None:
    options = Options(qtbot, "0.33.0", tables)
    box = options.find(QComboBox, "tablesBox")
    assert (not box.isHidden(), box.isEnabled()) == (shown, shown)
    if not shown:
        assert options.choices.more.ple == "auto"
        return
    options.pick("tablesBox", "device")
    assert "--engram-config '{\"cpu_offload\": false}'" in options.command


@pytest.mark.parametrize(
    ("wheel", "places"), [("0.30.0", ["auto", "ram", "device"]), ("0.33.0", ["auto", "ram", "device"])]
)
def test_no_place_is_offered_that_the_build_does_not_have(qtbot: QtBot, wheel: str, places: list[str]) -> None:
    box = Options(qtbot, wheel, "ngram").find(QComboBox, "tablesBox")
    assert [box.itemData(place) for place in range(box.count())] == places


def test_every_option_says_its_flag_and_where_the_build_states_it(qtbot: QtBot) -> None:
    options = Options(qtbot, "0.33.0")
    for name, box in (("dtype", "dtypeBox"), ("seed", "seedBox"), ("loras", "lorasBoxHolder")):
        tip = options.find(QWidget, box).toolTip()
        found = build("0.33.0").capabilities.option(FLAGS[name])  # type: ignore[union-attr]
        assert found is not None
        assert f"{FLAGS[name]} · vllm/{found.place}" in tip
    assert VARIABLES["log_level"] in options.find(QWidget, "logLevelBox").toolTip()


def test_the_search_leaves_what_was_asked_for(qtbot: QtBot) -> None:
    options = Options(qtbot, "0.33.0")
    search = options.find(QLineEdit, "moreSearch")

    def shown() -> list[str]:
        names = ("dtypeBox", "tpBox", "seedBox", "lorasBoxHolder", "loraRankBox", "kvDtypeBox", "eagerBox")
        more = options.form.more
        return [name for name in names if options.find(QWidget, name).isVisibleTo(more)]

    assert len(shown()) == 7
    search.setText("LoRA")
    assert shown() == ["lorasBoxHolder", "loraRankBox"]
    search.setText("--enforce")
    assert shown() == ["kvDtypeBox", "eagerBox"]
    search.setText("tensor-par")
    assert shown() == ["tpBox"]
    search.setText("no such thing")
    assert shown() == []
    assert not options.find(QLabel, "moreNone").isHidden()
    search.clear()
    assert len(shown()) == 7


@pytest.mark.parametrize(
    ("name", "text"), [("envBox", "1X=2"), ("envBox", "novalue"), ("multimodalBox", "image=two"), ("lorasBox", "'open")]
)
def test_what_is_not_understood_is_said_and_not_used(qtbot: QtBot, name: str, text: str) -> None:
    options = Options(qtbot, "0.33.0")
    before = options.command
    options.find(QLineEdit, name).setText(text)
    assert options.command == before
    says = f"{name}HolderSays" if name == "lorasBox" else f"{name}Says"
    assert options.find(OneLine, says).full_text.startswith("Not understood: ")
    options.find(QLineEdit, name).clear()
    assert not options.find(OneLine, says).full_text.startswith("Not understood")


def test_everything_that_can_be_chosen_comes_back_from_the_form(qtbot: QtBot) -> None:
    options = Options(qtbot, "0.33.0", "ngram")
    more = LaunchOptions(
        dtype="half", quantization="a-method-of-later", kv_cache_bytes=1234567891, prefix_caching=False,
        async_scheduling=True, tensor_parallel=2, pipeline_parallel=3, offload=OffloadShape(("experts",), 6, 2, 3),
        prompt_cache=PromptCache(2.0, "/d", 0.0, keep=True), ple="ram", loras=(Lora("a", "/x y"), Lora("b", "/z")),
        max_lora_rank=32, speculative=Speculative("a_new_way", 3, "/m", 2), multimodal=(("image", 2),), text_only=True,
        reasoning_parser="", tool_parser="hermes", chat_template="/t", served_name="n", seed=0, load_format="dummy",
        log_level="DEBUG", log_requests=True, env=(("A", "1 2"),), extra=("--a", "b c"),
    )  # fmt: skip
    choices = replace(options.choices, more=more, context=4096, offload_gib=2.5, kv_cache_dtype="fp8")
    options.form.take(choices)
    assert options.choices == choices


def test_numbers_beyond_the_fields_end_at_their_ends(qtbot: QtBot) -> None:
    """Of a paste or a profile that somebody wrote: Qt knows no whole number beyond 32 bits."""
    huge = 10**12
    options = Options(qtbot, "0.33.0")
    more = LaunchOptions(
        seed=huge, tensor_parallel=huge, max_lora_rank=huge, speculative=Speculative("mtp", huge),
        offload=OffloadShape((), huge, huge, huge),
    )  # fmt: skip
    wild = Choices(
        context=huge, max_num_seqs=huge, max_num_batched_tokens=huge, cpu_kv_cache_gib=huge, offload_gib=1e12, more=more
    )
    options.form.take(wild)
    got = options.choices
    assert got.context is not None
    assert got.max_num_seqs is not None
    assert 131072 <= got.context < huge
    assert 256 <= got.max_num_seqs < huge
    assert 8 <= got.more.tensor_parallel <= 1024
    assert got.more.offload.num_in_group == got.more.offload.group_size == 128


def test_the_tab_key_goes_down_the_page(qtbot: QtBot) -> None:
    options = Options(qtbot, "0.33.0")
    order: list[str] = []
    widget: QWidget | None = options.find(QLineEdit, "moreSearch")
    for _ in range(120):
        assert widget is not None
        order.append(widget.objectName())
        widget = widget.nextInFocusChain()
    wanted = [
        "moreSearch",
        "kvBytesBox",
        "prefixCachingBox",
        "prefetchBoxSize",
        "dtypeBox",
        "lorasBox",
        "seedBox",
        "extraBox",
    ]
    assert [name for name in order if name in wanted] == wanted
    for name in wanted:
        assert options.find(QWidget, name).focusPolicy() & Qt.FocusPolicy.TabFocus


def test_the_build_speaks_for_itself_on_hover(qtbot: QtBot) -> None:
    """Fixtures keep no help texts: one is put in as the reader finds it in a source."""
    options = Options(qtbot, "0.33.0")
    known = build("0.33.0").capabilities
    assert known is not None
    told = [msgspec.structs.replace(each, help="Dice\n  of the sampler.") if each.flag == "--seed" else each
            for each in known.options]  # fmt: skip
    options.form.show_build(of_capabilities(msgspec.structs.replace(known, options=tuple(told))), Traits())
    place = known.by_spelling["--seed"].place
    tip = options.find(QWidget, "seedBox").toolTip()
    assert tip.endswith(f"--seed · vllm/{place}\nvLLM says: Dice of the sampler.")
    options.find(QLineEdit, "moreSearch").setText("dice")
    assert options.find(QWidget, "seedBox").isVisibleTo(options.form.more)
    assert not options.find(QWidget, "tpBox").isVisibleTo(options.form.more)
