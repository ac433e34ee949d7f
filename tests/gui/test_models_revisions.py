"""Revisions of one model in the window: each has a download, a button and a place on this computer of its own."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtWidgets import QComboBox

from tests.fakes.fake_hub import FakeHub
from tests.gui.conftest import Windows
from tests.gui.hub_window import TINY, HubWindow, add_tiny, hub_window
from tests.support.fake_engine import FakeEngine
from tests.support.hub_cache import snapshot_download

MIB = 1 << 20


def two_branches(folder: Path, *, rate: float = 0.0):
    """`dev` is what `main` was before its weights changed."""

    def fill(hub: FakeHub) -> None:
        add_tiny(hub, folder, weight_bytes=4 * MIB)
        repo = hub.repos[TINY]
        before = repo.branches["main"]
        weights = repo.head.files["model.safetensors"]
        data = b"".join(bytes(piece) for piece in weights.pieces(0, weights.size))
        hub.commit(TINY, {"model.safetensors": data[:-1] + b"\x01"})
        repo.branches["dev"] = before
        hub.rate = rate

    return fill


def cache() -> Path:
    return Path(os.environ["HF_HOME"]) / "hub"


def fetched(hub: FakeHub, branch: str, *, but: str = "") -> Path:
    """What another tool fetched of a branch, without the file `but`. Returns the snapshot."""
    snapshot = snapshot_download(TINY, hub=hub, cache=cache(), revision=branch)
    if but:
        (snapshot / but).unlink()
    return snapshot


def choose_revision(at: HubWindow, name: str) -> None:
    box = at.window.find(QComboBox, "revisionBox")
    place = box.findText(name)
    box.setCurrentIndex(place)
    box.activated.emit(place)
    repo = at.hub.repos[TINY]
    at.until(lambda: at.pane.row is not None and at.pane.row.commit == repo.branches[name])


def test_two_unfinished_branches_are_two_downloads(windows: Windows, tmp_path: Path) -> None:
    with hub_window(windows, two_branches(tmp_path, rate=MIB / 2)) as at:
        at.open_hub()
        at.choose(TINY)
        at.window.press("getButton")
        at.until(lambda: at.window.sees("pauseButton"))
        at.window.press("pauseButton")
        at.until(lambda: at.window.sees("resumeButton"))
        choose_revision(at, "dev")
        assert at.window.sees("getButton"), "this branch is not being fetched"
        at.window.press("getButton")
        at.until(lambda: at.window.sees("pauseButton"))
        at.window.press("downloadsButton")
        at.until(lambda: at.window.sees(f"download-{TINY}@dev"))
        assert at.window.sees(f"download-{TINY}")
        assert at.window.sees(f"resume-download-{TINY}"), "the first one still is paused"
        at.window.press(f"cancel-download-{TINY}@dev")
        at.until(lambda: not at.window.sees(f"download-{TINY}@dev"))
        at.until(lambda: at.window.sees("getButton"))
        choose_revision(at, "main")
        at.until(lambda: at.window.sees("resumeButton"))
        at.hub.rate = 0.0
        at.window.press("resumeButton")
        at.until(lambda: at.window.sees("launchHubButton"))


def test_another_branch_of_a_model_that_is_here_is_got_and_launched(
    windows: Windows, tmp_path: Path, engine: FakeEngine
) -> None:
    engine.behave()
    with hub_window(windows, two_branches(tmp_path)) as at:
        at.window.add_engine(engine)
        at.open_hub()
        at.choose(TINY)
        at.window.press("getButton")
        at.until(lambda: at.window.sees("launchHubButton"))
        choose_revision(at, "dev")
        at.until(lambda: at.window.sees("getLaunchButton"))
        at.window.press("getLaunchButton")
        at.until(lambda: at.window.main.shown_page == "chat")
        assert at.window.app.services is not None
        assert at.window.app.services.server_status.model == f"{TINY}@dev"


def test_a_model_that_has_changed_on_the_hub_is_launched_or_got_anew(windows: Windows, tmp_path: Path) -> None:
    def fill(hub: FakeHub) -> None:
        add_tiny(hub, tmp_path)
        snapshot_download(TINY, hub=hub, cache=cache())
        hub.commit(TINY, {"tokenizer.json": "{ }"})

    with hub_window(windows, fill) as at:
        at.open_hub()
        at.choose(TINY)
        at.until(lambda: at.window.sees("getNewerButton"))
        assert at.window.sees("launchHubButton"), "what is here is still good"
        at.window.press("getNewerButton")
        at.until(lambda: at.window.sees("launchHubButton") and not at.window.sees("getNewerButton"))
        new = at.hub.repos[TINY].branches["main"]
        assert any(cache().rglob(f"snapshots/{new}/tokenizer.json"))


def test_on_this_computer_the_branch_that_is_here_is_the_one_that_is_meant(
    windows: Windows, tmp_path: Path, engine: FakeEngine
) -> None:
    """Main is here in part and another branch in whole: that one is launched."""
    engine.behave()

    def fill(hub: FakeHub) -> None:
        two_branches(tmp_path)(hub)
        fetched(hub, "main", but="tokenizer.json")
        fetched(hub, "dev")

    with hub_window(windows, fill) as at:
        at.window.add_engine(engine)
        at.open_local()
        at.window.press(f"launch-{TINY}")
        at.until(lambda: at.window.sees("stopServerButton"))
        assert at.window.app.services is not None
        assert at.window.app.services.server_status.model == f"{TINY}@dev"


def test_the_rest_is_got_of_the_branch_that_is_here_in_part(windows: Windows, tmp_path: Path) -> None:
    def fill(hub: FakeHub) -> None:
        two_branches(tmp_path)(hub)
        fetched(hub, "dev", but="tokenizer.json")

    with hub_window(windows, fill) as at:
        at.open_local()
        at.window.press(f"get-{TINY}")
        at.until(lambda: at.window.sees(f"launch-{TINY}"))
        branches = at.hub.repos[TINY].branches
        assert (
            cache() / f"models--{TINY.replace('/', '--')}" / "snapshots" / branches["dev"] / "tokenizer.json"
        ).exists()
        assert not any(cache().rglob(branches["main"])), "the main branch was not asked for"
