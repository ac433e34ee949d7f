"""Real failures of the real engine, one after another in one window, each told by its cause and put right by the button
below it: what the press of one button uncovers is the next."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QComboBox, QPushButton, QSpinBox, QTextBrowser
from pytestqt.qtbot import QtBot

from core.engine.options import LaunchOptions
from core.engine.spawn import free_port
from core.events import ServerState, ServerStatus
from core.hub.model import RepoRef
from core.paths import Paths
from core.planning.choices import Choices
from gui.pages.launch.page import LaunchPage
from tests.fakes.fake_hub import FakeHub
from tests.fakes.hub_content import folder_files
from tests.gui.conftest import Window, Windows
from tests.gui.hub_window import HubWindow, hub_window
from tests.gui.real_hands import ask, launch, until_fix, until_ready
from tests.support.cgroups import move_here, own_cgroup, small_cgroup
from tests.support.fake_engine import make_checkpoint
from tests.support.hub import sent_bytes
from tests.support.sharded import take_template_away, write_shards

GIB = 1 << 30
BASE, WORDS = "org/SmolLM2-135M", "org/Words"
TOKENIZER = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")
ANSWER_MS = 60_000

pytestmark = [pytest.mark.timeout(290), pytest.mark.patient]


class Trouble:
    """A window whose Hub has a base model in two shards and another repository with its tokenizer."""

    def __init__(self, at: HubWindow) -> None:
        self.at, self.window = at, at.window
        self.page = self.window.find(LaunchPage, "")
        services = self.window.app.services
        assert services is not None
        self.services = services
        self.states: list[ServerStatus] = []
        bridge = self.window.app.bridge
        assert bridge is not None
        self.bridge = bridge
        bridge.on(ServerStatus, self.states.append, owner=self.window.app)

    def call(self, verb: Any, *args: Any, **kwargs: Any) -> Any:
        done: list[Any] = []
        self.bridge.call(verb, *args, owner=self.window.app, done=done.append, **kwargs)
        self.window.until(lambda: bool(done))
        return done[0]

    def until_starting(self) -> None:
        """The look before the launch is over, and the engine's process is under way."""
        self.states.clear()
        self.window.until(lambda: any(s.state is ServerState.STARTING and s.port for s in self.states))

    @property
    def snapshot(self) -> Path:
        return Path(self.call(self.services.model_path, BASE))


@pytest.fixture
def trouble(
    user_with_engine: Paths, starter_path: Path, tmp_path: Path, qapp: QApplication, qtbot: QtBot
) -> Iterator[Trouble]:
    base, words = tmp_path / "base", make_checkpoint(tmp_path / "words")
    write_shards(starter_path, base)
    take_template_away(base)
    for name in TOKENIZER:
        if (base / name).exists():
            (words / name).write_bytes((base / name).read_bytes())

    def fill(hub: FakeHub) -> None:
        hub.add(BASE, folder_files(base))
        hub.add(WORDS, folder_files(words))

    with hub_window(Windows(user_with_engine, qapp, qtbot), fill) as at:
        made = Trouble(at)
        key = made.call(made.services.hub.get, RepoRef(BASE)).key
        made.call(made.services.hub.wait, key)
        at.window.go("launch")
        at.until(lambda: made.page.options.engine is not None)
        at.until(lambda: at.window.find(QComboBox, "modelBox").findData(BASE) >= 0)
        made.page.options.choose_model(BASE)
        at.until(lambda: made.page.options.choice().model_id == BASE)
        yield made


def test_each_failure_is_told_by_its_cause_and_mended_by_its_button(trouble: Trouble) -> None:
    window, page = trouble.window, trouble.page
    port = free_port()
    box = window.find(QSpinBox, "portBox")
    box.setValue(port)
    box.editingFinished.emit()
    trouble.call(trouble.services.change_settings, hub_offline=True)
    window.until(lambda: trouble.services.settings.current.server_port == port)

    # An option that this version does not know, launched in spite of the look before.
    words = ("--swap-space", "4", "--tokenizer", WORDS)
    launch(window, Choices(context=20_000, more=LaunchOptions(extra=words)))
    window.until(lambda: window.sees("check-option.unlike"))
    assert window.sees("remedy-option.unlike")
    window.press("launchAnywayButton")
    assert "--swap-space" in until_fix(window, "drop_flag").text()

    # Another program takes the port while the engine starts.
    window.press("fix-drop_flag")
    trouble.until_starting()
    with socket.create_server(("127.0.0.1", port)):
        assert str(port) in until_fix(window, "any_port").text()
        # A tokenizer of another model, which is not here, while nothing may ask the Hub.
        window.press("fix-any_port")
        until_fix(window, "go_online")
    assert WORDS in window.find(QPushButton, "fix-go_online").text()
    window.press("fix-go_online")

    # More context than the model has.
    assert "8,192" in until_fix(window, "context").text()
    assert not trouble.services.settings.current.hub_offline
    assert sent_bytes(trouble.at.hub, "tokenizer.json") > 0
    shard = trouble.snapshot / "model-00002-of-00002.safetensors"
    window.press("fix-context")

    # A part of the model goes while the engine starts.
    trouble.until_starting()
    shard.resolve().unlink()
    shard.unlink()
    before = sent_bytes(trouble.at.hub, shard.name)
    until_fix(window, "fetch_missing")
    window.press("fix-fetch_missing")
    until_ready(window)
    assert sent_bytes(trouble.at.hub, shard.name) > before
    assert page.options.choice().choices.context == 8192

    # It is served, and refuses every message: it has no chat template.
    window.press("openChatButton")
    ask(window, "What is the capital of France? Answer in one sentence.")
    window.go("launch")
    assert "no chat template" in until_fix(window, "chat_template").text()
    assert "ChatML" in window.find(QPushButton, "fix-chat_template").text()
    window.press("fix-chat_template")
    window.until(lambda: trouble.states[-1].state is ServerState.STARTING)
    until_ready(window)
    window.press("openChatButton")
    ask(window, "What is the capital of France? Answer in one sentence.")
    window.until(
        lambda: any("Paris" in b.toPlainText() for b in window.main.findChildren(QTextBrowser, "answerText")), ANSWER_MS
    )


@pytest.fixture
def six_gib() -> Iterator[Path]:
    """This process, and what it starts, in a cgroup of 6 GiB."""
    folder = small_cgroup(6 * GIB)
    if folder is None:
        pytest.skip("no cgroup may be made here")
    before = own_cgroup(1) if "/memory/" in f"{folder}/" else own_cgroup(2)
    assert before is not None
    try:
        move_here(folder)
    except OSError as error:
        folder.rmdir()
        pytest.skip(f"this process may not move into a cgroup: {error}")
    yield folder
    move_here(before)
    folder.rmdir()


def test_an_engine_that_the_kernel_ends_for_memory_is_started_with_a_smaller_cache(
    six_gib: Path, user_with_engine: Paths, qapp: QApplication, qtbot: QtBot
) -> None:
    windows = Windows(user_with_engine, qapp, qtbot)
    window: Window = windows.start()
    window.go("launch")
    page = window.find(LaunchPage, "")
    window.until(lambda: page.options.engine is not None)
    page.options.choose_model("starter")
    launch(window, Choices(context=1024, cpu_kv_cache_gib=6))
    banner = until_fix(window, "kv_room")
    assert "RAM ran out" in banner.text()
    assert "6.0 GiB" in banner.text()
    window.press("fix-kv_room")
    until_ready(window)
    assert page.options.choice().choices.cpu_kv_cache_gib == 3
    windows.end_all()
