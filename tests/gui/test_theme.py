"""Both themes can be read by everyone, and switch while the window is open."""

from __future__ import annotations

import re

import pytest
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QComboBox

from gui.style_sheet import STYLE_SHEET
from gui.theme import DARK, LIGHT, TEXT_PAIRS, contrast
from tests.gui.conftest import Window, Windows

AA = 4.5


def test_the_measure_itself_is_right() -> None:
    assert contrast(QColor("#000000"), QColor("#ffffff")) == pytest.approx(21.0)
    assert contrast(QColor("#777777"), QColor("#ffffff")) == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_every_text_reaches_aa_on_its_ground(colours: dict[QPalette.ColorRole, str]) -> None:
    weak = {
        f"{text.name} on {ground.name}": round(ratio, 2)
        for text, ground in TEXT_PAIRS
        if (ratio := contrast(QColor(colours[text]), QColor(colours[ground]))) < AA
    }
    assert weak == {}


def test_the_style_sheet_names_no_colour_of_its_own() -> None:
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b|rgba?\(", STYLE_SHEET) == []


def test_the_setting_switches_the_open_window(window: Window) -> None:
    def ground() -> str:
        return window.main.palette().color(QPalette.ColorRole.Window).name()

    window.go("settings")
    box = window.find(QComboBox, "themeBox")
    for theme, colours in (("dark", DARK), ("light", LIGHT)):
        box.setCurrentIndex(box.findData(theme))
        box.activated.emit(box.currentIndex())
        window.until(lambda colours=colours: ground() == colours[QPalette.ColorRole.Window])
        picture = window.main.nav_buttons["chat"].icon().pixmap(20, 20).toImage()
        dots = [picture.pixelColor(x, y) for x in range(20) for y in range(20)]
        inks = {dot.name() for dot in dots if dot.alpha() > 250}
        assert colours[QPalette.ColorRole.ButtonText] in inks


def test_the_chosen_theme_is_there_at_the_next_start(windows: Windows) -> None:
    window = windows.start(theme="dark")
    assert window.main.palette().color(QPalette.ColorRole.Window).name() == DARK[QPalette.ColorRole.Window]
