"""Colours, type and distances. Fusion with our own light and dark palettes; widgets name palette roles, never colours.

The theme follows the system's colour scheme while it runs, unless the settings say otherwise.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QApplication

from gui.style_sheet import STYLE_SHEET

STEP: Final = 8
"""The grid: every distance is a multiple of it (or half of one)."""

FIELD_HEIGHT: Final = 30

OUTLINED: Final = ("QSpinBox", "QComboBox", "QCheckBox")

Role = QPalette.ColorRole

LIGHT: Final[dict[QPalette.ColorRole, str]] = {
    Role.Window: "#f5f6f8",
    Role.WindowText: "#1a2027",
    Role.Base: "#ffffff",
    Role.AlternateBase: "#eceff3",
    Role.Text: "#1a2027",
    Role.PlaceholderText: "#596473",
    Role.Button: "#ffffff",
    Role.ButtonText: "#1a2027",
    Role.Light: "#ffffff",
    Role.Midlight: "#e3e7ec",
    Role.Mid: "#c3cad3",
    Role.Dark: "#8a95a3",
    Role.Shadow: "#5b6673",
    Role.BrightText: "#b3261e",
    Role.Highlight: "#0b6b8a",
    Role.HighlightedText: "#ffffff",
    Role.Accent: "#0b6b8a",
    Role.Link: "#0b6b8a",
    Role.LinkVisited: "#0b6b8a",
    Role.ToolTipBase: "#1f2730",
    Role.ToolTipText: "#f2f5f8",
}

DARK: Final[dict[QPalette.ColorRole, str]] = {
    Role.Window: "#14181d",
    Role.WindowText: "#e7ebf0",
    Role.Base: "#1c2229",
    Role.AlternateBase: "#262d36",
    Role.Text: "#e7ebf0",
    Role.PlaceholderText: "#9ba7b5",
    Role.Button: "#262d36",
    Role.ButtonText: "#e7ebf0",
    Role.Light: "#323b46",
    Role.Midlight: "#2b333d",
    Role.Mid: "#414c59",
    Role.Dark: "#6b7785",
    Role.Shadow: "#0b0e11",
    Role.BrightText: "#ff9b91",
    Role.Highlight: "#63bfdc",
    Role.HighlightedText: "#0c1a20",
    Role.Accent: "#63bfdc",
    Role.Link: "#63bfdc",
    Role.LinkVisited: "#63bfdc",
    Role.ToolTipBase: "#323b46",
    Role.ToolTipText: "#f2f5f8",
}

# Text on ground: each pair must reach WCAG AA (4.5:1) in both themes.
TEXT_PAIRS: Final = (
    (Role.WindowText, Role.Window),
    (Role.Text, Role.Base),
    (Role.Text, Role.AlternateBase),
    (Role.PlaceholderText, Role.Window),
    (Role.PlaceholderText, Role.Base),
    (Role.PlaceholderText, Role.AlternateBase),
    (Role.ButtonText, Role.Button),
    (Role.ButtonText, Role.Midlight),
    (Role.BrightText, Role.Base),
    (Role.BrightText, Role.Window),
    (Role.HighlightedText, Role.Highlight),
    (Role.HighlightedText, Role.Accent),
    (Role.Accent, Role.Base),
    (Role.Accent, Role.Window),
    (Role.Accent, Role.Midlight),
    (Role.Link, Role.Base),
    (Role.ToolTipText, Role.ToolTipBase),
)


class Theme(QObject):
    """Owner of the application's palette and style sheet. `changed` after every switch, for pictures made from it."""

    changed = Signal()

    def __init__(self, application: QApplication, choice: str = "system") -> None:
        super().__init__(application)
        self._application = application
        self._choice = choice
        # The platform's own palette tells its scheme without the enums of `Qt`, and where the scheme is "unknown" too.
        self._system_dark = application.palette().color(Role.Window).lightness() < 128
        application.setFont(readable_font(application.font()))
        application.styleHints().colorSchemeChanged.connect(self._follow)
        self._apply()

    @property
    def dark(self) -> bool:
        if self._choice in ("light", "dark"):
            return self._choice == "dark"
        return self._system_dark

    def choose(self, choice: str) -> None:
        """Follow the system ("system") or stay "light" or "dark"."""
        if choice != self._choice:
            self._choice = choice
            self._apply()

    def _follow(self) -> None:
        self._system_dark = self._application.styleHints().colorScheme().name == "Dark"
        if self._choice == "system":
            self._apply()

    def _apply(self) -> None:
        colours = DARK if self.dark else LIGHT
        self._application.setPalette(palette_of(colours))
        # Fusion draws a field's outline in a darker shade of Window: on a dark window that is no outline at all.
        outlined = palette_of(colours | {Role.Window: colours[Role.Dark]} if self.dark else colours)
        for kind in OUTLINED:
            # The stub says bytes; PySide6 6.11.3 takes a str and nothing else.
            self._application.setPalette(outlined, kind)  # pyright: ignore[reportArgumentType]
        # Set again on purpose: palette(...) in a style sheet is resolved when it is set.
        self._application.setStyleSheet(STYLE_SHEET)
        self.changed.emit()


def palette_of(colours: dict[QPalette.ColorRole, str]) -> QPalette:
    palette = QPalette()
    for role, colour in colours.items():
        palette.setColor(role, QColor(colour))
    faded = QColor(colours[Role.Dark])
    for role in (Role.WindowText, Role.Text, Role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, faded)
    palette.setColor(QPalette.ColorGroup.Disabled, Role.Highlight, QColor(colours[Role.Mid]))
    return palette


def readable_font(font: QFont) -> QFont:
    """The system's font, at least 10 pt."""
    larger = QFont(font)
    larger.setPointSizeF(max(10.0, font.pointSizeF()))
    return larger


def scaled_font(font: QFont, factor: float, *, strong: bool = False) -> QFont:
    scaled = QFont(font)
    scaled.setPointSizeF(font.pointSizeF() * factor)
    if strong:
        scaled.setWeight(QFont.Weight.DemiBold)
    return scaled


def fixed_font() -> QFont:
    from PySide6.QtGui import QFontDatabase

    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPointSizeF(max(9.5, font.pointSizeF()))
    return font


def contrast(one: QColor, other: QColor) -> float:
    """WCAG 2.2 contrast ratio of two opaque colours, 1 to 21."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: QColor) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (colour.redF(), colour.greenF(), colour.blueF())
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
