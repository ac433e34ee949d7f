"""What the Chat page does: keeps the conversation, asks, shows what comes."""

from __future__ import annotations

import uuid

from PySide6.QtCore import QObject, QTimer, Signal

from core.chat.conversation import Conversation
from core.events import (
    ChatDelta,
    ChatDone,
    ErrorInfo,
    FinishReason,
    ModelsChanged,
    ServerState,
    ServerStatus,
    SpeedCard,
)
from gui.desk import Desk
from gui.pages.chat.messages import Answer
from gui.pages.chat.page import ChatPage

SAVE_DELAY_MS = 800


class ChatPresenter(QObject):
    """`launch_wanted`: there is no server and the user wants one. `speed_changed`: the live figure, None at the end."""

    launch_wanted = Signal()
    speed_changed = Signal(object)

    def __init__(self, page: ChatPage, desk: Desk) -> None:
        super().__init__(page)
        self._page = page
        self._desk = desk
        self._conversation = Conversation(system=desk.services.settings.current.system_prompt)
        self._server = ServerStatus()
        self._model_names: dict[str, str] = {}
        self._answer_id = ""
        self._answer: Answer | None = None
        self._save_system = QTimer(self)
        self._save_system.setSingleShot(True)
        self._save_system.setInterval(SAVE_DELAY_MS)
        self._save_system.timeout.connect(self._store_system)
        page.show_system(self._conversation.system)
        page.sent.connect(self._send)
        page.stop_wanted.connect(self._stop)
        page.new_wanted.connect(self._new)
        page.launch_wanted.connect(self.launch_wanted)
        page.system_changed.connect(self._system_changed)
        bridge = desk.bridge
        bridge.on(ServerStatus, self._server_changed, owner=self)
        bridge.on(ModelsChanged, self._models_changed, owner=self)
        bridge.on(ChatDelta, self._delta, owner=self)
        bridge.on(ChatDone, self._done, owner=self)

    # ---- verbs -----------------------------------------------------------------------------------------------------

    def _send(self, text: str) -> None:
        if self._answer_id or self._server.state is not ServerState.READY:
            return
        self._page.banner.dismiss()
        self._page.composer.clear()
        asked = self._conversation.asked(text)
        self._conversation = asked
        self._answer_id = uuid.uuid4().hex
        self._page.add_question(text)
        self._answer = self._page.add_answer(self._model_name())
        self._arrange()
        self._desk.bridge.call(self._desk.services.ask, asked, self._answer_id, owner=self, failed=self._ask_failed)

    def _stop(self) -> None:
        self._desk.bridge.call(self._desk.services.stop_answer, owner=self)

    def _new(self) -> None:
        if self._answer_id:
            self._stop()
        self._end_answer()
        self._conversation = Conversation(system=self._conversation.system)
        self._page.clear()
        self._arrange()
        self._page.composer.focus()

    def _system_changed(self, text: str) -> None:
        self._conversation = Conversation(text, self._conversation.messages)
        self._save_system.start()

    def _store_system(self) -> None:
        self._desk.bridge.call(self._desk.services.change_settings, owner=self, system_prompt=self._conversation.system)

    # ---- what comes ------------------------------------------------------------------------------------------------

    def _delta(self, event: ChatDelta) -> None:
        if event.answer_id == self._answer_id and self._answer is not None:
            self._answer.add(event.text, event.reasoning, event.speed)
            self.speed_changed.emit(event.speed)

    def _done(self, event: ChatDone) -> None:
        if event.answer_id != self._answer_id:
            return
        problem = self._desk.speech.explain(event.error) if event.error else None
        if self._answer is not None:
            self._answer.finish(event.text, event.reasoning, event.speed, self._note(event.finish), problem)
        self._conversation = self._conversation.answered(event.text, event.reasoning)
        self._end_answer()

    def _ask_failed(self, error: ErrorInfo) -> None:
        """Nothing was asked: say why at the answer's place."""
        if self._answer is not None:
            self._answer.finish("", "", SpeedCard(), "", self._desk.speech.explain(error))
        self._end_answer()

    def _end_answer(self) -> None:
        self._answer_id = ""
        self._answer = None
        self.speed_changed.emit(None)
        self._arrange()

    def _note(self, finish: FinishReason) -> str:
        if finish is FinishReason.LENGTH:
            return self.tr("stopped at the length limit")
        return self.tr("stopped by you") if finish is FinishReason.CANCELLED else ""

    def _server_changed(self, status: ServerStatus) -> None:
        self._server = status
        self._arrange()

    def _models_changed(self, event: ModelsChanged) -> None:
        self._model_names = {model.id: model.name for model in event.models}
        self._arrange()

    def _model_name(self) -> str:
        return self._model_names.get(self._server.model, self._server.model)

    def _arrange(self) -> None:
        self._page.show_server(
            ready=self._server.state is ServerState.READY, model=self._model_name(), answering=bool(self._answer_id)
        )
