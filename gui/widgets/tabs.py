"""Pages behind a line of words, one of them in sight."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QPushButton, QStackedWidget, QWidget

from gui.theme import STEP
from gui.widgets.buttons import button
from gui.widgets.cards import column, row


class Tabs(QWidget):
    """`turned` with the name of the page that a person chose; arrow keys go from word to word."""

    turned = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._pages: dict[str, tuple[QPushButton, QWidget]] = {}
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        self._line = row(spacing=STEP // 2)
        self._line.addStretch(1)
        self._stack = QStackedWidget()
        # The pages scroll: the largest of them need not fit whole.
        self._stack.setMinimumHeight(10 * STEP)
        layout = column(self, spacing=STEP)
        layout.addLayout(self._line)
        layout.addWidget(self._stack, 1)

    def add(self, name: str, text: str, page: QWidget) -> None:
        word = button(text, f"{self.objectName()}-{name}", kind="tab")
        word.setCheckable(True)
        word.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        word.setProperty("page", name)
        word.clicked.connect(self._clicked)
        self._group.addButton(word)
        self._line.insertWidget(len(self._pages), word)
        self._stack.addWidget(page)
        self._pages[name] = word, page
        if len(self._pages) == 1:
            self.show_page(name)

    @property
    def shown(self) -> str:
        return next(name for name, (word, _page) in self._pages.items() if word.isChecked())

    def show_page(self, name: str) -> None:
        word, page = self._pages[name]
        word.setChecked(True)
        self._stack.setCurrentWidget(page)

    def offer(self, name: str, *, shown: bool) -> None:
        """Whether a page can be chosen at all."""
        self._pages[name][0].setVisible(shown)

    def _clicked(self) -> None:
        name = str(self.sender().property("page"))
        self.show_page(name)
        self.turned.emit(name)
