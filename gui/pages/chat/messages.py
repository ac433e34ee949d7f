"""The messages of a conversation: what you said in a bubble, answers on plain ground with their figures."""

from __future__ import annotations

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QFrame, QWidget

from core.events import SpeedCard
from core.words import Words
from gui import figures
from gui.pages.chat.answer_text import AnswerText
from gui.theme import STEP
from gui.widgets.banner import Banner
from gui.widgets.buttons import icon_button
from gui.widgets.cards import column, row
from gui.widgets.fold import Fold
from gui.widgets.texts import quiet, selectable


class Question(QWidget):
    """What the user said: a bubble on the right, no wider than its words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._bubble = QFrame()
        self._bubble.setProperty("card", "bubble")
        self._text = AnswerText()
        self._text.setObjectName("questionText")
        self._text.setAccessibleName(self.tr("You said"))
        self._text.show_plain(text)
        inside = column(self._bubble)
        inside.setContentsMargins(2 * STEP, STEP, 2 * STEP, STEP)
        inside.addWidget(self._text)
        layout = row(self)
        layout.addStretch(1)
        layout.addWidget(self._bubble)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        room = round(self.width() * 0.8)
        # idealWidth depends on the present wrapping: ask for one long line first.
        measure = self._text.document().clone()
        measure.setTextWidth(-1)
        self._bubble.setFixedWidth(min(room, round(measure.idealWidth()) + 4 * STEP + 4))


class Answer(QWidget):
    link_wanted = Signal(QUrl)

    def __init__(self, model: str, language: str) -> None:
        super().__init__()
        self._language = language
        self._thinking = AnswerText()
        self._thinking.setAccessibleName(self.tr("The model's reasoning"))
        self._fold = Fold(self.tr("Reasoning"), self._thinking, "answerReasoning")
        self._fold.hide()
        self._text = AnswerText()
        self._text.setObjectName("answerText")
        self._text.setAccessibleName(self.tr("Answer"))
        self._text.link_wanted.connect(self.link_wanted)
        self._reasoning = ""
        self._stats = selectable(quiet())
        self._stats.setObjectName("answerStats")
        self._copy = icon_button("copy", "copyAnswer", self.tr("Copy the answer as Markdown"))
        self._copy.clicked.connect(self._copy_clicked)
        self._copy.hide()
        self.banner = Banner(self, name="answerBanner")
        layout = column(self, spacing=STEP // 2)
        layout.addWidget(quiet(model))
        layout.addWidget(self._fold)
        layout.addWidget(self._text)
        layout.addWidget(self.banner)
        foot = row(spacing=STEP // 2)
        foot.addWidget(self._stats, 1)
        foot.addWidget(self._copy)
        layout.addLayout(foot)
        self._stats.setText(self.tr("Waiting for the first token…"))

    def add(self, text: str, reasoning: str, speed: SpeedCard) -> None:
        if reasoning:
            self._reasoning += reasoning
            self._fold.show()
            self._thinking.append_markdown(reasoning)
        if text:
            self._text.append_markdown(text)
        self._show_speed(speed)

    def finish(self, text: str, reasoning: str, speed: SpeedCard, note: str, problem: Words | None) -> None:
        if reasoning:
            self._fold.show()
            self._thinking.finish(reasoning)
        self._text.finish(text)
        self._text.setVisible(bool(text))
        self._show_speed(speed)
        if note:
            self._stats.setText(f"{self._stats.text()} · {note}")
        if problem is not None:
            self.banner.show_words(problem)
        self._copy.setVisible(bool(text))

    def restyle(self) -> None:
        self._text.restyle()
        self._thinking.restyle()

    def _show_speed(self, speed: SpeedCard) -> None:
        self._stats.setText(figures.speed_line(speed, self._language))
        self._stats.setToolTip(figures.speed_details(speed, self._language))

    def _copy_clicked(self) -> None:
        QGuiApplication.clipboard().setText(self._text.source())
