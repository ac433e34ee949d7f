"""The Chat page with the real conversations under it and a server that plays vLLM: no launch, no other pages."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication, QLabel, QListView, QPlainTextEdit, QPushButton, QTextBrowser, QWidget
from pytestqt.qtbot import QtBot

from core.chat.conversations import Conversations
from core.chat.records import ConversationPage
from core.chat.tree import Message
from core.engine.endpoint import Endpoint
from core.events import ServerState, ServerStatus
from core.paths import Paths
from core.runtime import Runtime
from core.settings import Settings, SettingsStore
from gui.bridge import Bridge
from gui.desk import Desk
from gui.pages.chat.message_tools import MessageTools
from gui.pages.chat.messages import Answer, Question
from gui.pages.chat.page import ChatPage
from gui.pages.chat.presenter import ChatPresenter
from gui.pages.chat.verbs import Verb
from gui.theme import Theme
from gui.words import Speech
from tests.support.chats import Chats

W = TypeVar("W", bound=QObject)
DEADLINE_MS = 20_000
_launches = itertools.count(1)


@dataclass
class Verbs:
    """As much of `core.services.Services` as the page uses."""

    conversations: Conversations
    settings: SettingsStore

    async def change_settings(self, **values: Any) -> Settings:
        return self.settings.change(**values)


class Chatting:
    """A page at work. `model` is the checkpoint's folder of the server."""

    def __init__(self, bot: QtBot, paths: Paths, *, language: str = "en", model: Path | None = None) -> None:
        self.bot = bot
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        if not application.styleSheet():
            Theme(application, "light")  # as the app does; it stays for the tests that come after
        self.bridge = Bridge()
        self.bugs: list[BaseException] = []
        self.bridge.bug.connect(self.bugs.append)
        self._made: list[Chats] = []
        self.bridge.start(lambda: self._make(paths, model), owner=self.bridge, done=self._made.append)
        self.until(lambda: bool(self._made))
        self.chats = self._made[0]
        services: Any = Verbs(self.chats.verbs, SettingsStore(paths.settings_file))
        self.page = ChatPage(language)
        self.presenter = ChatPresenter(self.page, Desk(self.bridge, services, Speech(language, self.page)))
        self.page.resize(1100, 700)
        self.page.show()
        self.presenter.begin()
        self.until(lambda: bool(self.presenter.current.id))

    def _make(self, paths: Paths, model: Path | None) -> tuple[Runtime, Chats]:
        paths.ensure()
        runtime = Runtime(on_error=self.bridge.post_bug)
        runtime.start()
        chats = Chats(paths.data, None, model)
        chats.bus.subscribe(self.bridge.post)
        return runtime, chats

    def close(self) -> None:
        done: list[bool] = []
        self.presenter.end()
        self.bridge.call(self.chats.close, owner=self.bridge, done=lambda _nothing: done.append(True))
        self.until(lambda: bool(done))
        self.bot.waitUntil(self.bridge.stop, timeout=DEADLINE_MS)
        with self.bot.waitSignal(self.page.destroyed, timeout=DEADLINE_MS):
            self.page.deleteLater()
        assert self.bugs == []

    # ---- the server ------------------------------------------------------------------------------------------------

    def serve(self, endpoint: Endpoint) -> None:
        """A server is there from now on."""
        self.chats.endpoint = endpoint
        self.chats.bus.emit(ServerStatus(ServerState.READY, f"launch-{next(_launches)}", "fake", "cpu"))
        self.until(lambda: self.page.composer.context.text().endswith("4,096") or self.measured)

    @property
    def measured(self) -> bool:
        return "/" in self.page.composer.context.text()

    def no_server(self, state: ServerState = ServerState.IDLE) -> None:
        self.chats.endpoint = None
        self.chats.bus.emit(ServerStatus(state, "gone", "fake", "cpu"))

    # ---- hands and eyes --------------------------------------------------------------------------------------------

    def until(self, condition: Callable[[], bool]) -> None:
        self.bot.waitUntil(condition, timeout=DEADLINE_MS)

    def find(self, kind: type[W], name: str) -> W:
        found: list[Any] = self.page.findChildren(kind, name)
        assert found, f"no {kind.__name__} is called {name}"
        return next((widget for widget in found if widget.isVisible()), found[0])

    def sees(self, name: str) -> bool:
        return any(widget.isVisible() for widget in self.page.findChildren(QWidget, name))

    def press(self, name: str) -> None:
        self.until(lambda: self.find(QPushButton, name).isVisible() and self.find(QPushButton, name).isEnabled())
        self.find(QPushButton, name).click()

    def text(self, name: str) -> str:
        return self.find(QLabel, name).text()

    @property
    def box(self) -> QPlainTextEdit:
        return self.find(QPlainTextEdit, "chatInput")

    @property
    def list(self) -> QListView:
        return self.find(QListView, "conversationList")

    def type(self, text: str) -> None:
        self.box.setPlainText(text)

    def send(self, text: str) -> None:
        self.type(text)
        self.bot.keyClick(self.box, Qt.Key.Key_Return)

    def ask(self, text: str) -> None:
        """Send, and wait until the answer has ended."""
        before = len(self.chats.ends)
        self.send(text)
        self.until(lambda: len(self.chats.ends) > before)
        self.settled()

    def settled(self) -> None:
        """No answer is being written, and the page shows the newest stored state."""
        self.until(lambda: self.sees("sendButton"))
        self.until(lambda: self.presenter.current.revision == self.stored().info.revision)
        self.until(lambda: not any(message.running for message in self.presenter.turns.messages))

    @property
    def questions(self) -> list[str]:
        return [box.toPlainText() for box in self._texts("questionText")]

    @property
    def answers(self) -> list[str]:
        return [box.toPlainText() for box in self._texts("answerText")]

    @property
    def notes(self) -> list[str]:
        """The line of figures under each answer."""
        found = [message.findChild(QLabel, "answerStats") for message in self.page.messages.messages]
        return [label.text() for label in found if isinstance(label, QLabel)]

    def _texts(self, name: str) -> list[QTextBrowser]:
        boxes = [box for box in self.page.messages.findChildren(QTextBrowser, name) if box.isVisibleTo(self.page)]
        return sorted(boxes, key=lambda box: box.mapTo(self.page.messages, box.rect().topLeft()).y())

    @property
    def titles(self) -> list[str]:
        return [row.text for row in self.page.sidebar.list.rows.rows if row.id]

    def widget(self, place: int) -> Question | Answer:
        return self.page.messages.messages[place]

    def use(self, place: int, verb: Verb) -> None:
        """Press a tool of a message, as somebody who came near it."""
        tools = self.widget(place).findChild(MessageTools)
        assert isinstance(tools, MessageTools)
        tools.wake()
        found = [button for button in tools.findChildren(QPushButton) if button.property("verb") == verb.value]
        assert found, f"{verb} is not offered"
        assert found[0].isVisible()
        assert found[0].isEnabled()
        found[0].click()

    def stored(self) -> ConversationPage:
        """The conversation on the screen, as it stands in the file now."""
        return self.result(self.chats.verbs.open, self.presenter.current.id)

    def said(self) -> list[str]:
        return [message.content for message in self.stored().messages]

    def last(self) -> Message:
        return self.stored().messages[-1]

    def result(self, verb: Callable[..., Any], *args: Any) -> Any:
        found: list[Any] = []
        failed: list[Any] = []
        self.bridge.call(verb, *args, owner=self.page, done=found.append, failed=failed.append)
        self.until(lambda: bool(found or failed))
        assert not failed, failed
        return found[0]
