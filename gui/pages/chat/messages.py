"""The messages of a conversation: what you said in a bubble, answers on plain ground with their figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QElapsedTimer, QEvent, QUrl, Signal
from PySide6.QtGui import QEnterEvent, QFont, QResizeEvent
from PySide6.QtWidgets import QFrame, QWidget

from core.chat.tree import Attachment
from core.events import ErrorInfo
from core.speed_card import NO_FIGURES, SpeedCard
from core.words import Words
from gui.pages.chat.answer_text import AnswerText
from gui.pages.chat.attachment_row import Attached
from gui.pages.chat.message_tools import INSET, MessageTools
from gui.pages.chat.message_view import MessageView
from gui.pages.chat.rendering import Rendering
from gui.pages.chat.speed_line import SpeedLine
from gui.pages.chat.thinking import Thinking
from gui.theme import STEP
from gui.widgets.banner import Banner
from gui.widgets.cards import column, row
from gui.widgets.texts import quiet

SPEED_MS: Final = 200
"""Nobody reads figures that change faster."""


class _Message(QWidget):
    """Its tools are there while the pointer is over it. Overridden here and not watched by an event filter, which would
    see every event of every message."""

    tools: MessageTools

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.tools.wake()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.tools.left()


class Question(_Message):
    """What the user said: a bubble on the right, no wider than its words."""

    def __init__(self, text: str, attachments: Sequence[Attachment] = (), language: str = "en") -> None:
        super().__init__()
        self._bubble = QFrame()
        self._bubble.setProperty("card", "bubble")
        self._text = MessageView()
        self._text.setObjectName("questionText")
        self._text.setAccessibleName(self.tr("You said"))
        self._text.setPlainText(text)
        inside = column(self._bubble)
        inside.setContentsMargins(2 * STEP, STEP, 2 * STEP, STEP)
        for attachment in attachments:
            inside.addWidget(Attached(attachment, language))
        inside.addWidget(self._text)
        self._text.setVisible(bool(text))
        self.tools = MessageTools(self, at_end=True)
        line = row()
        line.addStretch(1)
        line.addWidget(self._bubble)
        layout = column(self, spacing=0)
        layout.addLayout(line)
        layout.addWidget(self.tools)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def set_text_font(self, font: QFont) -> None:
        self._text.set_size(font)
        self._fit()

    def _fit(self) -> None:
        room = round(self.width() * 0.8)
        # idealWidth depends on the present wrapping: ask for one long line first.
        measure = self._text.document().clone()
        measure.setTextWidth(-1)
        wide = max(round(measure.idealWidth()) + 4 * STEP + 4, self._bubble.minimumSizeHint().width())
        self._bubble.setFixedWidth(min(room, wide))


class Answer(_Message):
    link_wanted = Signal(QUrl)
    picture_failed = Signal(ErrorInfo)

    def __init__(self, model: str, language: str, rendering: Rendering) -> None:
        super().__init__()
        self._thinking = Thinking(language, rendering)
        self._text = AnswerText(rendering)
        self._text.setObjectName("answerText")
        self._text.setAccessibleName(self.tr("Answer"))
        for text in (self._text, self._thinking):
            text.link_wanted.connect(self.link_wanted)
            text.picture_failed.connect(self.picture_failed)
        self._stats = SpeedLine(language)
        self._told = QElapsedTimer()
        self.tools = MessageTools(self)
        self._banner: Banner | None = None
        name = quiet(model)
        name.setContentsMargins(INSET, 0, 0, 0)
        self._words = column(spacing=STEP // 2)
        self._words.setContentsMargins(INSET, 0, 0, 0)
        self._words.addWidget(self._text)
        self._words.addWidget(self._stats)
        layout = column(self, spacing=STEP // 2)
        layout.addWidget(name)
        layout.addWidget(self._thinking)
        layout.addLayout(self._words)
        layout.addWidget(self.tools)
        self._stats.show_words(self.tr("Waiting for the first token…"))

    def add(self, text: str, reasoning: str, speed: SpeedCard) -> None:
        if reasoning:
            self._thinking.add(reasoning, speed)
        if text:
            self._thinking.end(speed)
            self._text.append_markdown(text)
        if not self._told.isValid() or self._told.elapsed() >= SPEED_MS:
            self._told.start()
            self._stats.show_speed(speed)

    def finish(self, text: str, reasoning: str, speed: SpeedCard, note: str, problem: Words | None) -> None:
        self._thinking.finish(reasoning, speed)
        self._text.finish(text)
        self._text.setVisible(bool(text))
        self._stats.show_speed(speed, note)
        if problem is not None:
            self._show_problem(problem)

    def _show_problem(self, problem: Words) -> None:
        """Most answers never need the banner, and it is the largest part of one."""
        if self._banner is None:
            self._banner = Banner(self, name="answerBanner")
            self._words.insertWidget(self._words.indexOf(self._text) + 1, self._banner)
        self._banner.show_words(problem)

    def go_on(self) -> None:
        """The answer is continued: what cut it is no longer so."""
        if self._banner is not None:
            self._banner.dismiss()
        self._text.show()
        self._stats.show_words(self.tr("Waiting for the first token…"))

    def move_to_reasoning(self) -> None:
        """What came as the answer turned out to be reasoning."""
        text = self._text.source()
        self._text.finish("")
        self._thinking.add(text, NO_FIGURES)

    @property
    def busy(self) -> bool:
        """Whether something of it is still to be written on the screen."""
        return self._text.busy or self._thinking.busy

    def restyle(self) -> None:
        self._text.restyle()
        self._thinking.restyle()

    def set_text_font(self, font: QFont) -> None:
        """`restyle` must follow."""
        self._text.set_size(font)
        self._thinking.set_text_font(font)

    def sleep(self) -> None:
        """Far out of sight: hold no text, but stay as high."""
        self._text.sleep()

    def wake(self) -> None:
        self._text.wake()
