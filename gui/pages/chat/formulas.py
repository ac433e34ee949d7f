"""The formulas of one message: their source stands in the text until the drawing comes, and for good if none can."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QByteArray, QRectF, QUrl
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontInfo,
    QFontMetrics,
    QImage,
    QPainter,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextImageFormat,
)

from core.typeset.maths import INK, Formula
from gui.pages.chat.rendering import Rendering
from gui.pages.chat.text_style import FORMULA, TextStyle

# The letters of the formula's font are smaller than those of a window's font of the same size.
SCALE: Final = 1.2
BUDGET_S: Final = 0.005
SCHEME: Final = "stowage-drawing:"
IMAGE: Final = QTextDocument.ResourceType.ImageResource.value
PICTURE_WIDTH: Final = 400.0
PICTURE_HEIGHT: Final = 480.0


@dataclass(frozen=True, slots=True)
class _Waiting:
    place: QTextCursor
    tex: str
    display: bool
    source: str


class Formulas:
    """Args: `width`: the room for a formula, in logical pixels; 0 when it is not known."""

    def __init__(self, document: QTextDocument, rendering: Rendering, style: TextStyle, ratio: float) -> None:
        self._document = document
        self._rendering = rendering
        self._style = style
        self._ratio = ratio
        self._waiting: list[_Waiting] = []
        self._made: dict[tuple[str, bool, str], QTextImageFormat] = {}
        self._pictures: dict[str, str] = {}
        self.width = 0.0
        self.count = 0

    def insert(self, cursor: QTextCursor, tex: str, display: bool, source: str) -> bool:
        """The drawing at the cursor, if it is there."""
        formula = self._rendering.formula(tex, display)
        if formula is None:
            return False
        cursor.insertImage(self._image(formula, tex, display, source))
        self.count += 1
        return True

    def await_drawing(self, cursor: QTextCursor, start: int, tex: str, display: bool, source: str) -> None:
        """From `start` to the cursor stands the source."""
        if self._rendering.ask_formula(tex, display):
            place = QTextCursor(cursor)
            # The text that follows is not a part of it.
            place.setKeepPositionOnInsert(True)
            place.setPosition(start)
            place.setPosition(cursor.position(), QTextCursor.MoveMode.KeepAnchor)
            self._waiting.append(_Waiting(place, tex, display, source))

    def forget_from(self, position: int) -> None:
        """What stood from there on is written again."""
        self._waiting = [entry for entry in self._waiting if entry.place.selectionEnd() <= position]

    def place_arrived(self) -> bool:
        """Put drawings where their sources stand, for a few milliseconds; True when some are left over."""
        until = time.perf_counter() + BUDGET_S
        left: list[_Waiting] = []
        late = False
        for entry in self._waiting:
            formula = None if late else self._rendering.formula(entry.tex, entry.display)
            if formula is None:
                if late or self._rendering.ask_formula(entry.tex, entry.display):
                    left.append(entry)
                continue
            self._replace(entry, formula)
            late = time.perf_counter() > until
        self._waiting = left
        return late and bool(left)

    def refit(self) -> None:
        """The room changed: make drawings as wide as they are or as there is room."""
        block = self._document.begin()
        while block.isValid():
            pieces = block.begin()
            while not pieces.atEnd():
                form = pieces.fragment().charFormat()
                if form.isImageFormat() and form.hasProperty(FORMULA):
                    self._fit_fragment(pieces.fragment().position(), form.toImageFormat())
                pieces += 1
            block = block.next()

    def _fit_fragment(self, position: int, form: QTextImageFormat) -> None:
        image = self._document.resource(IMAGE, QUrl(form.name()))
        natural = image.deviceIndependentSize()
        share = min(1.0, self.width / natural.width()) if self.width else 1.0
        if abs(form.width() - natural.width() * share) > 0.5:
            form.setWidth(natural.width() * share)
            form.setHeight(natural.height() * share)
            cursor = QTextCursor(self._document)
            cursor.setPosition(position)
            cursor.setPosition(position + 1, QTextCursor.MoveMode.KeepAnchor)
            cursor.setCharFormat(form)

    def insert_picture(self, cursor: QTextCursor, address: str, words: str) -> bool:
        """The picture of that address at the cursor, if somebody wanted to see it and it came."""
        image = self._rendering.picture(address)
        if image is None:
            return False
        name = self._pictures.setdefault(address, f"{SCHEME}picture-{len(self._pictures)}")
        self._document.addResource(IMAGE, QUrl(name), image)
        share = min(1.0, (self.width or PICTURE_WIDTH) / image.width(), PICTURE_HEIGHT / image.height())
        form = QTextImageFormat()
        form.setName(name)
        form.setWidth(image.width() * share)
        form.setHeight(image.height() * share)
        form.setProperty(FORMULA, f"![{words}]({address})")
        form.setToolTip(words)
        cursor.insertImage(form)
        return True

    def _replace(self, entry: _Waiting, formula: Formula) -> None:
        """Insert first, remove then: a cursor that stands right behind stays behind."""
        end = entry.place.selectionEnd()
        cursor = QTextCursor(self._document)
        cursor.beginEditBlock()
        cursor.setPosition(entry.place.selectionStart())
        cursor.insertImage(self._image(formula, entry.tex, entry.display, entry.source))
        cursor.setPosition(end + 1, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        cursor.endEditBlock()
        self.count += 1

    def _image(self, formula: Formula, tex: str, display: bool, source: str) -> QTextImageFormat:
        key = (tex, display, source)
        if (form := self._made.get(key)) is None:
            form = self._made[key] = self._make(formula, source)
        natural = self._document.resource(IMAGE, QUrl(form.name())).deviceIndependentSize()
        share = min(1.0, self.width / natural.width()) if self.width else 1.0
        if abs(form.width() - natural.width() * share) > 0.5:
            form.setWidth(natural.width() * share)
            form.setHeight(natural.height() * share)
        return form

    def _make(self, formula: Formula, source: str) -> QTextImageFormat:
        em = QFontInfo(self._style.font).pixelSize() * SCALE
        font, descent = self._hanging(formula.depth_em * em)
        form = QTextImageFormat()
        form.setName(f"{SCHEME}{len(self._made)}")
        form.setProperty(FORMULA, source)
        if font is not None:
            form.setFont(font)
            form.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignBaseline)
        image = _drawn(formula, em, descent, self._style.text, self._ratio)
        self._document.addResource(IMAGE, QUrl(form.name()), image)
        return form

    def _hanging(self, depth: float) -> tuple[QFont | None, float]:
        """A font whose descent is `depth` or a little more. Qt hangs an image below the baseline by the descent of the
        image's own font, and by nothing else (QTextDocumentLayout::resizeInlineObject, 6.11)."""
        if depth < 0.5:
            return None, 0.0
        font = QFont(self._style.font)
        font.setPixelSize(100)
        share = QFontMetrics(font).descent() / 100 or 0.2
        font.setPixelSize(max(1, math.ceil(depth / share)))
        while QFontMetrics(font).descent() < depth:
            font.setPixelSize(font.pixelSize() + 1)
        return font, float(QFontMetrics(font).descent())


def _drawn(formula: Formula, em: float, descent: float, colour: QColor, ratio: float) -> QImage:
    from PySide6.QtSvg import QSvgRenderer

    width, height = formula.width_em * em, (formula.height_em - formula.depth_em) * em + descent
    image = QImage(
        max(1, math.ceil(width * ratio)), max(1, math.ceil(height * ratio)), QImage.Format.Format_ARGB32_Premultiplied
    )
    image.fill(QColor(0, 0, 0, 0))
    image.setDevicePixelRatio(ratio)
    painter = QPainter(image)
    renderer = QSvgRenderer(QByteArray(formula.svg.replace(INK, colour.name()).encode()))
    renderer.render(painter, QRectF(0, 0, width, formula.height_em * em))
    painter.end()
    return image
