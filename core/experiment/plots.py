"""Plots as SVG, written by hand: every figure as a dot, the median as a line with its interval, bars for sizes. Pure.

Colours are attributes, so that any viewer shows them; the classes let a style sheet change them (`report_html`), and
the window gives its own palette.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from core.experiment.statistics import summarise

WIDTH: Final = 640
LEFT: Final = 48
RIGHT: Final = 24
ROW: Final = 56
TOP: Final = 40
AXIS: Final = 36
FONT: Final = "font-family='sans-serif'"


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours as "#rrggbb"; `a` and `b` also differ in lightness, for those who do not see their hue."""

    ink: str = "#1f2328"
    quiet: str = "#59636e"
    grid: str = "#d1d9e0"
    a: str = "#0b5cad"
    b: str = "#d9822b"

    def of(self, label: str) -> str:
        return self.a if label == "A" else self.b


LIGHT: Final = Palette()
DARK: Final = Palette("#e6edf3", "#9aa4af", "#3d444d", "#6cb6ff", "#f0b072")

Format = Callable[[float], str]


def dots(title: str, sides: Mapping[str, Sequence[float]], show: Format, palette: Palette = LIGHT) -> str:
    """One row of dots for each side, on one scale that begins at 0; "" without a figure."""
    values = [value for side in sides.values() for value in side]
    if not values:
        return ""
    ticks = nice_ticks(max(values))
    end = ticks[-1] or 1.0
    height = TOP + ROW * len(sides) + AXIS
    parts = [_text(LEFT - 36, 22, title, palette.ink, bold=True)]
    bottom = TOP + ROW * len(sides)
    for tick in ticks:
        x = _x(tick, end)
        parts.append(_line(x, TOP, x, bottom, palette.grid, "grid"))
        parts.append(_text(x, bottom + 20, show(tick), palette.quiet, anchor="middle"))
    for row, (label, side) in enumerate(sides.items()):
        parts += _dot_row(label, side, TOP + ROW * row + ROW / 2, end, show, palette)
    return _svg(height, parts, title)


def _dot_row(label: str, side: Sequence[float], y: float, end: float, show: Format, palette: Palette) -> list[str]:
    colour = palette.of(label)
    parts = [_text(LEFT - 30, y + 5, label, colour, bold=True, kind=f"side-{label}")]
    summary = summarise(side)
    if summary is None:
        return [*parts, _text(LEFT + 8, y + 5, "–", palette.quiet)]
    for number, value in enumerate(side):
        lift = (number % 3 - 1) * 5
        parts.append(
            f"<circle class='side-{label}' cx='{_x(value, end):.1f}' cy='{y + lift:.1f}' r='4'"
            f" fill='{colour}' fill-opacity='0.45'/>"
        )
    x = _x(summary.median, end)
    if summary.low is not None and summary.high is not None:
        low, high = _x(summary.low, end), _x(summary.high, end)
        parts.append(_line(low, y, high, y, colour, f"line-{label}", width=3))
    parts.append(_line(x, y - 16, x, y + 16, colour, f"line-{label}", width=3))
    near_end = x > WIDTH - RIGHT - 70
    parts.append(
        _text(
            x + (-8 if near_end else 8), y - 14, show(summary.median), palette.ink,
            anchor="end" if near_end else "start",
        )
    )  # fmt: skip
    return parts


def bars(title: str, rows: Sequence[tuple[str, float | None, float | None]], show: Format, palette: Palette) -> str:
    """A pair of bars for each row (name, A, B); "" without a figure."""
    values = [value for _name, a, b in rows for value in (a, b) if value is not None]
    if not values or max(values) <= 0:
        return ""
    end, name_width, row_height = max(values), 190, 46
    span = WIDTH - name_width - RIGHT - 80
    parts = [_text(LEFT - 36, 22, title, palette.ink, bold=True)]
    for number, (name, a, b) in enumerate(rows):
        y = TOP + row_height * number
        parts.append(_text(name_width - 8, y + 22, name, palette.ink, anchor="end"))
        for offset, label, value in ((2, "A", a), (20, "B", b)):
            if value is None:
                parts.append(_text(name_width + 4, y + offset + 12, "–", palette.quiet))
                continue
            width = max(1.0, span * value / end)
            parts.append(
                f"<rect class='side-{label}' x='{name_width}' y='{y + offset}' width='{width:.1f}' height='14' rx='2'"
                f" fill='{palette.of(label)}'/>"
            )
            text = f"{label}  {show(value)}"
            parts.append(_text(name_width + width + 6, y + offset + 12, text, palette.quiet))
    return _svg(TOP + row_height * len(rows) + 8, parts, title)


def nice_ticks(largest: float) -> list[float]:
    """Four to six round steps from 0 to at least `largest`."""
    if largest <= 0:
        return [0.0]
    raw = largest / 4
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= raw)
    return [round(step * number, 10) for number in range(math.ceil(largest / step) + 1)]


def _x(value: float, end: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * value / end


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, kind: str, *, width: int = 1) -> str:
    return (
        f"<line class='{kind}' x1='{x1:.1f}' y1='{y1:.1f}' x2='{x2:.1f}' y2='{y2:.1f}'"
        f" stroke='{colour}' stroke-width='{width}'/>"
    )


def _text(
    x: float, y: float, text: str, colour: str, *, anchor: str = "start", bold: bool = False, kind: str = ""
) -> str:
    weight = " font-weight='bold'" if bold else ""
    # The grey of axes and the black of words change with the theme; a side's letter keeps its side's colour.
    name = kind or ("ink" if bold else "quiet")
    return (
        f"<text class='{name}' x='{x:.1f}' y='{y:.1f}' {FONT} font-size='13' fill='{colour}'"
        f" text-anchor='{anchor}'{weight}>{escape(text)}</text>"
    )


def _svg(height: float, parts: Sequence[str], title: str) -> str:
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {height:.0f}' width='{WIDTH}'"
        f" height='{height:.0f}' role='img' aria-label='{escape(title, quote=True)}'>" + "".join(parts) + "</svg>"
    )
