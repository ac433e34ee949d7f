"""On this computer: the shared cache in the window, filled by the real huggingface_hub from a Hub on loopback."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtWidgets import QComboBox, QFileDialog, QLabel, QProgressBar, QPushButton

from core.events import ServerState, ServerStatus
from core.hub.events import CacheChanged
from gui.dialogs.question import Question
from gui.widgets.banner import Banner
from tests.fakes.fake_hub import FakeHub
from tests.gui.conftest import Windows
from tests.gui.hub_window import TINY, HubWindow, add_tiny, hub_window
from tests.support.fake_engine import FakeEngine
from tests.support.hub_cache import checkpoint_files, snapshot_download


def cache_folder() -> Path:
    return Path(os.environ["HF_HOME"]) / "hub"


def with_tiny(hub: FakeHub) -> None:
    """One whole model, brought by another tool."""
    hub.add(TINY, checkpoint_files(weight_bytes=1 << 20))
    snapshot_download(TINY, hub=hub, cache=cache_folder())


def state(at: HubWindow) -> str:
    return at.window.text(f"cachedState-{TINY}")


def question_text(at: HubWindow, name: str) -> str:
    return " ".join(label.text() for label in at.window.find(Question, name).findChildren(QLabel))


def test_what_another_tool_brought_can_be_launched(windows: Windows) -> None:
    with hub_window(windows, with_tiny) as at:
        at.until(lambda: at.window.sees(f"cached-{TINY}"))
        assert at.window.sees(f"launch-{TINY}")
        assert "names and sizes" in state(at)
        at.window.go("launch")
        at.until(lambda: at.window.find(QComboBox, "modelBox").findData(TINY) >= 0)


def test_an_empty_cache_says_what_it_is_for(windows: Windows) -> None:
    with hub_window(windows, lambda hub: None) as at:
        at.until(lambda: "Empty" in at.window.text("cacheSummary"))


def test_deleting_says_the_bytes_first(windows: Windows) -> None:
    with hub_window(windows, with_tiny) as at:
        at.window.press(f"delete-{TINY}")
        at.until(lambda: at.window.sees("deleteModelDialog"))
        assert "1 MiB" in question_text(at, "deleteModelDialog")
        at.window.press("deleteModelDialog-keep")
        at.until(lambda: not at.window.sees("deleteModelDialog"))
        assert any(cache_folder().rglob("model.safetensors"))
        at.window.press(f"delete-{TINY}")
        at.window.press("deleteModelDialog-delete")
        at.until(lambda: not at.window.sees(f"cached-{TINY}"))
        assert not any(cache_folder().rglob("model.safetensors"))


def test_verify_tells_whole_from_damaged(windows: Windows) -> None:
    with hub_window(windows, with_tiny) as at:
        at.window.press(f"verify-{TINY}")
        at.until(lambda: at.window.sees("errorBanner"))
        assert "is whole" in at.window.find(Banner, "errorBanner").text()
        at.until(lambda: "verified" in state(at))
        weights = next(cache_folder().rglob("model.safetensors")).resolve()
        data = bytearray(weights.read_bytes())
        data[-1] ^= 1
        weights.write_bytes(data)
        at.window.press(f"verify-{TINY}")
        at.until(lambda: at.window.sees(f"get-{TINY}"))
        assert not at.window.sees(f"launch-{TINY}")


def test_leftovers_go_only_with_consent(windows: Windows) -> None:
    def fill(hub: FakeHub) -> None:
        with_tiny(hub)
        left = cache_folder() / f"models--{TINY.replace('/', '--')}" / "blobs" / f"{'a' * 64}.{'b' * 8}.incomplete"
        left.write_bytes(b"x" * 2_000_000)
        os.utime(left, (1, 1))

    with hub_window(windows, fill) as at:
        at.window.press("sweepCache")
        at.until(lambda: at.window.sees("sweepDialog"))
        assert "1 unfinished file, 2 MiB" in question_text(at, "sweepDialog")
        at.window.press("sweepDialog-sweep")
        at.until(lambda: not at.window.find(QPushButton, "sweepCache").isVisible())
        assert list(cache_folder().rglob("*.incomplete")) == []
        assert at.window.sees(f"launch-{TINY}")


def test_the_cache_moves_to_a_folder_that_is_chosen(windows: Windows, tmp_path: Path) -> None:
    target = tmp_path / "other disk" / "hub"
    target.mkdir(parents=True)
    with hub_window(windows, with_tiny) as at:
        at.window.press("moveCache")
        at.until(lambda: at.window.sees("moveCacheDialog"))
        at.window.find(QFileDialog, "moveCacheDialog").fileSelected.emit(str(target))
        at.window.find(QFileDialog, "moveCacheDialog").reject()
        at.until(lambda: any(target.rglob("model.safetensors")))
        at.until(lambda: at.window.app.services is not None and at.window.app.services.hub.cache.folder == target)
        at.until(lambda: at.window.sees(f"launch-{TINY}"))


def test_a_download_is_no_rest_to_get_and_deleting_a_paused_one_is_told_it(windows: Windows, tmp_path: Path) -> None:
    def fill(hub: FakeHub) -> None:
        add_tiny(hub, tmp_path, weight_bytes=8 << 20)
        hub.rate = 2e6

    with hub_window(windows, fill) as at:
        at.open_hub()
        at.choose(TINY)
        at.window.press("getButton")
        at.until(lambda: at.window.find(QProgressBar, "getBar").value() > 200)
        at.open_local()
        at.until(lambda: at.window.sees(f"cached-{TINY}") and "Being downloaded" in state(at))
        assert not at.window.sees(f"get-{TINY}")
        assert not at.window.find(QPushButton, f"delete-{TINY}").isEnabled()
        at.window.press("tabHub")
        at.window.press("pauseButton")
        at.until(lambda: at.window.sees("resumeButton"))
        at.open_local()
        at.until(lambda: at.window.sees(f"get-{TINY}"))
        at.window.press(f"delete-{TINY}")
        at.window.press("deleteModelDialog-delete")
        at.until(lambda: not at.window.sees(f"cached-{TINY}"))
        at.window.press("tabHub")
        at.until(lambda: at.window.text("getFigures").startswith("0 MiB of 8 MiB · 0 of"))
        at.hub.rate = 0.0
        at.window.press("resumeButton")
        at.until(lambda: at.window.sees("launchHubButton"))


def test_what_was_served_can_be_deleted_when_the_server_has_ended(windows: Windows, engine: FakeEngine) -> None:
    engine.behave()
    with hub_window(windows, with_tiny) as at:
        at.window.add_engine(engine)
        at.open_local()
        at.window.press(f"launch-{TINY}")
        at.until(lambda: at.window.sees("stopServerButton"))
        at.window.go("models")
        at.until(lambda: "In use" in state(at))
        assert not at.window.find(QPushButton, f"delete-{TINY}").isEnabled()
        at.window.go("launch")
        at.window.press("stopServerButton")
        at.window.go("models")
        at.until(lambda: at.window.find(QPushButton, f"delete-{TINY}").isEnabled())
        assert "In use" not in state(at)


def test_a_server_that_ends_while_the_window_closes_is_no_reason_to_look(windows: Windows) -> None:
    """The services may be gone by then."""
    window = windows.start()
    bridge, filling = window.app.bridge, window.app.filling
    assert bridge is not None
    assert filling is not None
    looks: list[CacheChanged] = []
    states: list[ServerStatus] = []
    bridge.on(CacheChanged, looks.append, owner=window.main)
    bridge.on(ServerStatus, states.append, owner=window.main)
    for ended in (False, True):
        looks.clear()
        states.clear()
        window.until(lambda: bridge.idle)
        if ended:
            filling.end()
        bridge.post(ServerStatus(ServerState.READY if not ended else ServerState.IDLE))
        window.until(lambda: bool(states) and bridge.idle)
        assert bool(looks) is not ended
