"""An answer in a window of ours, as a process of its own: `chat_child.py ours|set_markdown BASE_URL LAST_WORDS`.

The product's client, bus, bridge and widgets (`ours`), or the same with the text through `QTextBrowser.setMarkdown` at
30 Hz. Says READY, asks when a line comes in, says as JSON what was seen when all is shown, and ends with its input.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QTextBrowser, QTextEdit, QWidget

from core.chat.conversation import ApiMessage
from core.chat.service import ChatService
from core.engine.endpoint import Endpoint
from core.events import ChatDelta, ChatDone, EventBus
from core.runtime import Runtime
from core.speed_card import SpeedCard
from gui.bridge import Bridge
from gui.pages.chat.message_list import MessageList
from gui.pages.chat.messages import Answer
from gui.pages.chat.rendering import Rendering
from tests.support.gui_turns import Turns

SIZE = (1440, 900)
FLUSH_S = 0.033


class Ours:
    def __init__(self, bridge: Bridge) -> None:
        self.widget, self._answer = MessageList(), Answer("model", "en", Rendering(bridge, bridge))
        self.widget.add(self._answer)

    def add(self, text: str, speed: SpeedCard) -> None:
        self._answer.add(text, "", speed)

    def finish(self, done: ChatDone) -> None:
        self._answer.finish(done.text, done.reasoning, done.speed, done.finish, None)

    @property
    def busy(self) -> bool:
        return self._answer.busy


class SetMarkdown:
    busy = False

    def __init__(self, _bridge: Bridge) -> None:
        self.widget, self._text, self._last_s = QTextBrowser(), "", 0.0

    def add(self, text: str, _speed: SpeedCard) -> None:
        self._text += text
        if time.perf_counter() - self._last_s >= FLUSH_S:
            self._show()
            self._last_s = time.perf_counter()

    def finish(self, done: ChatDone) -> None:
        self._text = done.text
        self._show()

    def _show(self) -> None:
        self.widget.setMarkdown(self._text)
        self.widget.verticalScrollBar().setValue(self.widget.verticalScrollBar().maximum())


def shown(widget: QWidget) -> str:
    texts = [*([widget] if isinstance(widget, QTextEdit) else []), *widget.findChildren(QTextEdit)]
    return "\n".join(text.toPlainText() for text in texts)


def on_line(bridge: Bridge, act: Callable[[], None], end: Callable[[], None]) -> None:
    """`act` for the first line of the input, `end` at its end, both on the GUI thread."""

    def read() -> None:
        sys.stdin.readline()
        QTimer.singleShot(0, bridge, act)
        sys.stdin.read()
        QTimer.singleShot(0, bridge, end)

    threading.Thread(target=read, daemon=True).start()


def main() -> None:
    way, base_url, last_words = sys.argv[1:]
    app, bridge, runtime, bus, turns = QApplication([]), Bridge(), Runtime(), EventBus(), Turns()
    view = {"ours": Ours, "set_markdown": SetMarkdown}[way](bridge)
    service = ChatService(bus, lambda: Endpoint(base_url, "fake", "key"))
    bus.subscribe(bridge.post)
    view.widget.resize(*SIZE)
    view.widget.show()
    waiting = QTimer(bridge)

    def report() -> None:
        if not view.busy:
            waiting.stop()
            turns.end()
            seen = last_words in shown(view.widget)
            said = {"seen": seen, "gap_ms": max(turns.beats_ms), "turn_ms": max(turns.cpu_ms)}
            print(json.dumps(said), flush=True)

    def done(event: ChatDone) -> None:
        view.finish(event)
        waiting.timeout.connect(report)
        waiting.start(5)

    async def ask() -> None:
        await service.start_answer("a", [ApiMessage(role="user", content="Tell me")])

    def begin() -> None:
        turns.cpu_ms.clear()
        turns.beats_ms.clear()
        bridge.call(ask, owner=bridge)

    def start() -> tuple[Runtime, str]:
        runtime.start()
        return runtime, "ready"

    bridge.on(ChatDelta, lambda event: view.add(event.text, event.speed), owner=bridge)
    bridge.on(ChatDone, done, owner=bridge)
    turns.begin()  # now already, so that what the beats cost counts as idle
    bridge.start(start, owner=bridge, done=lambda _: print("READY", flush=True))
    on_line(bridge, begin, app.quit)
    app.exec()
    bridge.stop()


main()
