"""The scrolling list of messages: follows the newest unless the reader scrolled up, and then nothing moves before the
reader's eyes, whatever changes its height above: older messages, drawings that come, another theme, another size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QEvent, QObject, QPoint, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from gui.pages.chat.message_tools import INSET
from gui.pages.chat.messages import Answer, Question
from gui.pages.chat.zoom import Zoom
from gui.theme import STEP
from gui.widgets.buttons import button
from gui.widgets.cards import column, row
from gui.widgets.scroll import scrolled
from gui.widgets.texts import quiet

MOST_ALIVE = 40
WIDEST = 820
NEAR_TOP: Final = 40 * STEP
AT_END: Final = 2 * STEP
# Beyond this distance from what is in sight an answer is only as high as its text, and holds none.
ASLEEP: Final = 4_000
AWAKE: Final = 2_000
LOOK_MS: Final = 120


class MessageList(QWidget):
    """`older_wanted` when the reader comes near the top while earlier messages are left out; `zoomed` with the new size
    in per cent."""

    older_wanted = Signal()
    zoomed = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._inside = QWidget()
        self._holder = QWidget()
        self._rows = column(self._holder, spacing=STEP)
        self._earlier = quiet()
        self._area = scrolled(self._inside)
        self._newest = button(self.tr("To the newest"), "toNewestButton", kind="small", icon="down", parent=self)
        self._zoom = Zoom()
        self._messages: list[Question | Answer] = []
        self._left_out = 0
        self._follow = True
        self._moving = False
        self._anchor: tuple[QWidget, int] | None = None
        self._anchor_height = 0
        self._to_restyle: list[Answer] = []
        self._restyle_timer = self._timer(0, self._restyle_next)
        self._look_timer = self._timer(LOOK_MS, self._look)
        self._build()

    def _build(self) -> None:
        # Words begin where the composer below begins, and bubbles end where it ends.
        self._holder.setMaximumWidth(WIDEST + INSET + STEP)
        self._earlier.setContentsMargins(INSET, 0, 0, 0)
        self._rows.setContentsMargins(0, STEP, STEP, 2 * STEP)
        self._earlier.setObjectName("earlierMessages")
        self._earlier.hide()
        self._rows.addWidget(self._earlier)
        self._rows.addStretch(1)
        line = row(self._inside)
        line.addStretch(1)
        line.addWidget(self._holder, 1000)
        line.addStretch(1)
        self._area.setAccessibleName(self.tr("Conversation"))
        self._area.viewport().installEventFilter(self)
        self._newest.hide()
        self._newest.clicked.connect(self.go_to_newest)
        bar = self._area.verticalScrollBar()
        bar.rangeChanged.connect(self._settle)
        bar.valueChanged.connect(self._value_changed)
        column(self).addWidget(self._area)

    # ---- messages --------------------------------------------------------------------------------------------------

    @property
    def messages(self) -> tuple[Question | Answer, ...]:
        return tuple(self._messages)

    @property
    def empty(self) -> bool:
        return not self._messages

    def add(self, message: Question | Answer) -> None:
        """At the end, which comes into sight; the oldest beyond `MOST_ALIVE` go."""
        self._follow = True
        self._messages.append(message)
        self._rows.insertWidget(self._rows.count() - 1, message)
        self._sized(message)
        while len(self._messages) > MOST_ALIVE:
            self.take(self._messages[0])
            self.show_left_out(self._left_out + 1)

    def put_first(self, messages: Sequence[Question | Answer]) -> None:
        """Earlier messages, oldest first; what is in sight stays where it is."""
        if not self._follow and self._anchor is None:
            self._take_anchor()
        for place, message in enumerate(messages):
            self._rows.insertWidget(1 + place, message)
            self._sized(message)
        self._messages[:0] = messages
        self._look_timer.start()

    def take(self, message: Question | Answer) -> None:
        self._messages.remove(message)
        self._rows.removeWidget(message)
        if self._anchor is not None and self._anchor[0] is message:
            self._anchor = None
        if isinstance(message, Answer) and message in self._to_restyle:
            self._to_restyle.remove(message)
        message.hide()
        message.deleteLater()

    def show_left_out(self, count: int) -> None:
        """How many earlier messages are kept, but not alive here."""
        self._left_out = count
        self._earlier.setText(self.tr("%Ln earlier message(s) are kept, not shown", "", count))
        self._earlier.setVisible(count > 0)

    def bring(self, message: Question | Answer) -> None:
        """Scroll so that this message begins near the top."""
        self._follow = False
        self._anchor = (message, 2 * STEP)
        # It may have to be laid out first.
        QTimer.singleShot(0, self, self._settle)

    def clear(self) -> None:
        for message in self.messages:
            self.take(message)
        self._follow = True
        self.show_left_out(0)

    # ---- looks -----------------------------------------------------------------------------------------------------

    def restyle(self) -> None:
        """Write all answers again, those in sight first, one in a turn."""
        answers = [message for message in self._messages if isinstance(message, Answer)]
        self._to_restyle = sorted(answers, key=self._distance)
        self._anchor_height = self._anchor[0].height() if self._anchor is not None else 0
        self._restyle_timer.start()

    @property
    def restyling(self) -> bool:
        return bool(self._to_restyle)

    def zoom(self, step: int) -> None:
        """Larger (1), smaller (-1) or as usual (0)."""
        if self._zoom.step(step):
            self.restyle()
            for message in self._messages:
                message.set_text_font(self._zoom.font(self.font()))
            self.zoomed.emit(self._zoom.percent)

    def set_zoom(self, percent: int) -> None:
        """As it was when the app ended; before there are messages."""
        self._zoom.set_percent(percent)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QWheelEvent) and (step := self._zoom.wheel(event)):
            self.zoom(step)
            return True
        return super().eventFilter(watched, event)

    def _sized(self, message: Question | Answer) -> None:
        if not self._zoom.usual:
            message.set_text_font(self._zoom.font(self.font()))
            if isinstance(message, Answer):
                message.restyle()

    def _restyle_next(self) -> None:
        if self._to_restyle:
            self._to_restyle.pop(0).restyle()
            self._restyle_timer.start()

    def _look(self) -> None:
        """Answers far from what is in sight give their text back until somebody comes near."""
        if len(self._messages) <= MOST_ALIVE:
            return
        for message in self._messages:
            if isinstance(message, Answer):
                distance = self._distance(message)
                if distance > ASLEEP:
                    message.sleep()
                elif distance < AWAKE:
                    message.wake()

    def _distance(self, message: QWidget) -> int:
        """How far from what is in sight, in pixels; 0 for what can be seen."""
        top = self._place(message)
        return max(0, -(top + message.height()), top - self._area.viewport().height())

    # ---- scrolling -------------------------------------------------------------------------------------------------

    @property
    def follows(self) -> bool:
        return self._follow

    def go_to_newest(self) -> None:
        self._follow = True
        self._settle()

    def _place(self, message: QWidget) -> int:
        """Of its upper edge, in the viewport."""
        return message.mapTo(self._inside, QPoint()).y() - self._area.verticalScrollBar().value()

    def _take_anchor(self) -> None:
        """The message that begins in the upper half of what is in sight, else the one that fills it."""
        half = self._area.viewport().height() // 2
        for message in self._messages:
            place = self._place(message)
            if place + message.height() <= 0:
                continue
            if place > half and self._anchor is not None:
                return
            self._anchor = (message, place)
            if place >= 0:
                return

    def _settle(self) -> None:
        """Something changed its height: to the end, or so that the anchor is where it was."""
        bar = self._area.verticalScrollBar()
        self._moving = True
        if self._follow:
            bar.setValue(bar.maximum())
        elif self._anchor is not None:
            message, place = self._anchor
            if place < 0 and self._anchor_height:
                # Of a message that fills the window the same part is read on after it got larger or smaller.
                place = round(place * message.height() / self._anchor_height)
            bar.setValue(bar.value() + self._place(message) - place)
        self._moving = False
        self._arrange()

    def _value_changed(self, value: int) -> None:
        bar = self._area.verticalScrollBar()
        if not self._moving:
            self._follow = value >= bar.maximum() - AT_END
            self._anchor_height = 0
            if not self._follow:
                self._anchor = None
                self._take_anchor()
            if self._left_out and value < NEAR_TOP and not self._follow:
                self.older_wanted.emit()
        self._look_timer.start()
        self._arrange()

    def _arrange(self) -> None:
        self._newest.setVisible(not self._follow and not self.empty)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        size = self._newest.sizeHint()
        self._newest.setGeometry(
            (self.width() - size.width()) // 2, self.height() - size.height() - STEP, *size.toTuple()
        )
        self._newest.raise_()

    def _timer(self, interval_ms: int, slot) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(interval_ms)
        timer.timeout.connect(slot)
        return timer
