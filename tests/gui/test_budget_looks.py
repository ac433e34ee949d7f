"""A bar can be read: contrast in both themes, neighbours that differ without colour, labels only where they fit."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPalette
from PySide6.QtWidgets import QApplication

from gui.budget.bar import PAD, boxes_of, paint_bar, part_at
from gui.budget.inks import PATTERNS, inks_of
from gui.budget.motion import between
from gui.budget.terms import BudgetTerms
from gui.budget.view import BudgetView, Look, Span
from gui.budget.views import BudgetViews
from gui.theme import DARK, LIGHT, contrast, palette_of
from tests.support import machines

PALETTES = [pytest.param(palette_of(LIGHT), id="light"), pytest.param(palette_of(DARK), id="dark")]
LABELLED = [look for look in Look if look is not Look.OVERFLOW]
USED = [look for look in Look if look is not Look.FREE]


@pytest.mark.parametrize("palette", PALETTES)
@pytest.mark.parametrize("look", LABELLED)
def test_labels_reach_wcag_aa(palette: QPalette, look: Look) -> None:
    ink = inks_of(palette)[look]
    assert contrast(ink.text, ink.ground) >= 4.5


@pytest.mark.parametrize("palette", PALETTES)
@pytest.mark.parametrize("look", USED)
def test_what_is_used_stands_out_from_what_is_free(palette: QPalette, look: Look) -> None:
    """WCAG 1.4.11: a part's ground or its edge has 3:1 against the free part and the strip below."""
    inks = inks_of(palette)
    best = max((inks[look].edge, inks[look].ground), key=lambda colour: contrast(colour, inks[Look.FREE].ground))
    assert contrast(best, inks[Look.FREE].ground) >= 3
    assert contrast(best, palette.color(QPalette.ColorRole.Base)) >= 3


@pytest.mark.parametrize("palette", PALETTES)
def test_neighbours_differ_without_colour(palette: QPalette) -> None:
    """In the order of a bar, by lightness or by pattern."""
    inks = inks_of(palette)
    order = (Look.OURS, Look.KV_FREE, Look.PROCESS, Look.PROCESS_ODD, Look.PROCESS, Look.DRIVER, Look.OTHER, Look.FREE)
    for one, other in pairwise(order):
        by_pattern = PATTERNS[one] != PATTERNS[other]
        by_tone = contrast(inks[one].ground, inks[other].ground) >= 1.25
        assert by_pattern or by_tone, (one, other)


def drawn(view: BudgetView, width: int, palette: QPalette, font: QFont) -> QImage:
    image = QImage(width, 20, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.magenta)
    painter = QPainter(image)
    paint_bar(painter, QRectF(0, 0, width, 20), view, inks_of(palette), font)
    painter.end()
    return image


def view_of(name: str, budget_id: str) -> BudgetView:
    views = BudgetViews(BudgetTerms("en")).all(getattr(machines, name)())
    return next(view for view in views if view.id == budget_id)


def close(one: QColor, other: QColor) -> bool:
    return all(abs(a - b) <= 2 for a, b in zip(one.getRgb(), other.getRgb(), strict=True))  # pyright: ignore[reportArgumentType]


def test_each_part_is_painted_where_it_lies(qapp: QApplication) -> None:
    palette, view = palette_of(LIGHT), view_of("desktop", "GPU-0")
    image = drawn(view, 1200, palette, qapp.font())
    inks = inks_of(palette)
    for look, gibs in ((Look.OURS, 5.0), (Look.PROCESS, 8.8), (Look.PROCESS_ODD, 9.3), (Look.FREE, 11.8)):
        # Near the lower edge there are no letters.
        assert close(image.pixelColor(round(gibs * 100), 17), inks[look].ground), look
    hatched = {image.pixelColor(x, 17).name() for x in range(700, 820)}
    assert {inks[Look.KV_FREE].ground.name(), inks[Look.KV_FREE].edge.name()} <= hatched


def test_labels_are_drawn_only_where_they_fit(qapp: QApplication) -> None:
    font = qapp.font()
    ink = inks_of(palette_of(LIGHT))[Look.OURS]
    room = QFontMetricsF(font).horizontalAdvance("our server 5.5") + 2 * PAD
    for width, labelled in ((room + 2, True), (room - 2, False)):
        whole = 1000
        span = Span("ours:", Look.OURS, 0, width / whole, ("our server 5.5",), "")
        image = drawn(BudgetView("x", "", "", "", spans=(span,)), whole, palette_of(LIGHT), font)
        colours = {image.pixelColor(x, y).name() for x in range(6, int(width) - 3) for y in range(4, 16)}
        assert (colours != {ink.ground.name()}) == labelled


def test_a_point_leads_to_its_part(qapp: QApplication) -> None:
    del qapp
    place, view = QRectF(10, 0, 1200, 20), view_of("desktop", "GPU-0")
    for number, (box, _span) in enumerate(boxes_of(place, view)):
        assert part_at(place, view, box.center().x()) == number
    assert part_at(place, view, 5) == -1


def test_half_way_a_part_is_half_way() -> None:
    old = BudgetView("x", "", "", "", spans=(Span("a", Look.OURS, 0.0, 0.2, (), ""),))
    new = BudgetView(
        "x", "", "", "9", spans=(Span("a", Look.OURS, 0.0, 0.6, (), ""), Span("b", Look.FREE, 0.6, 1, (), ""))
    )
    half = between(old, new, 0.5)
    assert [(span.key, span.start, span.end) for span in half.spans] == [
        ("a", 0.0, pytest.approx(0.4)),
        ("b", 0.6, 1),
    ]
    assert half.figure == "9"


def test_unknown_is_not_painted_as_free(qapp: QApplication) -> None:
    palette = palette_of(LIGHT)
    image = drawn(view_of("unknown_figures", "GPU-0"), 400, palette, qapp.font())
    free = inks_of(palette)[Look.FREE].ground
    assert not any(close(image.pixelColor(x, 10), free) for x in range(2, 398))
