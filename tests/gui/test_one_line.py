"""Labels of a fixed number of lines: whole where there is room, "…" and a tooltip where there is none."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from gui.widgets.one_line import OneLine, TwoLines

TEXT = "up to 128 · room for 5.7 at full length"


@pytest.mark.parametrize("kind", [OneLine, TwoLines])
def test_what_fits_stands_in_one_line(qtbot: QtBot, kind: type[OneLine]) -> None:
    label = kind("quiet")
    qtbot.addWidget(label)
    label.resize(label.fontMetrics().horizontalAdvance(TEXT) + 4, 60)
    label.set_full_text(TEXT)
    assert (label.text(), label.toolTip()) == (TEXT, "")


def test_the_rest_goes_into_a_second_line_before_anything_is_cut(qtbot: QtBot) -> None:
    label = TwoLines("quiet")
    qtbot.addWidget(label)
    label.show()  # what is hidden hears of no size
    measure = label.fontMetrics().horizontalAdvance
    label.set_full_text(TEXT)
    label.resize(measure("up to 128 · room for 5.7") + 4, 60)
    assert label.text() == "up to 128 · room for 5.7\nat full length"
    assert label.toolTip() == ""
    assert label.sizeHint().height() > 1.5 * label.fontMetrics().height()
    label.resize(measure("up to 128 ·") + 4, 60)
    first, _, second = label.text().partition("\n")
    assert first == "up to 128 ·"
    assert second.endswith("…")
    assert label.toolTip() == TEXT


def test_a_word_that_is_too_long_is_cut_where_it_stands(qtbot: QtBot) -> None:
    label = TwoLines()
    qtbot.addWidget(label)
    label.resize(label.fontMetrics().horizontalAdvance("incompre"), 60)
    label.set_full_text("incomprehensibilities everywhere")
    assert "\n" not in label.text()
    assert label.text().endswith("…")
