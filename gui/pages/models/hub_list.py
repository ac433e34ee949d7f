"""The left half of the Hub tab: the list, and what stands in its place when there is none."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QStackedWidget, QWidget

from core.hub.model import SearchPage
from core.words import Words
from gui.icons import set_icon
from gui.pages.models.repo_view import RepoView
from gui.pages.models.repo_words import RepoWords
from gui.theme import STEP
from gui.widgets.buttons import button
from gui.widgets.cards import column, row
from gui.widgets.texts import heading, plain, quiet


class HubList(QWidget):
    """`again` when the user wants the same search once more."""

    again = Signal()
    clear_wanted = Signal()

    def __init__(self, words: RepoWords) -> None:
        super().__init__()
        self.words = words
        self.view = RepoView(words)
        self._stale = StaleLine()
        self._stale.again.connect(self.again)
        self._instead = Instead()
        self._instead.again.connect(self.again)
        self._instead.clear_wanted.connect(self.clear_wanted)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.view)
        self._stack.addWidget(self._instead)
        layout = column(self)
        layout.addWidget(self._stale)
        layout.addWidget(self._stack, 1)

    def begin_loading(self) -> None:
        self._stack.setCurrentWidget(self.view)
        self.view.begin_loading()

    def show_page(self, page: SearchPage, stale: str) -> None:
        """`stale`: why older rows are shown; "" when they are fresh."""
        self._stale.show_text(stale)
        self.view.show_page(page.rows, more=bool(page.cursor))
        self._stack.setCurrentWidget(self.view)

    def show_stale(self, text: str) -> None:
        self._stale.show_text(text)

    def show_nothing(self, title: str, text: str, *, filters: bool) -> None:
        self._stale.show_text("")
        self._instead.show_empty(title, text, filters=filters)
        self._stack.setCurrentWidget(self._instead)

    def show_failure(self, words: Words) -> None:
        self._stale.show_text("")
        self._instead.show_failure(words)
        self._stack.setCurrentWidget(self._instead)


class StaleLine(QFrame):
    """One line over the list: these rows are not fresh."""

    again = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("staleLine")
        self.setProperty("card", "bubble")
        sign = QLabel()
        set_icon(sign, "info")
        self._text = plain()
        self._again = button(self.tr("Try again"), "staleAgain", kind="small")
        self._again.clicked.connect(self.again)
        layout = row(self)
        layout.setContentsMargins(STEP, STEP // 2, STEP, STEP // 2)
        layout.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(self._text, 1)
        layout.addWidget(self._again)
        self.hide()

    def show_text(self, text: str) -> None:
        self._text.setText(text)
        self.setVisible(bool(text))


class Instead(QWidget):
    """A title, a sentence, a next step, and a button: nothing found, or the Hub cannot be reached."""

    again = Signal()
    clear_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("hubInstead")
        self._sign = QLabel()
        self._title = heading()
        self._title.setObjectName("hubInsteadTitle")
        self._sentence, self._next = plain(), quiet()
        self._again = button(self.tr("Try again"), "hubAgain")
        self._again.clicked.connect(self.again)
        self._clear = button(self.tr("Clear the filters"), "hubClearFilters")
        self._clear.clicked.connect(self.clear_wanted)
        layout = column(self, spacing=STEP, margin=3 * STEP)
        layout.addStretch(1)
        for part in (self._sign, self._title, self._sentence, self._next):
            layout.addWidget(part)
        buttons = row()
        buttons.addWidget(self._again)
        buttons.addWidget(self._clear)
        buttons.addStretch(1)
        layout.addLayout(buttons)
        layout.addStretch(2)

    def show_empty(self, title: str, text: str, *, filters: bool) -> None:
        set_icon(self._sign, "search")
        self._say(title, text, "")
        self._again.hide()
        self._clear.setVisible(filters)

    def show_failure(self, words: Words) -> None:
        set_icon(self._sign, "warning")
        self._say(words.title, words.sentence, words.next_step)
        self._again.show()
        self._clear.hide()

    def _say(self, *texts: str) -> None:
        for label, text in zip((self._title, self._sentence, self._next), texts, strict=True):
            label.setText(text)
            label.setVisible(bool(text))
