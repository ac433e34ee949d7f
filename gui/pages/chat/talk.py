"""The answer that is being written, and everything that begins one: a question, another version, a continuation."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from core.chat.events import AnswerBegan
from core.chat.records import Asked, Deleted, Draft
from core.chat.tree import Message
from core.events import ChatDelta, ChatDone, ErrorInfo, ServerState, ServerStatus
from gui.desk import Desk
from gui.pages.chat.controls_presenter import ControlsPresenter
from gui.pages.chat.current import Current
from gui.pages.chat.drafts import Drafts
from gui.pages.chat.thread import Thread
from gui.pages.chat.verbs import Verb

Begin = Callable[..., Coroutine[Any, Any, Asked]]


class Talk(QObject):
    """`changed` when an answer begins or ends; `refused` with the reason when nothing was asked; `removed` with the
    number of messages that were deleted; `speed_changed` with the live figure, None at the end."""

    changed = Signal()
    refused = Signal(object)
    removed = Signal(int)
    speed_changed = Signal(object)

    def __init__(
        self, thread: Thread, current: Current, drafts: Drafts, controls: ControlsPresenter, desk: Desk, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._thread = thread
        self._current = current
        self._drafts = drafts
        self._controls = controls
        self._desk = desk
        self._ready = False
        self._sending = False
        self._running: AnswerBegan | None = None
        self._early: list[ChatDelta | ChatDone] = []
        self._undo_token = ""
        thread.wanted.connect(self.do)
        bridge = desk.bridge
        bridge.on(ServerStatus, self._server_changed, owner=self)
        bridge.on(AnswerBegan, self._began, owner=self)
        bridge.on(ChatDelta, self._delta, owner=self)
        bridge.on(ChatDone, self._done, owner=self)

    # ---- state -----------------------------------------------------------------------------------------------------

    @property
    def writing_in(self) -> str:
        """The conversation in which an answer is being written, "" for none."""
        return self._running.conversation if self._running is not None else ""

    @property
    def free(self) -> bool:
        """Whether a question could be asked now."""
        return self._ready and not self._sending and self._running is None

    def _server_changed(self, status: ServerStatus) -> None:
        self._ready = status.state is ServerState.READY

    # ---- asking ----------------------------------------------------------------------------------------------------

    def send(self, text: str) -> None:
        if not self.free:
            return
        editing, draft = self._drafts.editing, self._drafts.take()
        draft = Draft(text, draft.attachments)

        def failed(error: ErrorInfo) -> None:
            self._failed(error)
            self._drafts.give_back(draft, editing)

        conversations = self._desk.services.conversations
        if editing is None:
            self._ask(conversations.send, text, draft.attachments, failed=failed)
        else:
            self._ask(conversations.edit, editing.id, text, draft.attachments, instead=editing.id, failed=failed)

    def again(self, message: Message) -> None:
        self._ask(self._desk.services.conversations.regenerate, message.id, instead=message.id)

    def go_on(self, message: Message) -> None:
        self._ask(self._desk.services.conversations.go_on, message.id)

    def stop(self) -> None:
        self._desk.bridge.call(self._desk.services.conversations.stop, owner=self)

    def _ask(
        self, verb: Begin, *args: object, instead: str = "", failed: Callable[[ErrorInfo], None] | None = None
    ) -> None:
        """Once the panel's settings are stored: the answer is asked with them."""
        if not self.free:
            return
        conversation = self._current.id
        self._sending = True
        self.changed.emit()

        def began(asked: Asked) -> None:
            self._sending = False
            early, self._early = self._early, []
            if conversation == self._current.id:
                self._current.saw(asked.revision)
                self._thread.ask(asked.question, asked.answer, instead)
                for event in early:
                    self._show(event)
            self.changed.emit()

        def go() -> None:
            revision = self._current.revision if conversation == self._current.id else None
            self._current.do(verb, conversation, *args, done=began, failed=failed or self._failed, revision=revision)

        self._controls.save_then(go)

    def _failed(self, error: ErrorInfo) -> None:
        self._sending = False
        self._early.clear()
        self.refused.emit(error)
        self.changed.emit()

    # ---- what comes ------------------------------------------------------------------------------------------------

    def _began(self, event: AnswerBegan) -> None:
        self._running = event
        self.changed.emit()

    def _delta(self, event: ChatDelta) -> None:
        self._take(event)
        self.speed_changed.emit(event.speed)

    def _done(self, event: ChatDone) -> None:
        self._take(event)
        if self._running is not None and self._running.answer.id == event.answer_id:
            self._running = None
        self.speed_changed.emit(None)
        self._drafts.measure()
        self.changed.emit()

    def _take(self, event: ChatDelta | ChatDone) -> None:
        """Text that comes before its message is on the screen waits for it."""
        if not self._show(event) and self._sending:
            self._early.append(event)

    def _show(self, event: ChatDelta | ChatDone) -> bool:
        return self._thread.delta(event) if isinstance(event, ChatDelta) else self._thread.done(event)

    # ---- verbs on a message ----------------------------------------------------------------------------------------

    def do(self, message: Message, verb: Verb) -> None:
        if verb is Verb.COPY:
            QGuiApplication.clipboard().setText(message.content)
        elif verb is Verb.EDIT:
            self._drafts.edit(message)
        elif verb is Verb.AGAIN:
            self.again(message)
        elif verb is Verb.GO_ON:
            self.go_on(message)
        elif verb is Verb.DELETE:
            self._delete(message)
        else:
            self._switch(message, -1 if verb is Verb.OLDER else 1)

    def do_with_last(self, verb: Verb) -> None:
        """The newest question (to edit it) or answer."""
        message = self._thread.last("user" if verb is Verb.EDIT else "assistant")
        if message is not None and (verb is Verb.COPY or self._running is None):
            self.do(message, verb)

    def _switch(self, message: Message, way: int) -> None:
        place = message.version + way
        if 0 <= place < len(message.versions):
            switch = self._desk.services.conversations.switch
            self._current.do(switch, self._current.id, message.versions[place], done=self._current.show)

    def _delete(self, message: Message) -> None:
        def done(deleted: Deleted) -> None:
            self._undo_token = deleted.token
            self.removed.emit(deleted.count)
            self._current.refresh()

        delete = self._desk.services.conversations.delete_turn
        self._current.do(delete, self._current.id, message.id, self._current.revision, done=done)

    def undo(self) -> None:
        def done(_nothing: object) -> None:
            self._current.refresh()

        self._current.do(self._desk.services.conversations.undo, self._undo_token, done=done)
