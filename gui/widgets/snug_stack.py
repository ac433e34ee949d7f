"""A stack as high as its present page, not as its highest."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QWidget


class SnugStack(QStackedWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.currentChanged.connect(self._changed)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        page = self.currentWidget()
        if page is None:
            return super().heightForWidth(width)
        return page.heightForWidth(width) if page.hasHeightForWidth() else page.sizeHint().height()

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
