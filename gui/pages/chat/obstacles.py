"""What keeps the next answer from coming, and the way out, in one line."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from core.chat.tree import Message
from core.events import FinishReason, ServerState
from gui.pages.chat.state_line import StateLine

CUT = (FinishReason.ERROR, FinishReason.INTERRUPTED)
Actions = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Obstacle:
    """`writing_in`: the title of another conversation in which an answer is being written; `other_window`: another
    Stowage writes in this one; `waiting`: the cut answer goes on once the server is there."""

    state: ServerState
    model: str
    last: Message | None
    writing_in: str | None
    other_window: bool
    waiting: bool


class Obstacles(QObject):
    """`acted` with what the person chose: "launch", "relaunch", "do_not_go_on", "go_there", "stop", "go_on", "trim",
    "new"."""

    acted = Signal(str)

    def __init__(self, line: StateLine, parent: QObject) -> None:
        super().__init__(parent)
        self._line = line
        line.acted.connect(self.acted)

    def show(self, now: Obstacle) -> None:
        text, actions = self._elsewhere(now) or self._server(now) or self._cut(now) or ("", ())
        self._line.show_state(text, *actions)

    def _elsewhere(self, now: Obstacle) -> tuple[str, Actions] | None:
        if now.writing_in is not None:
            text = self.tr("An answer is being written in “{title}”.").format(title=now.writing_in)
            return text, (("go_there", self.tr("Go there")), ("stop", self.tr("Stop it")))
        if now.other_window:
            return self.tr("Another window of Stowage is writing in this conversation."), ()
        return None

    def _server(self, now: Obstacle) -> tuple[str, Actions] | None:
        """Without messages the invitation says it."""
        if now.last is None or now.state is ServerState.READY:
            return None
        if now.waiting and now.state is not ServerState.FAILED:
            text = self.tr("The model is starting. The answer goes on when it is ready.")
            return text, (("do_not_go_on", self.tr("Do not go on")),)
        if now.state is ServerState.STARTING:
            return self.tr("The model is starting."), ()
        choose = ("launch", self.tr("Choose a model"))
        if now.last.can_continue and now.last.finish in CUT:
            text = self.tr("The model is no longer running, and the last answer was cut off.")
            return text, (("relaunch", self.tr("Launch again and continue")), choose)
        return self.tr("No model is running."), (choose,)

    def _cut(self, now: Obstacle) -> tuple[str, Actions] | None:
        last = now.last
        if last is None or last.running:
            return None
        if last.error is not None and last.error.code == "chat.too_long":
            text = self.tr("This conversation has outgrown the model's context.")
            trim = ("trim", self.tr("Leave out the oldest messages"))
            return text, (trim, ("new", self.tr("New conversation")))
        if last.can_continue and last.finish in CUT:
            return self.tr("The last answer was cut off."), (("go_on", self.tr("Continue")),)
        return None
