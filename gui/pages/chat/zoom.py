"""The size of the messages' text: a few steps around the window's own, by keys and by the wheel with Ctrl."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QWheelEvent

STEPS: Final = (0.7, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5)
USUAL: Final = STEPS.index(1.0)
NOTCH: Final = 120


class Zoom:
    def __init__(self) -> None:
        self._at = USUAL
        self._turned = 0

    @property
    def usual(self) -> bool:
        return self._at == USUAL

    @property
    def percent(self) -> int:
        return round(100 * STEPS[self._at])

    def set_percent(self, percent: int) -> None:
        """As it was kept: the nearest step."""
        self._at = min(range(len(STEPS)), key=lambda at: abs(STEPS[at] * 100 - percent))

    def font(self, usual: QFont) -> QFont:
        font = QFont(usual)
        font.setPointSizeF(usual.pointSizeF() * STEPS[self._at])
        return font

    def step(self, step: int) -> bool:
        """Larger (1), smaller (-1) or as usual (0); False when that changes nothing."""
        at = min(len(STEPS) - 1, max(0, self._at + step)) if step else USUAL
        changed, self._at = at != self._at, at
        return changed

    def wheel(self, event: QWheelEvent) -> int:
        """The step that a turn of the wheel means; 0 without Ctrl."""
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            return 0
        self._turned += event.angleDelta().y()
        if abs(self._turned) < NOTCH:
            return 0
        step = 1 if self._turned > 0 else -1
        self._turned = 0
        return step
