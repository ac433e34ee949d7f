"""A server dies in the middle of an answer: one button launches it again and the answer goes on."""

from __future__ import annotations

from pathlib import Path

import psutil
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPlainTextEdit, QTextBrowser

from core.events import ServerState
from tests.gui.conftest import Window
from tests.support.fake_engine import FakeEngine


def answers(window: Window) -> list[str]:
    return [part.toPlainText() for part in window.main.findChildren(QTextBrowser, "answerText")]


def kill_server(window: Window) -> None:
    """As the system does when memory is short."""
    assert window.app.services is not None
    port = window.app.services.server_status.port
    found = psutil.net_connections("tcp")
    (server,) = {one.pid for one in found if one.status == psutil.CONN_LISTEN and tuple(one.laddr)[1:] == (port,)}
    psutil.Process(server).kill()


def test_launch_again_and_continue(window: Window, engine: FakeEngine, model: Path) -> None:
    engine.behave(FAKE_TOKENS_PER_S="10")
    window.add_engine(engine)
    window.add_model(model)
    window.launch_until_ready(model)
    window.press("openChatButton")
    box = window.find(QPlainTextEdit, "chatInput")
    box.setPlainText(" ".join(f"word{n}" for n in range(60)))
    window.bot.keyClick(box, Qt.Key.Key_Return)
    window.until(lambda: any("word3" in answer for answer in answers(window)))
    kill_server(window)
    # The connection breaks before the supervisor knows that the process is gone.
    window.until(lambda: "The model is no longer running" in window.text("chatStateText"))
    (part,) = answers(window)
    assert "word3" in part
    assert "word59" not in part
    assert "cut off" in window.text("answerStats")
    assert window.sees("answerBanner")

    engine.behave()
    window.press("chatStateFirst")
    window.until(lambda: "goes on when it is ready" in window.text("chatStateText"))
    # The fake repeats the last message that it gets: the part that it is asked to go on from.
    window.until(lambda: window.sees("sendButton") and answers(window)[0].endswith(f"echo: {part.strip()}"))
    (whole,) = answers(window)
    assert whole.startswith(part)
    assert len(whole) > len(part)
    assert window.app.services is not None
    assert window.app.services.server_status.state is ServerState.READY
    assert not window.sees("answerBanner")
    assert not window.sees("chatState")
