"""The messages of the open conversation as widgets: what is stored on one side, the list on the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from PySide6.QtCore import QObject, QTimer, QUrl, Signal
from PySide6.QtWidgets import QWidget

from core.chat.tree import Message
from core.events import ChatDelta, ChatDone, ErrorInfo, FinishReason
from core.speed_card import NO_FIGURES
from gui.pages.chat.message_list import MessageList
from gui.pages.chat.messages import Answer, Question
from gui.pages.chat.rendering import Rendering
from gui.pages.chat.verbs import Verb
from gui.words import Speech

ModelName = Callable[[str], str]

# A conversation that is opened: what fills the window is made at once and painted, the rest follows turn by turn.
FIRST_MESSAGES: Final = 2
LEAST_HEIGHT: Final = 70
LINE: Final = 14
LINE_LENGTH: Final = 100
AFTER_PAINTING_MS: Final = 40
BETWEEN_MS: Final = 5
BUDGET_S: Final = 0.001


class Thread(QObject):
    """`wanted` with a message and the `Verb` for it. Keeps the widget of every message that did not change, so that a
    selection, a scroll position and a rendered answer stay.

    Of a conversation that is opened the end is made first, what is above it in the next turns: until then the first of
    `messages` have no widget (`_early` of them)."""

    wanted = Signal(object, object)
    link_wanted = Signal(QUrl)
    picture_failed = Signal(ErrorInfo)

    def __init__(
        self, view: MessageList, speech: Speech, model_name: ModelName, rendering: Rendering, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._view = view
        self._speech = speech
        self._model_name = model_name
        self._rendering = rendering
        self._messages: list[Message] = []
        self._widgets: list[Question | Answer] = []
        self._older = 0
        self._early = 0
        self._early_timer = QTimer(self)
        self._early_timer.setSingleShot(True)
        self._early_timer.timeout.connect(self._make_some_early)

    @property
    def messages(self) -> tuple[Message, ...]:
        return tuple(self._messages)

    @property
    def older(self) -> int:
        return self._older

    @property
    def whole(self) -> bool:
        """Whether each of `messages` has its widget already."""
        return not self._early

    def find(self, message: str) -> Message | None:
        return next((one for one in self._messages if one.id == message), None)

    def last(self, role: str) -> Message | None:
        return next((one for one in reversed(self._messages) if one.role == role), None)

    # ---- what is stored --------------------------------------------------------------------------------------------

    def show(self, messages: Sequence[Message], older: int) -> None:
        """Another state of the conversation, or another conversation."""
        self._make_early()
        messages, older = self._with_earlier(messages, older)
        same = 0
        while same < min(len(messages), len(self._messages)) and _alike(messages[same], self._messages[same]):
            same += 1
        self._cut(same)
        if not same:
            self._view.clear()
        self._messages[:same] = messages[:same]
        if not same:
            self._early = _early(messages, self._view.height())
            self._messages = list(messages[: self._early])
            self._early_timer.start(AFTER_PAINTING_MS)
        for message in messages[len(self._messages) :]:
            self._append(message)
        self._older = older + len(messages) - len(self._messages)
        self._view.show_left_out(self._older)
        self._offer()

    def _with_earlier(self, messages: Sequence[Message], older: int) -> tuple[Sequence[Message], int]:
        """With the messages before them that the reader has loaded already, if they are the same conversation's."""
        first = messages[0].id if messages else ""
        place = next((n for n, one in enumerate(self._messages) if one.id == first), 0)
        if not place or older != self._older + place:
            return messages, older
        return [*self._messages[:place], *messages], self._older

    def _make_some_early(self) -> None:
        """Widgets for messages above those that have one, for a few milliseconds."""
        if not self._early:
            return
        until = time.perf_counter() + BUDGET_S
        made: list[Question | Answer] = []
        while self._early and (not made or time.perf_counter() < until):
            self._early -= 1
            made.insert(0, self._widget(self._messages[self._early]))
        self._widgets[:0] = made
        self._view.put_first(made)
        if self._early:
            self._early_timer.start(BETWEEN_MS)
        self._offer()

    def _make_early(self) -> None:
        """All that are left, now: somebody needs them."""
        while self._early:
            self._make_some_early()

    def put_first(self, messages: Sequence[Message], older: int) -> None:
        self._make_early()
        widgets = [self._widget(message) for message in messages]
        self._messages[:0] = messages
        self._widgets[:0] = widgets
        self._view.put_first(widgets)
        self._older = older
        self._view.show_left_out(older)
        self._offer()

    def ask(self, question: Message | None, answer: Message, instead_of: str = "") -> None:
        """An answer begins: below a new question, from the message `instead_of` on, or at the end of a cut answer."""
        self._make_early()
        place = next((n for n, one in enumerate(self._messages) if one.id in (instead_of, answer.id)), None)
        if place is not None and self._messages[place].id == answer.id:
            widget = self._widgets[place]
            assert isinstance(widget, Answer)
            self._messages[place] = answer
            widget.go_on()
        else:
            self._cut(len(self._messages) if place is None else place)
            for message in (question, answer):
                if message is not None:
                    self._append(message)
        self._offer()

    def clear(self) -> None:
        self._view.clear()
        self._messages, self._widgets, self._older, self._early = [], [], 0, 0

    def restyle(self) -> None:
        self._view.restyle()

    def bring(self, message: str) -> None:
        self._make_early()
        for one, widget in self._pairs():
            if one.id == message:
                self._view.bring(widget)

    # ---- what comes ------------------------------------------------------------------------------------------------

    def delta(self, event: ChatDelta) -> bool:
        widget = self._answer(event.answer_id)
        if widget is None:
            return False
        if event.moved:
            widget.move_to_reasoning()
        widget.add(event.text, event.reasoning, event.speed)
        return True

    def done(self, event: ChatDone) -> bool:
        widget = self._answer(event.answer_id)
        if widget is None:
            return False
        place = self._early + self._widgets.index(widget)
        message = replace(
            self._messages[place],
            content=event.text,
            reasoning=event.reasoning,
            running=False,
            finish=event.finish,
            speed=event.speed,
            error=event.error,
            trimmed=event.trimmed,
        )
        self._messages[place] = message
        self._finish(widget, message)
        self._offer()
        return True

    # ---- widgets ---------------------------------------------------------------------------------------------------

    def message_of(self, widget: QWidget | None) -> QWidget | None:
        """The message that `widget` is a part of."""
        while widget is not None and not isinstance(widget, Question | Answer):
            widget = widget.parentWidget()
        return widget

    def _pairs(self) -> Iterator[tuple[Message, Question | Answer]]:
        """The messages that have a widget, with it."""
        return zip(self._messages[self._early :], self._widgets, strict=True)

    def _answer(self, message: str) -> Answer | None:
        for one, widget in self._pairs():
            if one.id == message and isinstance(widget, Answer):
                return widget
        return None

    def _append(self, message: Message) -> None:
        widget = self._widget(message)
        self._messages.append(message)
        self._widgets.append(widget)
        self._view.add(widget)
        alive = self._view.messages
        while self._widgets[0] is not alive[0]:
            del self._widgets[0], self._messages[0]
            self._older += 1

    def _cut(self, place: int) -> None:
        """Take away the messages from `place` on."""
        for widget in self._widgets[place:]:
            self._view.take(widget)
        del self._messages[place:], self._widgets[place:]

    def _widget(self, message: Message) -> Question | Answer:
        if message.role == "user":
            widget = Question(message.content, message.attachments, self._speech.language)
        else:
            widget = Answer(self._model_name(message.model), self._speech.language, self._rendering)
            widget.link_wanted.connect(self.link_wanted)
            widget.picture_failed.connect(self.picture_failed)
            if message.running:
                widget.add(message.content, message.reasoning, message.speed or NO_FIGURES)
            else:
                self._finish(widget, message)
        widget.setProperty("message", message.id)
        widget.tools.wanted.connect(self._tool_pressed)
        return widget

    def _finish(self, widget: Answer, message: Message) -> None:
        problem = self._speech.explain(message.error) if message.error is not None else None
        widget.finish(message.content, message.reasoning, message.speed or NO_FIGURES, self._note(message), problem)

    def _note(self, message: Message) -> str:
        notes = []
        if message.trimmed:
            notes.append(self.tr("without the %Ln oldest message(s)", "", message.trimmed))
        ended = {
            FinishReason.LENGTH: self.tr("stopped at the length limit"),
            FinishReason.CANCELLED: self.tr("stopped by you"),
            FinishReason.INTERRUPTED: self.tr("Stowage was closed here"),
        }
        if message.finish is not None and message.finish in ended:
            notes.append(ended[message.finish])
        elif message.finish is FinishReason.ERROR and message.content:
            notes.append(self.tr("cut off"))
        return " · ".join(notes)

    def _offer(self) -> None:
        """Which tools make sense for each message."""
        running = any(message.running for message in self._messages)
        last = len(self._messages) - 1
        for place, (message, widget) in enumerate(self._pairs(), self._early):
            widget.tools.offer(
                self._verbs(message, place == last) if not running else (Verb.COPY,),
                version=message.version + 1,
                versions=max(1, len(message.versions)) if not running else 1,
                always=place == last and not message.running,
            )

    def _verbs(self, message: Message, last: bool) -> tuple[Verb, ...]:
        if message.role == "user":
            return (Verb.COPY, Verb.EDIT, Verb.DELETE)
        more = (Verb.GO_ON,) if last and message.can_continue else ()
        return (Verb.COPY, Verb.AGAIN, *more, Verb.DELETE) if message.content else (Verb.AGAIN, Verb.DELETE)

    def _tool_pressed(self, verb: Verb) -> None:
        widget = self.message_of(self.sender().parent())  # type: ignore[arg-type]
        for one, shown in self._pairs():
            if shown is widget:
                self.wanted.emit(one, verb)
                return


def _early(messages: Sequence[Message], height: int) -> int:
    """How many of them are above the last ones that surely fill `height` pixels."""
    place = len(messages)
    while place and (height > 0 or len(messages) - place < FIRST_MESSAGES):
        place -= 1
        text = messages[place].content
        height -= LEAST_HEIGHT + LINE * (text.count("\n") + len(text) // LINE_LENGTH)
    return place


def _alike(one: Message, other: Message) -> bool:
    """Whether the widget of one can stand for the other; the answer that runs keeps its widget."""
    if one.id != other.id or one.running != other.running:
        return False
    return one.running or (one.content, one.finish) == (other.content, other.finish)
