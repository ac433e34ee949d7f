"""The conversation that is open: its newest stored state, and every change of it in order."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from PySide6.QtCore import QObject, Signal

from core.chat.events import ConversationChanged
from core.chat.records import ConversationPage
from core.events import ErrorInfo
from gui.bridge import Call
from gui.desk import Desk

Failed = Callable[[ErrorInfo], None]


class Current(QObject):
    """`opened` with the page of another conversation, `refreshed` with a newer state of the same one, `failed` when a
    verb was refused and nobody else wants to hear it."""

    opened = Signal(object)
    refreshed = Signal(object)
    failed = Signal(object)

    def __init__(self, desk: Desk, parent: QObject) -> None:
        super().__init__(parent)
        self._desk = desk
        self._page: ConversationPage | None = None
        self._revision = 0
        self._heard = 0
        self._at_work = 0
        self._opening: Call | None = None
        desk.bridge.on(ConversationChanged, self._changed, owner=self)

    @property
    def page(self) -> ConversationPage | None:
        return self._page

    @property
    def id(self) -> str:
        return self._page.info.id if self._page is not None else ""

    @property
    def revision(self) -> int:
        return self._revision

    @property
    def opening(self) -> bool:
        return self._opening is not None

    def saw(self, revision: int) -> None:
        """A verb of ours brought the conversation to this revision, and its outcome is on the screen."""
        self._revision = max(self._revision, revision)

    # ---- which one -------------------------------------------------------------------------------------------------

    def open(self, conversation: str, at: str = "") -> None:
        """`at`: a message that must be on the path that is shown."""
        self._open(self._desk.services.conversations.open, conversation, at=at)

    def new(self) -> None:
        self._open(self._desk.services.conversations.new)

    def refresh(self) -> None:
        if self.id:
            self.open(self.id)

    def _open(self, verb: Callable[..., Coroutine[Any, Any, ConversationPage]], *args: Any, **kwargs: Any) -> None:
        if self._opening is not None:
            self._opening.cancel()
        self._opening = self._desk.bridge.call(
            verb, *args, owner=self, done=self.show, failed=self._open_failed, **kwargs
        )

    def show(self, page: ConversationPage) -> None:
        """A page that a verb gave."""
        self._opening = None
        another = page.info.id != self.id
        self._page, self._revision = page, page.info.revision
        if another:
            self._heard = page.info.revision
        (self.opened if another else self.refreshed).emit(page)

    def _open_failed(self, error: ErrorInfo) -> None:
        self._opening = None
        if error.code == "chat.unknown":
            self.new()  # it was deleted, here or elsewhere
        else:
            self.failed.emit(error)

    # ---- changes ---------------------------------------------------------------------------------------------------

    def do(
        self,
        verb: Callable[..., Coroutine[Any, Any, Any]],
        *args: Any,
        done: Callable[[Any], None] | None = None,
        failed: Failed | None = None,
        **kwargs: Any,
    ) -> None:
        """A verb that changes this conversation. What is heard of it meanwhile is our own doing."""
        self._at_work += 1

        def finished(result: Any) -> None:
            if done is not None:
                done(result)
            self._ended()

        def refused(error: ErrorInfo) -> None:
            (failed or self.failed.emit)(error)
            self._ended(stale=error.code == "chat.changed_elsewhere")

        self._desk.bridge.call(verb, *args, owner=self, done=finished, failed=refused, **kwargs)

    def _ended(self, *, stale: bool = False) -> None:
        self._at_work -= 1
        if not self._at_work and (stale or self._heard > self._revision):
            self.refresh()

    def _changed(self, event: ConversationChanged) -> None:
        if event.conversation != self.id or event.revision <= self._revision:
            return
        self._heard = max(self._heard, event.revision)
        if not self._at_work and self._opening is None:
            self.refresh()
