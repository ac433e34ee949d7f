"""What the list of conversations does: search as you type, rename, pin, tags, delete with undo, import and export."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog

from core.chat.events import ConversationsChanged
from core.chat.records import ConversationInfo, ConversationPage, Deleted, Hit
from gui.desk import Desk
from gui.pages.chat.conversation_rows import found, grouped, title_of
from gui.pages.chat.current import Current
from gui.pages.chat.sidebar import Sidebar

SEARCH_DELAY_MS: Final = 120


class ListPresenter(QObject):
    """`chosen` when a conversation was opened from the list, `message_wanted` with the message that a search found;
    `listed` when the list was read anew."""

    chosen = Signal()
    listed = Signal()
    message_wanted = Signal(str)

    def __init__(self, view: Sidebar, current: Current, desk: Desk) -> None:
        super().__init__(view)
        self._view = view
        self._current = current
        self._desk = desk
        self._infos: tuple[ConversationInfo, ...] = ()
        self._hits: tuple[Hit, ...] | None = None
        self._tag = ""
        self._deleted = ""
        self._undo_token = ""
        self._loaded = False
        self._search_later = QTimer(self)
        self._search_later.setSingleShot(True)
        self._search_later.setInterval(SEARCH_DELAY_MS)
        self._search_later.timeout.connect(self._search)
        view.searched.connect(self._search_changed)
        view.tag_chosen.connect(self._tag_chosen)
        view.opened.connect(self._open)
        view.renamed.connect(self._rename)
        view.pin_wanted.connect(self._pin)
        view.tags_entered.connect(self._set_tags)
        view.delete_wanted.connect(self._delete)
        view.undo_wanted.connect(self._undo)
        view.copy_wanted.connect(self._copy)
        view.export_wanted.connect(self._ask_export)
        view.import_wanted.connect(self._ask_import)
        current.opened.connect(self._arrange)
        desk.bridge.on(ConversationsChanged, self._changed, owner=self)

    def end(self) -> None:
        """The services are about to close."""
        self._search_later.stop()
        self._loaded = False

    def title(self, conversation: str) -> str | None:
        """As the list has it; None for one that is not in it."""
        return next((info.title for info in self._infos if info.id == conversation), None)

    def load(self, done=None) -> None:
        """Read the list; `done` hears it too."""

        def came(infos: tuple[ConversationInfo, ...]) -> None:
            self._came(infos)
            if done is not None:
                done(infos)

        conversations = self._desk.services.conversations
        self._desk.bridge.call(conversations.list, self._tag or None, owner=self, done=came)
        self._desk.bridge.call(conversations.tags, owner=self, done=self._tags_came)

    def step(self, way: int) -> None:
        """Open the conversation above (-1) or below (1)."""
        ids = [row.id for row in self._view.list.rows.rows if row.id]
        if not ids:
            return
        here = ids.index(self._current.id) if self._current.id in ids else -1 if way > 0 else len(ids)
        place = here + way
        if 0 <= place < len(ids):
            self._current.open(ids[place])

    # ---- what is shown ---------------------------------------------------------------------------------------------

    def _changed(self, _event: object) -> None:
        if self._loaded:
            self.load()
            if self._hits is not None:
                self._search_later.start()

    def _came(self, infos: tuple[ConversationInfo, ...]) -> None:
        self._infos = infos
        self._loaded = True
        self._arrange()
        self.listed.emit()

    def _tags_came(self, tags: tuple[str, ...]) -> None:
        if self._tag and self._tag not in tags:
            self._tag_chosen("")
        self._view.show_tags(tags, self._tag)

    def _arrange(self, _page: ConversationPage | None = None) -> None:
        if self._hits is not None:
            self._view.show_rows(found(self._hits), self._current.id, self.tr("Nothing found"))
        elif self._loaded:
            today = datetime.now().astimezone().date()
            rows = grouped(self._infos, today, self._desk.speech.language)
            self._view.show_rows(rows, self._current.id, self.tr("Your conversations will be here."))

    # ---- search ----------------------------------------------------------------------------------------------------

    def _search_changed(self, text: str) -> None:
        if text.strip():
            self._search_later.start()
        else:
            self._search_later.stop()
            self._hits = None
            self._arrange()

    def _search(self) -> None:
        text = self._view.search.text().strip()
        if text:
            self._desk.bridge.call(
                self._desk.services.conversations.search, text, owner=self, done=lambda hits: self._found(text, hits)
            )

    def _found(self, text: str, hits: tuple[Hit, ...]) -> None:
        if text == self._view.search.text().strip():
            self._hits = hits
            self._arrange()

    def _tag_chosen(self, tag: str) -> None:
        if tag != self._tag:
            self._tag = tag
            self.load()

    # ---- verbs -----------------------------------------------------------------------------------------------------

    def _open(self, conversation: str, message: str) -> None:
        if message:
            self.message_wanted.emit(message)
        if message or conversation != self._current.id:
            self._current.open(conversation, message)
        self.chosen.emit()

    def _call(self, verb, *args: object, done=None) -> None:
        self._loaded = True  # also when closing failed
        self._desk.bridge.call(verb, *args, owner=self, done=done)

    def _rename(self, conversation: str, title: str) -> None:
        self._call(self._desk.services.conversations.rename, conversation, title)

    def _pin(self, conversation: str, pinned: bool) -> None:
        self._call(self._desk.services.conversations.pin, conversation, pinned)

    def _set_tags(self, conversation: str, tags: tuple[str, ...]) -> None:
        self._call(self._desk.services.conversations.tag, conversation, tags)

    def _delete(self, conversation: str) -> None:
        title = title_of(self.title(conversation) or "")
        beside = self._beside(conversation)

        def done(deleted: Deleted) -> None:
            self._deleted, self._undo_token = conversation, deleted.token
            self._view.undo.show_text(self.tr("Deleted: {title}").format(title=title))
            if conversation == self._current.id:
                if beside:
                    self._current.open(beside)
                else:
                    self._current.new()

        self._call(self._desk.services.conversations.delete, conversation, done=done)

    def _beside(self, conversation: str) -> str:
        ids = list(dict.fromkeys(row.id for row in self._view.list.rows.rows if row.id))
        if conversation not in ids or len(ids) < 2:
            return ""
        place = ids.index(conversation)
        return ids[place + 1] if place + 1 < len(ids) else ids[place - 1]

    def _undo(self) -> None:
        conversation = self._deleted

        def done(_nothing: object) -> None:
            self._current.open(conversation)

        self._call(self._desk.services.conversations.undo, self._undo_token, done=done)

    def _copy(self, conversation: str) -> None:
        self._call(self._desk.services.conversations.markdown, conversation, done=QGuiApplication.clipboard().setText)

    # ---- files -----------------------------------------------------------------------------------------------------

    def _ask_export(self, conversation: str, form: str) -> None:
        title = self.title(conversation) or ""
        name = "".join(letter if letter.isalnum() or letter in " -_." else "_" for letter in title or "stowage")
        ending = "md" if form == "markdown" else "json"
        dialog = self._dialog("exportDialog", self.tr("Export"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(ending)
        dialog.selectFile(f"{name.strip()[:60] or 'stowage'}.{ending}")
        dialog.setProperty("what", [conversation, form])
        dialog.fileSelected.connect(self._export)
        dialog.open()

    def _export(self, path: str) -> None:
        conversation, form = self.sender().property("what")
        ids = (conversation,) if conversation else tuple(info.id for info in self._infos)
        self._call(self._desk.services.conversations.export, ids, form, path)

    def _ask_import(self) -> None:
        dialog = self._dialog("importDialog", self.tr("Import conversations"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters([self.tr("Conversations (*.json *.md *.zip)"), self.tr("All files (*)")])
        dialog.fileSelected.connect(self._import)
        dialog.open()

    def _import(self, path: str) -> None:
        def done(infos: tuple[ConversationInfo, ...]) -> None:
            if infos:
                self._current.open(infos[0].id)

        self._call(self._desk.services.conversations.import_file, path, done=done)

    def _dialog(self, name: str, title: str) -> QFileDialog:
        dialog = QFileDialog(self._view.window(), title)
        dialog.setObjectName(name)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return dialog
