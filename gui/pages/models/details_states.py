"""What stands in the details while they load, and when they do not come."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QFrame, QWidget

from core.words import Words
from gui.theme import STEP
from gui.widgets.buttons import button
from gui.widgets.cards import column
from gui.widgets.texts import heading, plain, quiet

LINES = (0.7, 0.92, 0.85, 0.4, 0.95, 0.88, 0.6)


class Skeleton(QWidget):
    """Grey bars where text will be."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(self.tr("Loading…"))

    def sizeHint(self) -> QSize:
        return QSize(200, 3 * STEP * len(LINES))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.palette().color(QPalette.ColorRole.Midlight))
        for number, share in enumerate(LINES):
            painter.drawRoundedRect(QRectF(0, 3 * STEP * number + STEP, self.width() * share, STEP + 4), 4, 4)
        painter.end()


class DetailsFailure(QFrame):
    again = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("detailsFailure")
        self.setProperty("card", "error")
        self._title, self._sentence, self._next = heading(), plain(), quiet()
        self._again = button(self.tr("Try again"), "detailsAgain", kind="small")
        self._again.clicked.connect(self.again)
        layout = column(self, spacing=STEP // 2, margin=STEP + 4)
        for part in (self._title, self._sentence, self._next, self._again):
            layout.addWidget(part)
        self.hide()

    def show_words(self, words: Words) -> None:
        for label, text in (
            (self._title, words.title),
            (self._sentence, words.sentence),
            (self._next, words.next_step),
        ):
            label.setText(text)
            label.setVisible(bool(text))
        self.show()
