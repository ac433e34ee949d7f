"""The scrolling list of messages: follows the newest unless the reader scrolled up; keeps about forty alive."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gui.pages.chat.messages import Answer, Question
from gui.theme import STEP
from gui.widgets.cards import column, row
from gui.widgets.scroll import scrolled
from gui.widgets.texts import quiet

MOST_ALIVE = 40
WIDEST = 820


class MessageList(QWidget):
    def __init__(self) -> None:
        super().__init__()
        inside = QWidget()
        line = row(inside)
        self._holder = QWidget()
        self._holder.setMaximumWidth(WIDEST)
        self._rows = column(self._holder, spacing=3 * STEP)
        self._rows.setContentsMargins(0, STEP, STEP, 2 * STEP)
        self._earlier = quiet()
        self._earlier.setObjectName("earlierMessages")
        self._earlier.hide()
        self._left_out = 0
        self._rows.addWidget(self._earlier)
        self._rows.addStretch(1)
        line.addStretch(1)
        line.addWidget(self._holder, 100)
        line.addStretch(1)
        self._area = scrolled(inside)
        self._area.setAccessibleName(self.tr("Conversation"))
        self._follow = True
        bar = self._area.verticalScrollBar()
        bar.rangeChanged.connect(self._range_changed)
        bar.valueChanged.connect(self._value_changed)
        column(self).addWidget(self._area)
        self._messages: list[Question | Answer] = []

    def add(self, message: Question | Answer) -> None:
        self._follow = True
        self._messages.append(message)
        self._rows.insertWidget(self._rows.count() - 1, message)
        while len(self._messages) > MOST_ALIVE:
            old = self._messages.pop(0)
            self._rows.removeWidget(old)
            old.hide()
            old.deleteLater()
            self._left_out += 1
            self._earlier.setText(self.tr("%Ln earlier message(s) are kept, not shown", "", self._left_out))
            self._earlier.show()

    def clear(self) -> None:
        for message in self._messages:
            self._rows.removeWidget(message)
            message.hide()
            message.deleteLater()
        self._messages = []
        self._left_out = 0
        self._earlier.hide()

    def restyle(self) -> None:
        for message in self._messages:
            if isinstance(message, Answer):
                message.restyle()

    @property
    def empty(self) -> bool:
        return not self._messages

    def _range_changed(self, _least: int, most: int) -> None:
        if self._follow:
            self._area.verticalScrollBar().setValue(most)

    def _value_changed(self, value: int) -> None:
        self._follow = value >= self._area.verticalScrollBar().maximum() - 2 * STEP
