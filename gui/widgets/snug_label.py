"""A label as wide as its words, which wraps them only where there is no room: what follows it stands beside it."""

from __future__ import annotations

import math

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget


class SnugLabel(QLabel):
    """Qt's own wrapped label wishes for a width that makes a pleasant rectangle of its words, not a line."""

    def __init__(self, tone: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        if tone:
            self.setProperty("tone", tone)

    def sizeHint(self) -> QSize:
        self.ensurePolished()
        width = math.ceil(self.fontMetrics().horizontalAdvance(self.text())) + 1
        return QSize(width, self.heightForWidth(width))
