"""A formula in LaTeX into a drawing (ziamath 0.13, its own fonts, no program started); None where it cannot be set."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass, field
from typing import Final

log = logging.getLogger(__name__)

MOST_CHARACTERS: Final = 2_000
INK: Final = "#010203"
"""The colour in the drawing that stands for the text's own."""
_SIZE: Final = 100
_BOX: Final = re.compile(r'viewBox="(\S+) (\S+) (\S+) (\S+)"')
# The fonts of ziamath have no letters of these scripts: empty boxes would be drawn in their place.
_NO_GLYPHS: Final = re.compile("[\u0590-\u1dff\u2e80-\U0001d3ff\U0001d800-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Formula:
    """A drawing. Sizes in em of the text around it; `depth_em` is the part of the height below the baseline."""

    svg: str = field(repr=False)
    width_em: float
    height_em: float
    depth_em: float


def set_formula(tex: str, display: bool) -> Formula | None:
    """Args: `display` for a formula on a line of its own, with limits above and below."""
    # 0.1 s: not before the first formula.
    from ziamath.config import config
    from ziamath.zmath import Latex

    # QtSvg 6.11 draws only fragments of the SVG 2 that is the default (<symbol> and <use>).
    config.svg2 = False
    if len(tex) > MOST_CHARACTERS or _NO_GLYPHS.search(tex):
        return None
    try:
        svg = Latex(tex, size=_SIZE, color=INK, inline=not display).svg()
    except Exception as error:
        # A model writes anything and the parser answers with anything (IndexError, KeyError, RecursionError, ...).
        log.debug("a formula cannot be set: %r", error)
        return None
    if (box := _BOX.search(svg)) is None:
        return None
    _left, top, width, height = (float(part) / _SIZE for part in box.groups())
    return Formula(svg, width, height, max(0.0, top + height))
