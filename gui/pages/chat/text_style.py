"""Fonts, formats and distances of a message's text, made from the palette, the font and the zoom."""

from __future__ import annotations

from typing import Final

from PySide6.QtGui import QColor, QFont, QPalette, QTextBlockFormat, QTextCharFormat, QTextFormat, QTextFrameFormat

from core.typeset.code import Ink
from gui.theme import STEP, fixed_font

# On the ground of code (AlternateBase) each has a contrast of 4.5 or more; a test holds them to it.
LIGHT: Final = {
    Ink.KEYWORD: "#8a1c7c",
    Ink.NAME: "#0b5a8a",
    Ink.TEXT: "#1b652d",
    Ink.NUMBER: "#8a4b00",
    Ink.COMMENT: "#566170",
    Ink.ADDED: "#1b652d",
    Ink.REMOVED: "#b3261e",
}
DARK: Final = {
    Ink.KEYWORD: "#e39be0",
    Ink.NAME: "#7cc4ea",
    Ink.TEXT: "#9bd18b",
    Ink.NUMBER: "#f0b27a",
    Ink.COMMENT: "#9ba7b5",
    Ink.ADDED: "#9bd18b",
    Ink.REMOVED: "#ff9b91",
}
HEADINGS: Final = (1.45, 1.25, 1.12, 1.0, 1.0, 1.0)
LEAST_POINTS: Final = 6.0
FIXED_HEIGHT: Final = QTextBlockFormat.LineHeightTypes.FixedHeight.value
PROPORTIONAL: Final = QTextBlockFormat.LineHeightTypes.ProportionalHeight.value
FORMULA: Final = QTextFormat.Property.UserProperty.value + 1
"""The source of a formula, on the text or the drawing that shows it."""

FIXED: Final = ("fixed",)
"""Of code in its frame and of a formula's source."""

Role = QPalette.ColorRole


class TextStyle:
    """One look of one message. Formats are kept: making one costs more than using it."""

    def __init__(self, palette: QPalette, font: QFont) -> None:
        self.font = font
        self.points = max(LEAST_POINTS, font.pointSizeF())
        self.code_font = fixed_font()
        self.code_font.setPointSizeF(self.points * 0.95)
        self.text = palette.color(Role.Text)
        self.quiet = palette.color(Role.PlaceholderText)
        self.link = palette.color(Role.Link)
        self.ground = palette.color(Role.AlternateBase)
        self.line = palette.color(Role.Mid)
        # Not Base: the style sheet makes it transparent for messages.
        self.dark = self.text.lightness() > 128
        self.indent = 2.2 * self.points
        self._characters: dict[tuple[str, ...], QTextCharFormat] = {}
        self.inks = {ink: _coloured(colour) for ink, colour in (DARK if self.dark else LIGHT).items()}

    def characters(self, marks: tuple[str, ...]) -> QTextCharFormat:
        """Of text within `marks`: "strong", "em", "s", "code", "quiet", "h1" … "h6", "link:<address>"."""
        found = self._characters.get(marks)
        if found is None:
            found = QTextCharFormat()
            for mark in marks:
                self._mark(found, mark)
            if not any(mark.startswith("link:") for mark in marks):
                self._characters[marks] = found
        return found

    def _mark(self, form: QTextCharFormat, mark: str) -> None:
        if mark == "strong":
            form.setFontWeight(QFont.Weight.Bold)
        elif mark == "em":
            form.setFontItalic(True)
        elif mark == "s":
            form.setFontStrikeOut(True)
        elif mark == "quiet":
            form.setForeground(self.quiet)
        elif mark in ("code", "fixed"):
            form.setFontFamilies([self.code_font.family()])
            form.setFontFixedPitch(True)
            form.setFontPointSize(self.code_font.pointSizeF())
            if mark == "code":
                form.setBackground(self.ground)
        elif mark.startswith("link:"):
            form.setAnchor(True)
            form.setAnchorHref(mark[5:])
            form.setForeground(self.link)
            form.setFontUnderline(True)
        elif mark[:1] == "h":
            form.setFontWeight(QFont.Weight.DemiBold)
            form.setFontPointSize(self.points * HEADINGS[int(mark[1:]) - 1])

    def bullet(self, characters: QTextCharFormat) -> QTextCharFormat:
        """Of a list's mark beside text in `characters`: Qt draws it the width of a space away, which is too little, and
        a fixed font's is nearly twice as wide (6.11, QTextDocumentLayout: the space of the block's font, whatever its
        spacing)."""
        form = QTextCharFormat(characters)
        form.setFontFamilies([self.code_font.family()])
        return form

    def paragraph(self, *, above: float = 0.0, below: float = STEP, level: int = 0) -> QTextBlockFormat:
        form = QTextBlockFormat()
        form.setTopMargin(above)
        form.setBottomMargin(below)
        form.setLineHeight(112.0, PROPORTIONAL)
        if level:
            form.setIndent(level)
        return form

    def nothing(self) -> tuple[QTextBlockFormat, QTextCharFormat]:
        """Of an empty line that Qt wants beside a frame: as good as not there."""
        block, characters = QTextBlockFormat(), QTextCharFormat()
        block.setLineHeight(1.0, FIXED_HEIGHT)
        characters.setFontPointSize(1.0)
        return block, characters

    def code_frame(self, margin: float) -> QTextFrameFormat:
        """Room for the ground that is painted below it and for a line with the language above the code."""
        form = QTextFrameFormat()
        form.setPadding(1.2 * self.points)
        form.setTopMargin(0.5 * STEP + self.code_header - 0.6 * self.points)
        form.setBottomMargin(STEP)
        form.setLeftMargin(margin)
        return form

    @property
    def code_header(self) -> float:
        return 2.2 * self.points

    def quote_frame(self, margin: float) -> QTextFrameFormat:
        form = QTextFrameFormat()
        form.setLeftMargin(margin + 2 * STEP)
        form.setTopMargin(STEP)
        form.setBottomMargin(STEP)
        return form


def _coloured(colour: str) -> QTextCharFormat:
    form = QTextCharFormat()
    form.setForeground(QColor(colour))
    return form
