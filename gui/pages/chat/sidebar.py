"""The conversations beside the chat: search, the list, what can be done with one of them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QFrame, QLineEdit, QMenu, QStackedWidget, QWidget

from gui.dialogs.one_field import OneField
from gui.pages.chat.conversation_list import ConversationList
from gui.pages.chat.conversation_rows import Kind, Row
from gui.theme import FIELD_HEIGHT, STEP
from gui.widgets.buttons import icon_button
from gui.widgets.calm_inputs import CalmComboBox
from gui.widgets.cards import column, row
from gui.widgets.texts import quiet
from gui.widgets.undo_bar import UndoBar

WIDTH = 248


class Sidebar(QFrame):
    """Signals carry the conversation's id. `export_wanted`: id ("" for all of them) and "markdown" or "json"."""

    searched = Signal(str)
    tag_chosen = Signal(str)
    opened = Signal(str, str)
    new_wanted = Signal()
    renamed = Signal(str, str)
    pin_wanted = Signal(str, bool)
    tags_entered = Signal(str, object)
    delete_wanted = Signal(str)
    undo_wanted = Signal()
    copy_wanted = Signal(str)
    export_wanted = Signal(str, str)
    import_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("conversationSidebar")
        self.setProperty("strip", "conversations")
        self.setFixedWidth(WIDTH)
        self.search = QLineEdit()
        self.list = ConversationList()
        self.undo = UndoBar("conversationUndo")
        self._tags = CalmComboBox(shrinks=True)
        self._nothing = quiet()
        self._menu_row: Row | None = None
        self._new = icon_button("add", "newConversationButton", self.tr("New conversation (Ctrl+N)"))
        self._more = icon_button("more", "conversationsMenuButton", self.tr("Import and export"))
        self._build()

    def _build(self) -> None:
        self.search.setObjectName("conversationSearch")
        self.search.setAccessibleName(self.tr("Search conversations"))
        self.search.setPlaceholderText(self.tr("Search…"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self.searched)
        self._tags.setObjectName("conversationTags")
        self._tags.setFixedHeight(FIELD_HEIGHT)
        self._tags.setAccessibleName(self.tr("Show only conversations with this tag"))
        self._tags.hide()
        self._tags.activated.connect(self._tag_activated)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._nothing.setContentsMargins(STEP, 2 * STEP, STEP, 0)
        self._nothing.setObjectName("noConversations")
        self._middle = QStackedWidget()
        empty = QWidget()
        inside = column(empty)
        inside.addWidget(self._nothing)
        inside.addStretch(1)
        self._middle.addWidget(self.list)
        self._middle.addWidget(empty)
        head = row(spacing=STEP // 2)
        head.addWidget(self.search, 1)
        head.addWidget(self._new)
        head.addWidget(self._more)
        layout = column(self, spacing=STEP)
        layout.setContentsMargins(STEP, 2 * STEP, STEP, STEP)
        layout.addLayout(head)
        layout.addWidget(self._tags)
        layout.addWidget(self._middle, 1)
        layout.addWidget(self.undo)
        for small in (self._new, self._more):
            small.setProperty("kind", "tool")
            small.setFixedSize(4 * STEP, FIELD_HEIGHT)
        self._new.clicked.connect(self.new_wanted)
        self._more.clicked.connect(self._open_menu)
        self.list.opened.connect(self.opened)
        self.list.delete_wanted.connect(self.delete_wanted)
        self.list.rows.renamed.connect(self.renamed)
        self.list.customContextMenuRequested.connect(self._open_row_menu)
        self.undo.undo_wanted.connect(self.undo_wanted)

    # ---- snapshots -------------------------------------------------------------------------------------------------

    def show_rows(self, rows: Sequence[Row], chosen: str, nothing: str) -> None:
        """`nothing` is what to say when there are no rows."""
        if self.list.state() == ConversationList.State.EditingState:
            return
        place = self.list.verticalScrollBar().value()
        changed = self.list.rows.show_rows(rows)
        self._nothing.setText(nothing)
        self._middle.setCurrentIndex(0 if rows else 1)
        if changed:
            self.list.verticalScrollBar().setValue(place)
        self.list.choose(chosen)

    def show_tags(self, tags: Sequence[str], chosen: str) -> None:
        wanted = ["", *tags]
        if [self._tags.itemData(place) for place in range(self._tags.count())] != wanted:
            self._tags.clear()
            for tag in wanted:
                self._tags.addItem(tag or self.tr("All conversations"), tag)
        self._tags.setCurrentIndex(max(0, self._tags.findData(chosen)))
        self._tags.setVisible(bool(tags))

    # ---- menus -----------------------------------------------------------------------------------------------------

    def _open_menu(self) -> None:
        menu = QMenu(self)
        menu.setObjectName("conversationsMenu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._act(menu, self.tr("Import conversations…"), "import")
        menu.addSeparator()
        self._act(menu, self.tr("Export all as JSON…"), "all-json")
        self._act(menu, self.tr("Export all as Markdown…"), "all-markdown")
        menu.popup(self._more.mapToGlobal(QPoint(0, self._more.height())))

    def _open_row_menu(self, place: QPoint) -> None:
        row = self.list.row_at(self.list.indexAt(place)) or self.list.current_row()
        if row is not None:
            self.row_menu(row).popup(self.list.viewport().mapToGlobal(place))

    def row_menu(self, row: Row) -> QMenu:
        self._menu_row = row
        menu = QMenu(self)
        menu.setObjectName("conversationMenu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if row.kind is Kind.CONVERSATION:
            self._act(menu, self.tr("Rename"), "rename", "F2")
            self._act(menu, self.tr("Unpin") if row.pinned else self.tr("Pin to the top"), "pin")
            self._act(menu, self.tr("Tags…"), "tags")
            menu.addSeparator()
        self._act(menu, self.tr("Copy as Markdown"), "copy")
        self._act(menu, self.tr("Export as Markdown…"), "markdown")
        self._act(menu, self.tr("Export as JSON…"), "json")
        menu.addSeparator()
        self._act(menu, self.tr("Delete"), "delete", "Del")
        return menu

    def _act(self, menu: QMenu, text: str, what: str, key: str = "") -> None:
        action = QAction(text, menu)
        action.setObjectName(f"conversation-{what}")
        action.setData(what)
        if key:
            # Shown only: the list itself hears the key.
            action.setShortcut(QKeySequence(key))
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(self._acted)
        menu.addAction(action)

    def _acted(self) -> None:
        action = self.sender()
        assert isinstance(action, QAction)
        what = str(action.data())
        if what == "import":
            self.import_wanted.emit()
        elif what.startswith("all-"):
            self.export_wanted.emit("", what.removeprefix("all-"))
        elif self._menu_row is not None:
            self._act_on(self._menu_row, what)

    def _act_on(self, row: Row, what: str) -> None:
        if what == "rename":
            self.list.choose(row.id)
            self.list.rename_current()
        elif what == "pin":
            self.pin_wanted.emit(row.id, not row.pinned)
        elif what == "tags":
            self._ask_tags(row)
        elif what == "copy":
            self.copy_wanted.emit(row.id)
        elif what == "delete":
            self.delete_wanted.emit(row.id)
        else:
            self.export_wanted.emit(row.id, what)

    def _ask_tags(self, row: Row) -> None:
        asking = OneField(
            self.window(),
            name="tagsDialog",
            heading=self.tr("Tags"),
            about=self.tr("Words that group conversations, separated by commas: work, recipes"),
            text=", ".join(row.tags),
            keep=self.tr("Save"),
        )
        asking.setProperty("conversation", row.id)
        asking.entered.connect(self._tags_entered)
        asking.open()

    def _tags_entered(self, text: str) -> None:
        tags = dict.fromkeys(" ".join(tag.split()) for tag in text.split(","))
        self.tags_entered.emit(str(self.sender().property("conversation")), tuple(tag for tag in tags if tag))

    def _tag_activated(self) -> None:
        self.tag_chosen.emit(str(self._tags.currentData()))
