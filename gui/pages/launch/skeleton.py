"""Grey shapes in the place of a plan that is being made. They do not move."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget

from gui.theme import STEP

BLOCKS = 2
BLOCK_HEIGHT = 11 * STEP


class PlanSkeleton(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("planSkeleton")
        self.setAccessibleName(self.tr("The plan is being made"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(60 * STEP, BLOCKS * BLOCK_HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QApplication.palette().color(QPalette.ColorRole.Midlight))
        width = self.width()
        for block in range(BLOCKS):
            top = block * BLOCK_HEIGHT
            for left, line, share, height in ((0.0, 2, 0.2, 12), (0.0, 22, 1.0, 20), (0.0, 52, 0.42, 12)):
                painter.drawRoundedRect(QRectF(left * width, top + line, share * width, height), 4, 4)
        painter.end()
