"""A picture that is drawn again at every size, as sharp as the screen allows."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QSizePolicy, QWidget


class SvgView(QWidget):
    """As wide as there is room, at most as wide as the picture itself. `meaning` is what a screen reader says."""

    def __init__(self, svg: str, meaning: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._renderer = QSvgRenderer(QByteArray(svg.encode("utf-8")), self)
        self.setAccessibleName(meaning)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setMaximumWidth(self._renderer.defaultSize().width())

    def sizeHint(self) -> QSize:
        return self._renderer.defaultSize()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        size = self._renderer.defaultSize()
        return round(size.height() * min(width, size.width()) / max(1, size.width()))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        self._renderer.render(painter, QRectF(0, 0, self.width(), self.heightForWidth(self.width())))
        painter.end()
