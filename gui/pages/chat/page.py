"""Chat: conversations on one side, the talk in the middle, what is asked beside it on the other side."""

from __future__ import annotations

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices, QDragEnterEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QWidget

from gui import shortcuts
from gui.dialogs.question import Question as Asking
from gui.pages.chat.composer import Composer
from gui.pages.chat.controls import Controls
from gui.pages.chat.invitation import Invitation
from gui.pages.chat.message_input import files_of
from gui.pages.chat.message_list import WIDEST, MessageList
from gui.pages.chat.message_tools import INSET
from gui.pages.chat.messages import Answer, Question
from gui.pages.chat.sidebar import Sidebar
from gui.pages.chat.state_line import StateLine
from gui.theme import STEP, scaled_font
from gui.widgets.banner import Banner
from gui.widgets.buttons import icon_button
from gui.widgets.cards import column, row
from gui.widgets.one_line import OneLine
from gui.widgets.snug_stack import SnugStack
from gui.widgets.undo_bar import UndoBar

NARROW = 1000
"""Below this width only one of the two sides is open at a time, and neither by itself."""


class ChatPage(QWidget):
    """`last_wanted` with "edit", "again" or "copy" for the newest turn; `step_wanted` -1 or 1 for the conversation
    above or below; `zoom_wanted` -1, 0 or 1; `sides_changed` when the list was shown or hidden for good."""

    new_wanted = Signal()
    launch_wanted = Signal()
    last_wanted = Signal(str)
    step_wanted = Signal(int)
    zoom_wanted = Signal(int)
    sides_changed = Signal(bool)

    def __init__(self, language: str) -> None:
        super().__init__()
        self.setAcceptDrops(True)
        self.sidebar = Sidebar()
        self.controls = Controls(language)
        self.messages = MessageList()
        self.composer = Composer(language)
        self.banner = Banner(self)
        self.state = StateLine()
        self.undo = UndoBar("turnUndo")
        self.invitation = Invitation()
        self._title = OneLine()
        self._model = OneLine("quiet")
        self._fold = icon_button("panel", "sidebarButton", self.tr("Show or hide the conversations (Ctrl+B)"))
        self._new = icon_button("add", "newConversationButton", self.tr("New conversation (Ctrl+N)"))
        self._middle = SnugStack()
        self._narrow: bool | None = None
        self._sidebar_wished = True
        self._build()
        self._connect()
        self._add_shortcuts()

    def _build(self) -> None:
        self._title.setObjectName("conversationTitle")
        self._title.setFont(scaled_font(self._title.font(), 1.3, strong=True))
        self._model.setObjectName("talkingTo")
        self._fold.setCheckable(True)
        for small in (self._fold, self._new):
            small.setProperty("kind", "tool")
            small.setFixedSize(4 * STEP, 4 * STEP)
        self._middle.add(self.invitation)
        self._middle.add(self.messages)
        centre = QWidget()
        layout = column(centre, spacing=STEP)
        layout.setContentsMargins(2 * STEP, 2 * STEP, 2 * STEP, 2 * STEP)
        layout.addLayout(self._head())
        layout.addWidget(self.banner)
        layout.addWidget(self._middle, 1)
        foot = QWidget()
        foot.setMaximumWidth(WIDEST)
        inside = column(foot, spacing=STEP)
        inside.addWidget(self.undo)
        inside.addWidget(self.state)
        inside.addWidget(self.composer)
        line = row()
        line.setContentsMargins(INSET, 0, STEP, 0)  # flush with the words above
        line.addStretch(1)
        line.addWidget(foot, 1000)
        line.addStretch(1)
        layout.addLayout(line)
        across = row(self, spacing=0)
        across.addWidget(self.sidebar)
        across.addWidget(centre, 1)
        across.addWidget(self.controls)
        self.controls.hide()

    def _head(self):
        head = row(spacing=STEP // 2)
        head.addWidget(self._fold)
        head.addWidget(self._new)
        words = column(spacing=0)
        words.addWidget(self._title)
        words.addWidget(self._model)
        head.addSpacing(STEP // 2)
        head.addLayout(words, 1)
        return head

    def _connect(self) -> None:
        self._fold.toggled.connect(self._fold_toggled)
        self._new.clicked.connect(self.new_wanted)
        self.sidebar.new_wanted.connect(self.new_wanted)
        self.zoom_wanted.connect(self.messages.zoom)
        self.invitation.launch_wanted.connect(self.launch_wanted)
        self.invitation.suggested.connect(self.composer.sent)
        self.composer.controls_wanted.connect(self._controls_toggled)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._focus_moved)

    def _add_shortcuts(self) -> None:
        for name, action in (
            ("new", self.new_wanted.emit),
            ("search", self._focus_search),
            ("sidebar", self._fold.click),
            ("controls", self.composer.controls.click),
            ("attach", self.composer.choose_files),
            ("write", self.composer.focus),
            ("edit_last", self._edit_last),
            ("again", self._again),
            ("copy_last", self._copy_last),
            ("previous", self._previous),
            ("next", self._next),
            ("larger", self._larger),
            ("smaller", self._smaller),
            ("usual_size", self._usual_size),
        ):
            shortcuts.add(self, name, action)

    # ---- snapshots -------------------------------------------------------------------------------------------------

    def show_head(self, title: str, model: str) -> None:
        self._title.set_full_text(title)
        self._title.setAccessibleName(title)
        self._model.set_full_text(model)

    def show_empty(self, empty: bool) -> None:
        self._middle.show_only(self.invitation if empty else self.messages)

    def restyle(self) -> None:
        self.messages.restyle()

    @property
    def narrow(self) -> bool:
        return bool(self._narrow)

    # ---- the two sides ---------------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < NARROW
        if narrow != self._narrow:
            self._narrow = narrow
            self._arrange(shown=self._sidebar_wished and not narrow)

    def wish_sidebar(self, shown: bool) -> None:
        """As it was left in a wide window."""
        self._sidebar_wished = shown
        self._arrange(shown=shown and not self.narrow)

    def _fold_toggled(self, shown: bool) -> None:
        self._arrange(shown=shown)
        if not self.narrow:
            self._sidebar_wished = shown
            self.sides_changed.emit(shown)
        elif shown:
            self.sidebar.search.setFocus()

    def _controls_toggled(self, shown: bool) -> None:
        self.controls.setVisible(shown)
        if shown and self.narrow:
            self._arrange(shown=False)
        if not shown:
            self.composer.focus()

    def _arrange(self, *, shown: bool) -> None:
        self._fold.blockSignals(True)
        self._fold.setChecked(shown)
        self._fold.blockSignals(False)
        self.sidebar.setVisible(shown)
        self._new.setVisible(not shown)
        if shown and self.narrow and self.composer.controls.isChecked():
            self.composer.controls.setChecked(False)

    def conversation_chosen(self) -> None:
        """In a narrow window the list has done its work."""
        if self.narrow and self.sidebar.isVisible():
            self._arrange(shown=False)
            self.composer.focus()

    # ---- keyboard --------------------------------------------------------------------------------------------------

    def _focus_search(self) -> None:
        if not self.sidebar.isVisible():
            self._fold.setChecked(True)
        self.sidebar.search.setFocus()
        self.sidebar.search.selectAll()

    def _focus_moved(self, old: QWidget | None, now: QWidget | None) -> None:
        """The tools of a message are there while the focus is inside it."""
        left, entered = self._message_of(old), self._message_of(now)
        if left is not entered:
            if left is not None:
                left.tools.wake(near=left.underMouse())
            if entered is not None:
                entered.tools.wake()

    def _message_of(self, widget: QWidget | None) -> Question | Answer | None:
        while widget is not None and not isinstance(widget, Question | Answer):
            widget = widget.parentWidget()
        return widget

    def _edit_last(self) -> None:
        self.last_wanted.emit("edit")

    def _again(self) -> None:
        self.last_wanted.emit("again")

    def _copy_last(self) -> None:
        self.last_wanted.emit("copy")

    def _previous(self) -> None:
        self.step_wanted.emit(-1)

    def _next(self) -> None:
        self.step_wanted.emit(1)

    def _larger(self) -> None:
        self.zoom_wanted.emit(1)

    def _smaller(self) -> None:
        self.zoom_wanted.emit(-1)

    def _usual_size(self) -> None:
        self.zoom_wanted.emit(0)

    # ---- files that are dropped anywhere ---------------------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if files_of(event.mimeData()) or event.mimeData().hasImage():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        self.composer.take(event.mimeData())
        event.acceptProposedAction()

    # ---- links -----------------------------------------------------------------------------------------------------

    def ask_link(self, url: QUrl) -> None:
        asking = Asking(
            self,
            name="linkDialog",
            heading=self.tr("Open this address in your browser?"),
            text=url.toDisplayString(),
            choices=(("open", self.tr("Open")), ("cancel", self.tr("Cancel"))),
        )
        asking.setProperty("url", url)
        asking.chosen.connect(self._link_answered)
        asking.open()

    def _link_answered(self, choice: str) -> None:
        if choice == "open":
            QDesktopServices.openUrl(self.sender().property("url"))
