"""What the Chat page does: opens conversations, and says who is talked to and what stands in the way."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QObject, Signal

from core.chat.params import Params
from core.chat.records import ConversationInfo, ConversationPage, OlderMessages
from core.events import ErrorInfo, ModelsChanged, ServerState, ServerStatus
from gui.desk import Desk
from gui.pages.chat.controls_presenter import ControlsPresenter
from gui.pages.chat.conversation_rows import title_of
from gui.pages.chat.current import Current
from gui.pages.chat.drafts import Drafts
from gui.pages.chat.list_presenter import ListPresenter
from gui.pages.chat.obstacles import Obstacle, Obstacles
from gui.pages.chat.page import ChatPage
from gui.pages.chat.rendering import Rendering
from gui.pages.chat.talk import Talk
from gui.pages.chat.thread import Thread
from gui.pages.chat.verbs import Verb

NO_SERVER: Final = ServerStatus()


class ChatPresenter(QObject):
    """`launch_wanted`: there is no server and the user wants one; `relaunch_wanted` with the model to be started at
    once. `speed_changed`: the live figure, None at the end."""

    launch_wanted = Signal()
    relaunch_wanted = Signal(str)
    speed_changed = Signal(object)

    def __init__(self, page: ChatPage, desk: Desk) -> None:
        super().__init__(page)
        self._page = page
        self._desk = desk
        self._server = NO_SERVER
        self._model_names: dict[str, str] = {}
        self._wanted_message = ""
        self._go_on_later: tuple[str, str] | None = None
        self._older_asked = False
        self.current = Current(desk, self)
        self._rendering = Rendering(desk.bridge, self)
        self.turns = Thread(page.messages, desk.speech, self._name_of, self._rendering, self)
        self.list = ListPresenter(page.sidebar, self.current, desk)
        self.controls = ControlsPresenter(page.controls, self.current, desk)
        self.drafts = Drafts(page.composer, self.current, desk)
        self.talk = Talk(self.turns, self.current, self.drafts, self.controls, desk, self)
        self._obstacles = Obstacles(page.state, self)
        page.wish_sidebar(desk.services.settings.current.chat_sidebar)
        page.messages.set_zoom(desk.services.settings.current.chat_zoom)
        self._connect_page()
        self._connect_parts()
        desk.bridge.on(ServerStatus, self._server_changed, owner=self)
        desk.bridge.on(ModelsChanged, self._models_changed, owner=self)

    def _connect_page(self) -> None:
        page = self._page
        page.composer.sent.connect(self._send)
        page.composer.stop_wanted.connect(self.talk.stop)
        page.composer.context.at_limit_chosen.connect(self.controls.choose_at_limit)
        page.new_wanted.connect(self._new)
        page.launch_wanted.connect(self.launch_wanted)
        page.last_wanted.connect(self._last_wanted)
        page.sides_changed.connect(self._keep_sidebar)
        page.step_wanted.connect(self.list.step)
        page.messages.older_wanted.connect(self._load_older)
        page.messages.zoomed.connect(self._keep_zoom)
        page.undo.undo_wanted.connect(self.talk.undo)

    def _connect_parts(self) -> None:
        self.turns.link_wanted.connect(self._page.ask_link)
        self.turns.picture_failed.connect(self._say)
        self.list.chosen.connect(self._page.conversation_chosen)
        self.list.listed.connect(self._arrange)
        self.list.message_wanted.connect(self._want_message)
        self.drafts.refused.connect(self._say)
        self.talk.changed.connect(self._arrange)
        self.talk.refused.connect(self._say)
        self.talk.removed.connect(self._removed)
        self.talk.speed_changed.connect(self.speed_changed)
        self.controls.abilities_changed.connect(self.drafts.show_abilities)
        self.controls.params_changed.connect(self._params_changed)
        self.current.opened.connect(self._opened)
        self.current.refreshed.connect(self._refreshed)
        self.current.failed.connect(self._say)
        self._obstacles.acted.connect(self._overcome)

    def begin(self, conversation: str = "") -> None:
        """The services are open: show this conversation, else the one that was used last."""
        self.controls.load()
        if conversation:
            self.current.open(conversation)
        self.list.load(self._first_list)

    def end(self) -> None:
        """The services are about to close."""
        self._rendering.end()
        self.list.end()
        self.controls.end()
        self.drafts.end()

    def _first_list(self, infos: tuple[ConversationInfo, ...]) -> None:
        if self.current.id or self.current.opening:
            return
        if infos:
            self.current.open(max(infos, key=lambda info: info.updated).id)
        else:
            self.current.new()

    # ---- which conversation ----------------------------------------------------------------------------------------

    def _new(self) -> None:
        self.current.new()
        self._page.conversation_chosen()
        self._page.composer.focus()

    def _opened(self, page: ConversationPage) -> None:
        self._page.banner.dismiss()
        self._page.undo.hide()
        self.turns.clear()
        self._refreshed(page)

    def _refreshed(self, page: ConversationPage) -> None:
        self.turns.show(page.messages, page.older)
        self._older_asked = False
        if self._wanted_message:
            self.turns.bring(self._wanted_message)
            self._wanted_message = ""
        self._arrange()

    def _want_message(self, message: str) -> None:
        self._wanted_message = message

    def _load_older(self) -> None:
        if self._older_asked or not self.turns.messages or not self.turns.whole:
            return
        self._older_asked = True
        conversation, first = self.current.id, self.turns.messages[0].id

        def came(older: OlderMessages) -> None:
            self._older_asked = False
            if conversation == self.current.id:
                self.turns.put_first(older.messages, older.older)

        self._desk.bridge.call(self._desk.services.conversations.older, conversation, first, owner=self, done=came)

    # ---- hands -----------------------------------------------------------------------------------------------------

    def _send(self, text: str) -> None:
        if self.talk.free:
            self._page.banner.dismiss()
            self._page.undo.hide()
        self.talk.send(text)

    def _last_wanted(self, what: str) -> None:
        self.talk.do_with_last(Verb(what))

    def _keep_sidebar(self, shown: bool) -> None:
        self._desk.bridge.call(self._desk.services.change_settings, owner=self, chat_sidebar=shown)

    def _keep_zoom(self, percent: int) -> None:
        self._desk.bridge.call(self._desk.services.change_settings, owner=self, chat_zoom=percent)

    def _say(self, error: ErrorInfo) -> None:
        self._page.banner.show_words(self._desk.speech.explain(error))

    def _removed(self, count: int) -> None:
        self._page.undo.show_text(self.tr("%Ln message(s) deleted", "", count))

    def _params_changed(self, params: Params) -> None:
        self.drafts.show_at_limit(params.at_limit)

    # ---- what stands in the way ------------------------------------------------------------------------------------

    def _overcome(self, action: str) -> None:
        last = self.turns.messages[-1] if self.turns.messages else None
        if action == "launch":
            self.launch_wanted.emit()
        elif action == "stop":
            self.talk.stop()
        elif action == "go_there":
            self.current.open(self.talk.writing_in)
        elif action == "do_not_go_on":
            self._go_on_later = None
        elif action == "new":
            self._new()
        elif last is not None:
            self._mend(action, last.id)
        self._arrange()

    def _mend(self, action: str, message_id: str) -> None:
        """The last answer was cut off, or could not begin."""
        message = self.turns.find(message_id)
        assert message is not None
        if action == "relaunch":
            self._go_on_later = (self.current.id, message.id)
            self.relaunch_wanted.emit(self._desk.services.settings.current.last_model)
        elif action == "go_on":
            self.talk.go_on(message)
        elif action == "trim":
            self.controls.choose_at_limit("trim")
            self.talk.again(message)

    def _server_changed(self, status: ServerStatus) -> None:
        self._server = status
        if status.state is ServerState.FAILED:
            self._go_on_later = None
        if self._ready and self._go_on_later is not None:
            conversation, message = self._go_on_later
            self._go_on_later = None
            found = self.turns.find(message) if conversation == self.current.id else None
            if found is not None and found.can_continue:
                self.talk.go_on(found)
        self._arrange()

    def _models_changed(self, event: ModelsChanged) -> None:
        self._model_names = {model.id: model.name for model in event.models}
        self._arrange()

    @property
    def _ready(self) -> bool:
        return self._server.state is ServerState.READY

    def _name_of(self, model: str) -> str:
        return self._model_names.get(model, model)

    def _arrange(self) -> None:
        page, model = self.current.page, self._name_of(self._server.model)
        talking = self.tr("Talking to {model}").format(model=model) if self._ready else self.tr("No server is running")
        self._page.show_head(self._title(self.current.id), talking)
        self._page.invitation.show_ready(self._ready, model)
        self._page.show_empty(not self.turns.messages)
        here = bool(self.current.id) and self.talk.writing_in == self.current.id
        self._obstacles.show(
            Obstacle(
                state=self._server.state,
                model=model,
                last=self.turns.messages[-1] if self.turns.messages else None,
                writing_in=self._title(self.talk.writing_in) if self.talk.writing_in and not here else None,
                other_window=page is not None and page.elsewhere,
                waiting=self._go_on_later is not None,
            )
        )
        self._page.composer.show_state(ready=self.talk.free, answering=here)

    def _title(self, conversation: str) -> str:
        page, title = self.current.page, self.list.title(conversation)
        if title is None and page is not None and page.info.id == conversation:
            title = page.info.title
        return title_of(title or "")
