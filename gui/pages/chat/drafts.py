"""What is being written: kept with its conversation, with its attachments, and measured against the context."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QImage

from core.chat.events import ContextChanged
from core.chat.params import AtLimit
from core.chat.records import Abilities, ContextMeter, ConversationPage, Draft
from core.chat.tree import Attachment, Message
from core.events import ErrorInfo
from core.runtime import in_thread
from gui.desk import Desk
from gui.pages.chat.attachments import prepare_file, prepare_picture
from gui.pages.chat.composer import Composer
from gui.pages.chat.current import Current

SAVE_DELAY_MS: Final = 400
METER_DELAY_MS: Final = 250
NO_DRAFT: Final = Draft()


class Drafts(QObject):
    """Owner of what stands in the composer. `refused` with the reason when something cannot be attached."""

    refused = Signal(object)

    def __init__(self, composer: Composer, current: Current, desk: Desk) -> None:
        super().__init__(composer)
        self._composer = composer
        self._current = current
        self._desk = desk
        self._conversation = ""
        self._closing = False
        self._editing: Message | None = None
        self._before_edit = NO_DRAFT
        self._abilities: Abilities | None = None
        self._meter: ContextMeter | None = None
        self._at_limit: AtLimit = "ask"
        self._save_later = self._timer(SAVE_DELAY_MS, self._store)
        self._measure_later = self._timer(METER_DELAY_MS, self._measure)
        composer.edited.connect(self._edited)
        composer.edit_ended.connect(self.end_edit)
        composer.files_given.connect(self._files)
        composer.picture_given.connect(self._picture)
        current.opened.connect(self._opened)
        current.refreshed.connect(self.measure)
        desk.bridge.on(ContextChanged, self._context_changed, owner=self)

    def _timer(self, delay_ms: int, action) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(delay_ms)
        timer.timeout.connect(action)
        return timer

    @property
    def editing(self) -> Message | None:
        """The earlier message that is being changed."""
        return self._editing

    # ---- drafts ----------------------------------------------------------------------------------------------------

    def _opened(self, page: ConversationPage) -> None:
        self.save()
        self._conversation = page.info.id
        self._stop_editing()
        self._composer.show_draft(page.draft.text, page.draft.attachments)
        self._meter = None
        self.measure()

    def take(self) -> Draft:
        """What is written is on its way: the field is empty again."""
        draft = self._now()
        self._save_later.stop()
        self._stop_editing()
        self._composer.show_draft("", ())
        return draft

    def give_back(self, draft: Draft, editing: Message | None) -> None:
        """It was not sent: put it back, unless something new was written."""
        if self._now() == NO_DRAFT and self._current.id == self._conversation:
            if editing is not None:
                self.edit(editing)
            self._composer.show_draft(draft.text, draft.attachments)
            self._save_later.start()

    def save(self) -> None:
        """Keep an unsaved draft with its conversation now."""
        if self._save_later.isActive():
            self._save_later.stop()
            self._store()

    def end(self) -> None:
        """The services are about to close: what is written is kept now, and nothing more is asked of them."""
        self._closing = True
        self._measure_later.stop()
        self.save()

    def _store(self) -> None:
        if self._conversation and self._editing is None:
            self._desk.bridge.call(self._desk.services.conversations.draft, self._conversation, self._now(), owner=self)

    def _now(self) -> Draft:
        return Draft(self._composer.text, self._composer.attachments)

    def _edited(self) -> None:
        self._closing = False  # closing failed, somebody goes on writing
        if self._editing is None:
            self._save_later.start()
        self.measure()

    # ---- changing an earlier message -------------------------------------------------------------------------------

    def edit(self, message: Message) -> None:
        if self._editing is None:
            self._before_edit = self._now()
        self._editing = message
        self._composer.show_editing(True)
        self._composer.show_draft(message.content, message.attachments)
        self._composer.focus()

    def end_edit(self) -> None:
        if self._editing is not None:
            before = self._before_edit
            self._stop_editing()
            self._composer.show_draft(before.text, before.attachments)
            self._composer.focus()

    def _stop_editing(self) -> None:
        self._editing = None
        self._composer.show_editing(False)

    # ---- attachments -----------------------------------------------------------------------------------------------

    def show_abilities(self, abilities: Abilities | None) -> None:
        self._abilities = abilities
        self.measure()

    def _files(self, paths: tuple[str, ...]) -> None:
        pictures = self._abilities is not None and self._abilities.images
        model = self._abilities.model if self._abilities is not None else ""
        for path in paths:
            self._prepare(prepare_file, path, pictures, model)

    def _picture(self, picture: QImage) -> None:
        if self._abilities is None or not self._abilities.images:
            model = self._abilities.model if self._abilities is not None else None
            self.refused.emit(ErrorInfo("chat.no_images", facts={"model": model}))
        else:
            self._prepare(prepare_picture, picture, self.tr("picture"))

    def _prepare(self, work, *args: object) -> None:
        conversation = self._conversation

        def done(attachment: Attachment) -> None:
            if conversation == self._conversation:
                self._composer.add_attachment(attachment)

        self._desk.bridge.call(in_thread, work, *args, owner=self, done=done, failed=self.refused.emit)

    # ---- the context -----------------------------------------------------------------------------------------------

    def measure(self, _page: object = None) -> None:
        if not self._closing:
            self._measure_later.start()
        self._show_meter()

    def show_at_limit(self, at_limit: AtLimit) -> None:
        self._at_limit = at_limit
        self._show_meter()

    def _measure(self) -> None:
        if self._conversation and self._abilities is not None:
            self._desk.bridge.call(
                self._desk.services.conversations.meter,
                self._conversation,
                self._composer.text,
                self._composer.attachments,
                0.0,
                owner=self,
                done=self._measured,
                failed=self._not_measured,
            )

    def _measured(self, meter: ContextMeter | None) -> None:
        if meter is not None and meter.conversation == self._conversation:
            self._meter = meter
            self._show_meter()

    def _not_measured(self, _error: ErrorInfo) -> None:
        """The server went away meanwhile; its own news say so."""

    def _context_changed(self, event: ContextChanged) -> None:
        self._measured(event.meter)

    def _show_meter(self) -> None:
        self._composer.context.show_meter(self._meter if self._abilities is not None else None, self._at_limit)
