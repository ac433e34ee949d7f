"""A stack as high as its present page, not as its highest."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QWidget


class SnugStack(QStackedWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.currentChanged.connect(self._changed)

    def sizeHint(self) -> QSize:
        page = self.currentWidget()
        return page.sizeHint() if page is not None else super().sizeHint()

    def minimumSizeHint(self) -> QSize:
        page = self.currentWidget()
        return page.minimumSizeHint() if page is not None else super().minimumSizeHint()

    def _changed(self) -> None:
        for place in range(self.count()):
            policy = QSizePolicy.Policy.Preferred if place == self.currentIndex() else QSizePolicy.Policy.Ignored
            self.widget(place).setSizePolicy(QSizePolicy.Policy.Preferred, policy)
        self.updateGeometry()
