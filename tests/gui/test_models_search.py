"""Search in the window: real widgets, real services, a Hub on loopback."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QPushButton, QWidget

from core.hub.model import Fit
from gui.pages.models.repo_list_model import FIRST_SKELETONS
from tests.fakes.fake_hub import FakeHub
from tests.fakes.hub_faults import Fault
from tests.gui.conftest import Windows
from tests.gui.hub_window import TINY, HubWindow, add_published, add_tiny, hub_window
from tests.gui.test_language_switch import switch


def searches(hub: FakeHub) -> list[str]:
    """The words that the Hub was asked to look for."""
    asked = [request.query for request in hub.log.all() if request.path == "/api/models"]
    return [word for query in asked for word in query.get("search", [])]


def test_nothing_is_asked_of_the_hub_before_the_user_asks(windows: Windows, tmp_path: Path) -> None:
    with hub_window(windows, lambda hub: add_tiny(hub, tmp_path)) as at:
        at.window.go("settings")
        at.window.go("models")
        assert at.window.sees("localTab")
        assert at.hub.log.all() == []
        at.open_hub()
        assert at.names == [TINY]


def test_typing_leads_to_a_list_with_badges(windows: Windows, tmp_path: Path) -> None:
    def fill(hub: FakeHub) -> None:
        add_tiny(hub, tmp_path)
        add_published(hub, tmp_path, "org/Big-70B", "meta-llama__Llama-3.3-70B-Instruct")
        add_tiny(hub, tmp_path, "other/Thing")

    with hub_window(windows, fill) as at:
        at.type("org")
        assert searches(at.hub) == [], "it waits until typing rests"
        at.until(lambda: sorted(at.names) == ["org/Big-70B", TINY])
        assert len(searches(at.hub)) == 1, "one search, not one per key"
        at.until(lambda: all(row.badge is not None for row in at.rows))
        fits = {row.repo_id: row.badge.fit for row in at.rows if row.badge is not None}
        assert fits[TINY] in (Fit.FITS, Fit.TIGHT)
        assert fits["org/Big-70B"] is Fit.NO
        big = next(row for row in at.rows if row.repo_id == "org/Big-70B")
        assert (big.weight_bytes or 0) > 100 << 30


def test_an_older_search_never_replaces_a_newer_one(windows: Windows, tmp_path: Path) -> None:
    def fill(hub: FakeHub) -> None:
        add_tiny(hub, tmp_path, "aaa/First")
        add_tiny(hub, tmp_path, "bbb/Second")
        hub.faults.set("/api/models", Fault(times=1, delay_s=1.5))

    with hub_window(windows, fill) as at:
        at.enter("aaa")
        at.until(lambda: at.view.rows.rowCount() == FIRST_SKELETONS)
        at.enter("bbb")
        at.until(lambda: at.names == ["bbb/Second"])
        at.until(lambda: "aaa" in searches(at.hub))  # the Hub has answered the first one by now
        # Nothing is on its way any more: had the first one been heard, it would stand there now.
        at.until(lambda: at.window.app.bridge is not None and at.window.app.bridge.idle)
        assert at.names == ["bbb/Second"]


def test_badges_arriving_keep_the_selection_and_the_place(windows: Windows, tmp_path: Path) -> None:
    count = 40

    def fill(hub: FakeHub) -> None:
        for number in range(count):
            add_tiny(hub, tmp_path, f"org/Model-{number:02d}")
        hub.faults.set("org/Model-30/config.json", Fault(delay_s=0.5))

    with hub_window(windows, fill) as at:
        at.open_hub()
        at.choose(at.names[20])
        chosen, place = at.names[20], at.view.verticalScrollBar().value()
        assert place > 0
        at.until(lambda: all(row.badge is not None for row in at.rows))
        assert at.view.chosen is not None
        assert at.view.chosen.repo_id == chosen
        assert at.view.verticalScrollBar().value() == place
        assert at.pane.row is not None
        assert at.pane.row.repo_id == chosen


def test_the_next_page_comes_at_the_end_of_the_list(windows: Windows, tmp_path: Path) -> None:
    def fill(hub: FakeHub) -> None:
        hub.page_size = 20
        for number in range(60):
            add_tiny(hub, tmp_path, f"org/Model-{number:02d}")

    with hub_window(windows, fill) as at:
        at.open_hub()
        first = at.names
        assert len(first) < 60
        at.choose(first[3])
        at.view.scrollToBottom()
        at.until(lambda: len(at.rows) > len(first))
        assert at.names[: len(first)] == first
        assert at.view.chosen is not None
        assert at.view.chosen.repo_id == first[3]
        for _ in range(6):
            before = len(at.rows)
            at.view.scrollToBottom()
            if before < 60:
                at.until(lambda before=before: len(at.rows) > before)
        assert len(set(at.names)) == 60


def test_a_pasted_address_goes_straight_to_its_model(windows: Windows, tmp_path: Path) -> None:
    with hub_window(windows, lambda hub: add_tiny(hub, tmp_path)) as at:
        at.paste(f"https://huggingface.co/{TINY}/tree/main")
        at.until(lambda: at.shows(TINY))
        assert searches(at.hub) == []
        assert at.visible_text("detailsTitle") == TINY
        assert at.names == [TINY]


def test_a_pasted_name_goes_straight_to_its_model(windows: Windows, tmp_path: Path) -> None:
    with hub_window(windows, lambda hub: add_tiny(hub, tmp_path)) as at:
        at.paste(TINY)
        at.until(lambda: at.shows(TINY))
        assert searches(at.hub) == []


def test_a_name_that_nobody_has_is_searched_for(windows: Windows, tmp_path: Path) -> None:
    with hub_window(windows, lambda hub: add_tiny(hub, tmp_path)) as at:
        at.paste("org/Tiny")
        at.until(lambda: at.names == [TINY])
        assert searches(at.hub) == ["org/Tiny"]


def test_the_fit_filter_hides_what_does_not_run(windows: Windows, tmp_path: Path) -> None:
    def fill(hub: FakeHub) -> None:
        add_tiny(hub, tmp_path)
        add_published(hub, tmp_path, "org/Big-70B", "meta-llama__Llama-3.3-70B-Instruct")

    with hub_window(windows, fill) as at:
        at.open_hub()
        box = at.window.find(QComboBox, "fitFilter")
        box.setCurrentIndex(box.findData("fits"))
        box.activated.emit(box.currentIndex())
        at.until(lambda: at.names == [TINY])
        at.window.press("clearFilters")
        at.until(lambda: len(at.rows) == 2)


def test_nothing_found_says_what_to_do(windows: Windows, tmp_path: Path) -> None:
    with hub_window(windows, lambda hub: add_tiny(hub, tmp_path)) as at:
        at.enter("no such words")
        at.until(lambda: at.window.sees("hubInstead"))
        assert "no such words" in at.window.text("hubInsteadTitle")
        assert not at.window.sees("hubClearFilters"), "no filter is set"


def test_offline_says_so_and_the_local_models_still_work(windows: Windows, tmp_path: Path) -> None:
    with hub_window(windows, lambda hub: add_tiny(hub, tmp_path), hub_offline=True) as at:
        at.window.press("tabHub")
        at.until(lambda: at.window.sees("hubInstead"))
        shown = [label.text() for label in at.window.find(QWidget, "hubInstead").findChildren(QLabel)]
        assert any("ffline" in text for text in shown)
        assert at.hub.log.all() == []
        at.open_local()
        assert at.window.find(QPushButton, "launch-starter").isVisible()


def test_a_hub_that_does_not_answer_leaves_a_retry(windows: Windows, tmp_path: Path) -> None:
    def fill(hub: FakeHub) -> None:
        add_tiny(hub, tmp_path)
        hub.faults.set("/api/models", Fault(status=500))

    with hub_window(windows, fill) as at:
        at.window.press("tabHub")
        at.until(lambda: at.window.sees("hubAgain"))
        at.hub.faults.clear()
        at.window.press("hubAgain")
        at.until(lambda: at.names == [TINY])


def test_keys_walk_through_the_list(windows: Windows, tmp_path: Path) -> None:
    def fill(hub: FakeHub) -> None:
        for number in range(3):
            add_tiny(hub, tmp_path, f"org/Model-{number}")

    with hub_window(windows, fill) as at:
        at.open_hub()
        at.choose(at.names[0])
        at.window.bot.keyClick(at.view, Qt.Key.Key_Down)
        at.until(lambda: at.shows(at.names[1]))
        assert at.visible_text("detailsTitle") == at.names[1]


def test_an_address_that_is_none_is_said_in_words(windows: Windows, tmp_path: Path) -> None:
    with hub_window(windows, lambda hub: add_tiny(hub, tmp_path)) as at:
        services = at.window.app.services
        assert services is not None
        services.settings.change(hub_endpoint="not an address")
        at.paste(TINY)
        at.until(lambda: at.window.sees("detailsFailure"))
        at.enter("tiny")
        at.until(lambda: at.window.sees("hubInstead"))
        services.settings.change(hub_endpoint=at.hub.url)
        at.window.press("hubAgain")
        at.until(lambda: at.names == [TINY])


def test_another_language_finds_the_search_as_it_was(windows: Windows, tmp_path: Path) -> None:
    def fill(hub: FakeHub) -> None:
        for name in ("org/Alpha-1B", "org/Beta-1B", "other/Thing"):
            add_tiny(hub, tmp_path, name)

    with hub_window(windows, fill) as at:
        at.window.go("models")
        at.enter("org")
        at.until(lambda: len(at.names) == 2)
        sort = at.window.find(QComboBox, "sortBox")
        sort.setCurrentIndex(sort.findData("likes"))
        sort.activated.emit(sort.currentIndex())
        at.choose("org/Beta-1B")
        switch(at.window, "ru")
        again = HubWindow(at.window, at.hub)
        at.window.go("models")
        again.until(lambda: again.shows("org/Beta-1B"))
        assert at.window.find(QLineEdit, "hubSearch").text() == "org"
        assert at.window.find(QComboBox, "sortBox").currentData() == "likes"
        assert sorted(again.names) == ["org/Alpha-1B", "org/Beta-1B"]
        again.type("thing")
        again.until(lambda: again.names == ["other/Thing"])
