"""The way into a gated model: what is missing, the page where it is accepted, the token, and "Try again"."""

from __future__ import annotations

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFrame

from core.events import ErrorInfo
from core.words import Words
from gui.theme import STEP
from gui.widgets.buttons import button
from gui.widgets.cards import column, row
from gui.widgets.texts import heading, plain, quiet
from gui.widgets.token_entry import TokenEntry

GATED = ("hub.gated_no_token", "hub.gated_not_accepted")
NEEDS_TOKEN = ("hub.gated_no_token", "hub.bad_token", "hub.no_token")


class GateCard(QFrame):
    """`again` to look once more; `token_given` with a pasted token."""

    again = Signal()
    token_given = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("gateCard")
        self.setProperty("card", "chosen")
        self._url = ""
        self._title, self._sentence, self._next = heading(), plain(), quiet()
        self._title.setObjectName("gateTitle")
        self._open = button(self.tr("Open the page to accept"), "gateOpen", kind="small")
        self._again = button(self.tr("Try again"), "gateAgain", kind="small")
        self._token = TokenEntry("gateToken")
        self._open.clicked.connect(self._open_page)
        self._again.clicked.connect(self.again)
        self._token.given.connect(self.token_given)
        layout = column(self, spacing=STEP, margin=STEP + 4)
        for part in (self._title, self._sentence, self._next, self._token):
            layout.addWidget(part)
        buttons = row()
        buttons.addWidget(self._open)
        buttons.addWidget(self._again)
        buttons.addStretch(1)
        layout.addLayout(buttons)
        self.hide()

    def show_gate(self, error: ErrorInfo, words: Words) -> None:
        self._url = str(error.facts.get("url") or "")
        for label, text in (
            (self._title, words.title),
            (self._sentence, words.sentence),
            (self._next, words.next_step),
        ):
            label.setText(text)
            label.setVisible(bool(text))
        self._open.setVisible(bool(self._url))
        self._token.setVisible(error.code in NEEDS_TOKEN)
        self.show()

    def show_token_problem(self, text: str) -> None:
        self._token.show_problem(text)

    def _open_page(self) -> None:
        QDesktopServices.openUrl(QUrl(self._url))
