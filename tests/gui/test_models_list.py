"""The list itself: thousands of rows, badges, the fit filter."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QCheckBox, QLineEdit
from pytestqt.qtbot import QtBot

from core.hub.model import Fit, FitBadge, RepoRow, SearchQuery
from gui.pages.chat.markdown import Look
from gui.pages.models.card_markdown import CardRenderer
from gui.pages.models.filter_bar import FilterBar, FilterBox
from gui.pages.models.repo_view import RepoView
from gui.pages.models.repo_words import RepoWords

COUNT = 5000
FITS, NO = FitBadge(Fit.FITS, 8192, tokens_per_s=(20.0, 31.0)), FitBadge(Fit.NO, short_bytes=1 << 30, short_tier="ram")


@pytest.fixture
def view(qtbot: QtBot) -> RepoView:
    made = RepoView(RepoWords("en"))
    qtbot.addWidget(made)
    made.resize(420, 500)
    made.show()
    made.show_page(tuple(RepoRow(f"org/Model-{number}", weight_bytes=1 << 30) for number in range(COUNT)), more=False)
    return made


def top_row(view: RepoView) -> tuple[str, int]:
    """What stands at the upper edge, and how far above it it begins."""
    index = next(
        view.rows.index(place) for place in range(COUNT) if view.visualRect(view.rows.index(place)).bottom() > 0
    )
    row = view.rows.row_at(index.row())
    assert row is not None
    return row.repo_id, view.visualRect(index).top()


def test_only_what_is_in_sight_is_asked_for(view: RepoView) -> None:
    asked: set[int] = set()
    data = view.rows.data
    view.rows.data = lambda index, role=0: asked.add(index.row()) or data(index, role)  # type: ignore[method-assign]
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() // 2)
    view.grab()
    assert 0 < len(asked) < 40


def test_rows_that_the_fit_filter_takes_away_do_not_move_what_is_read(view: RepoView) -> None:
    view.set_fit("fits")
    view.select("org/Model-2500")
    view.scrollTo(view.currentIndex(), RepoView.ScrollHint.PositionAtCenter)
    before = top_row(view)
    for number in range(400):
        view.update_row(
            replace(view.rows.rows[0], badge=NO) if number % 2 else RepoRow(f"org/Model-{number}", badge=NO)
        )
    assert len(view.rows.rows) < COUNT
    assert top_row(view) == before
    assert view.chosen is not None
    assert view.chosen.repo_id == "org/Model-2500"


def test_what_was_chosen_stays_chosen_when_it_is_found_again(view: RepoView) -> None:
    view.select("org/Model-7")
    told: list[object] = []
    view.picked.connect(told.append)
    view.show_page((RepoRow("org/Other"), RepoRow("org/Model-7")), more=False)
    assert view.chosen is not None
    assert view.chosen.repo_id == "org/Model-7"
    assert told == [], "nobody chose anything"


def test_a_badge_that_overtakes_its_page_is_not_lost(qtbot: QtBot) -> None:
    view = RepoView(RepoWords("en"))
    qtbot.addWidget(view)
    view.begin_loading()
    view.update_row(RepoRow("org/Early", commit="c1", badge=FITS))
    view.update_row(RepoRow("org/Old", commit="c1", badge=FITS))
    view.show_page((RepoRow("org/Early", commit="c1"), RepoRow("org/Old", commit="c2")), more=False)
    assert [row.badge for row in view.rows.rows] == [FITS, None]


def test_skeletons_cannot_be_chosen(qtbot: QtBot) -> None:
    view = RepoView(RepoWords("en"))
    qtbot.addWidget(view)
    view.begin_loading()
    view.setCurrentIndex(view.rows.index(2))
    assert view.chosen is None
    assert not view.selectionModel().hasSelection()


@pytest.mark.parametrize(
    ("badge", "said"),
    [
        (FITS, "fits | about 20–31 tok/s"),
        (NO, "does not fit: RAM short by 1.0 GiB | "),
        (FitBadge(Fit.OFFLOAD, offload_bytes=6 << 30), "needs 6.0 GiB in RAM | "),
        (FitBadge(Fit.UNKNOWN), "not known whether it fits | "),
        (None, "looking whether it fits… | "),
    ],
)
def test_a_badge_is_words_too(badge: FitBadge | None, said: str) -> None:
    words = RepoWords("en").badge(badge)
    assert f"{words.text} | {words.speed}" == said


@pytest.mark.parametrize(
    ("text", "kept", "never"),
    [
        ("<script>alert(1)</script>\n\ntext", "text", "<script"),
        ("<img src='http://x.test/a.png' onerror='x'>", 'href="http://x.test/a.png"', "onerror"),
        ("![a](javascript:alert(1))", "[a]", 'javascript:alert(1)"'),
        ("[go](javascript:alert(1))", "go", "<a "),
        ("[go](file:///etc/passwd)", "go", "<a "),
        ("[go](docs/a.md)", 'href="https://hub.test/org/m/resolve/main/docs/a.md"', "javascript"),
        ("<a href='javascript:x'>here</a>", "here", "<a "),
        ("![](figure.png)", "[picture]", "<img"),
    ],
)
def test_a_card_is_harmless(text: str, kept: str, never: str) -> None:
    html = CardRenderer(Look("#eee", "mono", "#ccc"), "https://hub.test/org/m/resolve/main/", "picture").card(text)
    assert kept in html
    assert never not in html
    assert "<img" not in html


def test_every_filter_reaches_the_query(qtbot: QtBot) -> None:
    bar = FilterBar()
    qtbot.addWidget(bar)
    heard: list[SearchQuery] = []
    bar.changed.connect(lambda: heard.append(bar.query("qwen")))
    wished = {
        "sizeFilter": (4, 9),
        "quantizationFilter": "awq",
        "licenceFilter": "mit",
        "gatedFilter": "open",
        "updatedFilter": 30,
        "sortBox": "downloads",
    }
    for name, value in wished.items():
        box = bar.findChildren(FilterBox, name)[0]
        box.setCurrentIndex(next(place for place in range(box.count()) if box.itemData(place) == value))
        box.activated.emit(box.currentIndex())
    author = bar.findChildren(QLineEdit, "authorFilter")[0]
    author.setText(" Qwen ")
    author.editingFinished.emit()
    bar.findChildren(QCheckBox, "unloadableFilter")[0].click()
    wanted = SearchQuery("qwen", "downloads", 4 * 10**9, 9 * 10**9, "awq", "mit", "Qwen", "open", 30, False)
    assert heard[-1] == wanted
    assert len(heard) == 8, "one search for each choice"
    bar.clear()
    assert heard[-1] == SearchQuery("qwen", sort="downloads"), "the order stays"
