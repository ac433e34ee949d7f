"""The Models page without eyes, without a mouse, in the smallest window, in both languages."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QAccessible

from gui.window import SMALLEST
from tests.fakes.fake_hub import FakeHub
from tests.gui.conftest import Windows
from tests.gui.hub_window import TINY, add_tiny, hub_window
from tests.gui.test_access import cut_off, nameless
from tests.gui.test_models_cache import cache_folder
from tests.support.hub_cache import snapshot_download

GATED = "org/Gated-1B"


@pytest.mark.parametrize("language", ["en", "ru"])
def test_every_state_fits_the_smallest_window_and_has_names(windows: Windows, tmp_path: Path, language: str) -> None:
    def fill(hub: FakeHub) -> None:
        add_tiny(hub, tmp_path, weight_bytes=4 << 20)
        add_tiny(hub, tmp_path, GATED, gated="manual", token="hf_valid")
        add_tiny(hub, tmp_path, "org/Here-1B")
        snapshot_download("org/Here-1B", hub=hub, cache=cache_folder())
        hub.rate = 1e6

    with hub_window(windows, fill, language=language) as at:
        at.window.main.resize(*SMALLEST)
        problems: dict[str, list[str]] = {}

        def look(state: str) -> None:
            assert at.window.main.size().toTuple() == SMALLEST, state
            if found := at.window.lasting(lambda: cut_off(at.window.main) + nameless(at.window.main)):
                problems[state] = found

        at.until(lambda: at.window.sees("cached-org/Here-1B"))
        look("local")
        at.open_hub()
        at.window.press("moreFilters")
        look("list")
        at.window.press("moreFilters")
        at.choose(GATED)
        at.window.press("getButton")
        at.until(lambda: at.window.sees("gateCard"))
        look("gated")
        at.choose(TINY)
        look("details")
        at.window.press("getButton")
        at.until(lambda: at.window.sees("pauseButton"))
        look("getting")
        at.window.press("downloadsButton")
        look("downloads")
        at.window.press("closeDownloads")
        at.enter("nothing has this name")
        at.until(lambda: at.window.sees("hubInstead"))
        look("nothing")
        at.window.go("settings")
        look("settings")
        assert problems == {}


def test_a_row_tells_a_screen_reader_all_that_it_shows(windows: Windows, tmp_path: Path) -> None:
    with hub_window(windows, lambda hub: add_tiny(hub, tmp_path)) as at:
        at.open_hub()
        at.until(lambda: at.rows[0].badge is not None)
        cell = QAccessible.queryAccessibleInterface(at.view).child(0)
        said = cell.text(QAccessible.Text.Name)
        assert TINY in said
        assert "fits" in said
        assert "2k context" in said
