"""The colours and patterns of a bar's parts, all made from palette roles, so that both themes and every contrast hold.

Parts differ by tone *and* pattern: a bar is read without colour too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QColor, QPalette

from gui.budget.view import Look

Role = QPalette.ColorRole
Pattern = Qt.BrushStyle

PATTERNS: Final = {
    Look.OURS: Pattern.NoBrush,
    Look.KV_FREE: Pattern.BDiagPattern,
    Look.PROCESS: Pattern.NoBrush,
    Look.PROCESS_ODD: Pattern.NoBrush,
    Look.DRIVER: Pattern.CrossPattern,
    Look.OTHER: Pattern.NoBrush,
    Look.FREE: Pattern.NoBrush,
    Look.GHOST: Pattern.FDiagPattern,
    Look.OVERFLOW: Pattern.DiagCrossPattern,
}


@dataclass(frozen=True, slots=True)
class Ink:
    """`ground` below, `pattern` over it (none where the style says NoBrush), `edge` around, `text` on the ground."""

    ground: QColor
    pattern: QBrush
    edge: QColor
    text: QColor


def mixed(one: QColor, other: QColor, share: float) -> QColor:
    """`share` of `one`, the rest of `other`."""
    parts = zip(one.getRgb()[:3], other.getRgb()[:3], strict=True)  # pyright: ignore[reportIndexIssue]
    return QColor(*(round(a * share + b * (1 - share)) for a, b in parts))


def inks_of(palette: QPalette) -> dict[Look, Ink]:
    colour = palette.color
    text, base, accent, bad = colour(Role.Text), colour(Role.Base), colour(Role.Accent), colour(Role.BrightText)
    dark, darker = mixed(text, base, 0.68), mixed(text, base, 0.82)
    light = mixed(text, base, 0.22)
    edge = mixed(text, base, 0.62)

    def ink(look: Look, ground: QColor, line: QColor, label: QColor, pattern: QColor | None = None) -> Ink:
        return Ink(ground, QBrush(pattern or ground, PATTERNS[look]), line, label)

    return {
        Look.OURS: ink(Look.OURS, accent, accent, colour(Role.HighlightedText)),
        Look.KV_FREE: ink(Look.KV_FREE, base, accent, text, accent),
        Look.PROCESS: ink(Look.PROCESS, dark, dark, base),
        Look.PROCESS_ODD: ink(Look.PROCESS_ODD, darker, darker, base),
        Look.DRIVER: ink(Look.DRIVER, base, edge, text, edge),
        Look.OTHER: ink(Look.OTHER, light, edge, text, edge),
        Look.FREE: ink(Look.FREE, colour(Role.AlternateBase), colour(Role.Mid), colour(Role.PlaceholderText)),
        Look.GHOST: ink(Look.GHOST, mixed(accent, base, 0.14), accent, text, mixed(accent, base, 0.45)),
        Look.OVERFLOW: ink(Look.OVERFLOW, base, bad, bad, bad),
    }
