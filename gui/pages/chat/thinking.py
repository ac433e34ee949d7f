"""What a model thought before it answered: in sight while it thinks, folded away after, with its time and tokens."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QTimer, QUrl, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QWidget

from core.events import ErrorInfo
from core.speed_card import NO_FIGURES, SpeedCard
from gui import figures
from gui.pages.chat.answer_text import AnswerText
from gui.pages.chat.message_tools import INSET
from gui.pages.chat.rendering import Rendering
from gui.widgets.cards import column
from gui.widgets.fold import Fold

TICK_MS = 1000


class Thinking(QWidget):
    """Hidden until there is any. The text is formatted only while it is unfolded; a fold that somebody moved stays."""

    link_wanted = Signal(QUrl)
    picture_failed = Signal(ErrorInfo)

    def __init__(self, language: str, rendering: Rendering) -> None:
        super().__init__()
        self._language = language
        self._rendering = rendering
        self._text: AnswerText | None = None
        self._body = QWidget()
        self._inside = column(self._body)
        self._inside.setContentsMargins(INSET, 0, 0, 0)
        self._fold = Fold("", self._body, "answerReasoning")
        self._fold.opened.connect(self._opened)
        self._font: QFont | None = None
        self._source = ""
        self._shown = ""
        self._running = False
        self._touched = False
        self._moving = False
        self._speed = NO_FIGURES
        self._clock = QElapsedTimer()
        self._tick = QTimer(self)
        self._tick.setInterval(TICK_MS)
        self._tick.timeout.connect(self._say)
        column(self).addWidget(self._fold)
        self.hide()

    @property
    def busy(self) -> bool:
        return self._text is not None and self._text.busy

    def source(self) -> str:
        return self._source

    def add(self, text: str, speed: SpeedCard) -> None:
        """More of it."""
        self._source += text
        self._speed = speed
        if not self._running:
            self._running = True
            self._clock.start()
            self._tick.start()
            self.show()
            self._move(True)
            self._say()
        self._render()

    def end(self, speed: SpeedCard) -> None:
        """The answer itself has begun, or everything ended."""
        self._speed = speed
        if self._running:
            self._running = False
            self._tick.stop()
            self._move(False)
        self._say()

    def finish(self, text: str, speed: SpeedCard) -> None:
        """All of it, from the store or at the end."""
        self._source = text
        self.end(speed)
        self.setVisible(bool(text))
        self._render()
        if self._shown == text and self._text is not None:
            self._text.finish(text)

    def restyle(self) -> None:
        if self._text is not None:
            self._text.restyle()

    def set_text_font(self, font: QFont) -> None:
        self._font = font
        if self._text is not None:
            self._text.set_size(font)

    def _opened(self, _open: bool) -> None:
        self._touched = self._touched or not self._moving
        self._render()

    def _move(self, unfolded: bool) -> None:
        if not self._touched:
            self._moving = True
            self._fold.open(unfolded)
            self._moving = False

    def _render(self) -> None:
        """Nothing is formatted that nobody sees."""
        if self._shown == self._source or not self._fold.is_open():
            return
        if self._text is None:
            self._text = self._make_text()
        if self._source.startswith(self._shown) and self._running:
            self._text.append_markdown(self._source[len(self._shown) :])
        else:
            self._text.finish(self._source)
        self._shown = self._source

    def _make_text(self) -> AnswerText:
        made = AnswerText(self._rendering)
        made.setObjectName("thinkingText")
        made.setProperty("tone", "quiet")
        made.setAccessibleName(self.tr("The model's reasoning"))
        made.link_wanted.connect(self.link_wanted)
        made.picture_failed.connect(self.picture_failed)
        self._inside.addWidget(made)
        if self._font is not None:
            made.set_size(self._font)
        return made

    def _say(self) -> None:
        seconds, tokens = self._figures()
        if self._running:
            words = self.tr("Thinking: {time}").format(time=figures.clock(seconds or 0.0))
        elif seconds is None:
            words = self.tr("Thoughts")
        elif seconds < 60:
            words = self.tr("Thought for {seconds} s").format(seconds=figures.decimal(seconds, 1, self._language))
        else:
            words = self.tr("Thought for {time}").format(time=figures.clock(seconds))
        if tokens:
            words += self.tr(" · {count} tokens").format(count=figures.count(tokens, self._language))
        self._fold.retitle(words)

    def _figures(self) -> tuple[float | None, int]:
        """Seconds and tokens: the server's counts where there are any."""
        speed = self._speed
        seconds = speed.thinking_s
        if seconds is None and self._clock.isValid():
            seconds = self._clock.elapsed() / 1000
        tokens = speed.thinking_tokens
        return seconds, speed.completion_tokens if tokens is None and self._running else tokens or 0
