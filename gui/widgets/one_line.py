"""Labels that stay one line high, or two: what does not fit ends in "…" and stands in the tooltip."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget


class OneLine(QLabel):
    """`set_full_text` is its only way to a text."""

    def __init__(self, tone: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._full = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        if tone:
            self.setProperty("tone", tone)

    @property
    def full_text(self) -> str:
        return self._full

    def set_full_text(self, text: str) -> None:
        self._full = " ".join(text.split())
        self._fit()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        shown = self._shown()
        self.setText(shown)
        self.setToolTip(self._full if shown.replace("\n", " ") != self._full else "")

    def _shown(self) -> str:
        return self._elided(self._full)

    def _elided(self, text: str) -> str:
        return self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, self.width())


class TwoLines(OneLine):
    """Goes on in a second line before it ends in "…"."""

    def _shown(self) -> str:
        measure, words = self.fontMetrics().horizontalAdvance, self._full.split(" ")
        if measure(self._full) <= self.width():
            return self._full
        fits = sum(measure(" ".join(words[:count])) <= self.width() for count in range(1, len(words)))
        if not fits:
            return self._elided(self._full)
        return " ".join(words[:fits]) + "\n" + self._elided(" ".join(words[fits:]))
