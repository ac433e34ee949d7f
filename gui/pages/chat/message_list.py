"""The scrolling list of messages: follows the newest unless the reader scrolled up; keeps about forty alive."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QWidget

from gui.pages.chat.messages import Answer, Question
from gui.theme import STEP
from gui.widgets.cards import column, row
from gui.widgets.scroll import scrolled
from gui.widgets.texts import quiet

MOST_ALIVE = 40
WIDEST = 820
NEAR_TOP = 40 * STEP


class MessageList(QWidget):
    """`older_wanted` when the reader comes near the top while earlier messages are left out."""

    older_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        inside = QWidget()
        line = row(inside)
        self._holder = QWidget()
        self._holder.setMaximumWidth(WIDEST)
        self._rows = column(self._holder, spacing=STEP)
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
        self._from_bottom: int | None = None
        bar = self._area.verticalScrollBar()
        bar.rangeChanged.connect(self._range_changed)
        bar.valueChanged.connect(self._value_changed)
        column(self).addWidget(self._area)
        self._messages: list[Question | Answer] = []

    @property
    def messages(self) -> tuple[Question | Answer, ...]:
        return tuple(self._messages)

    @property
    def empty(self) -> bool:
        return not self._messages

    def add(self, message: Question | Answer) -> None:
        """At the end; the oldest beyond `MOST_ALIVE` go."""
        self._follow = True
        self._messages.append(message)
        self._rows.insertWidget(self._rows.count() - 1, message)
        while len(self._messages) > MOST_ALIVE:
            self.take(self._messages[0])
            self.show_left_out(self._left_out + 1)

    def put_first(self, messages: Sequence[Question | Answer]) -> None:
        """Earlier messages, oldest first; what is in sight stays where it is."""
        bar = self._area.verticalScrollBar()
        self._from_bottom = bar.maximum() - bar.value()
        for place, message in enumerate(messages):
            self._rows.insertWidget(1 + place, message)
        self._messages[:0] = messages

    def take(self, message: Question | Answer) -> None:
        self._messages.remove(message)
        self._rows.removeWidget(message)
        message.hide()
        message.deleteLater()

    def show_left_out(self, count: int) -> None:
        """How many earlier messages are kept, but not alive here."""
        self._left_out = count
        self._earlier.setText(self.tr("%Ln earlier message(s) are kept, not shown", "", count))
        self._earlier.setVisible(count > 0)

    def bring(self, message: Question | Answer) -> None:
        """Scroll so that this message begins near the top. Later: it may have to be laid out first."""
        self._follow = False
        QTimer.singleShot(0, message, lambda: self._scroll_to(message))

    def clear(self) -> None:
        for message in self.messages:
            self.take(message)
        self._follow = True
        self.show_left_out(0)

    def restyle(self) -> None:
        for message in self._messages:
            if isinstance(message, Answer):
                message.restyle()

    def _scroll_to(self, message: Question | Answer) -> None:
        place = message.mapTo(self._area.widget(), message.rect().topLeft()).y()
        self._area.verticalScrollBar().setValue(max(0, place - 2 * STEP))

    def _range_changed(self, _least: int, most: int) -> None:
        bar = self._area.verticalScrollBar()
        if self._follow:
            bar.setValue(most)
        elif self._from_bottom is not None:
            place, self._from_bottom = most - self._from_bottom, None
            bar.setValue(place)

    def _value_changed(self, value: int) -> None:
        most = self._area.verticalScrollBar().maximum()
        self._follow = value >= most - 2 * STEP
        if self._left_out and value < NEAR_TOP and not self._follow:
            self.older_wanted.emit()
