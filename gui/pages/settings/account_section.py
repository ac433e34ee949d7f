"""Who the Hub takes the user for: paste a token, check it, sign out."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame

from core.hub.model import Account
from core.words import Words
from gui.theme import STEP
from gui.widgets.buttons import button
from gui.widgets.cards import column, row
from gui.widgets.texts import heading, plain, quiet, toned
from gui.widgets.token_entry import TokenEntry


class AccountSection(QFrame):
    """`token_given` with a pasted token; `check_wanted`; `sign_out_wanted`."""

    token_given = Signal(str)
    check_wanted = Signal()
    sign_out_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("accountSection")
        self.setProperty("card", "true")
        self._state, self._problem = plain(), toned("bad")
        self._state.setObjectName("accountState")
        self._problem.setObjectName("accountProblem")
        self._token = TokenEntry("accountToken")
        self._check = button(self.tr("Check"), "checkAccount", kind="small")
        self._sign_out = button(self.tr("Sign out"), "signOut", kind="small")
        self._token.given.connect(self.token_given)
        self._check.clicked.connect(self.check_wanted)
        self._sign_out.clicked.connect(self.sign_out_wanted)
        about = self.tr(
            "Only gated models need an account. The token is kept where every Hugging Face tool looks for it, "
            "readable by you alone."
        )
        line = row()
        line.addWidget(self._state, 1)
        line.addWidget(self._check)
        line.addWidget(self._sign_out)
        layout = column(self, spacing=STEP, margin=2 * STEP)
        layout.addWidget(heading(self.tr("Hugging Face account")))
        layout.addWidget(quiet(about))
        layout.addLayout(line)
        layout.addWidget(self._problem)
        layout.addWidget(self._token)
        self.show_account(Account(""), None)

    def show_account(self, account: Account, problem: Words | None) -> None:
        self._state.setText(self._text(account))
        self._problem.setText(f"{problem.title}. {problem.next_step}" if problem else "")
        self._problem.setVisible(problem is not None)
        self._check.setVisible(bool(account.source))
        self._sign_out.setVisible(account.source == "file")
        self._token.setVisible(account.source != "env")

    def show_checking(self) -> None:
        self._state.setText(self.tr("Asking the Hub…"))

    def show_token_problem(self, text: str) -> None:
        self._token.show_problem(text)

    def _text(self, account: Account) -> str:
        if not account.source:
            return self.tr("Not signed in.")
        if account.user:
            text = self.tr("Signed in as {user}.").format(user=account.user)
        else:
            text = self.tr("There is a token; it was not checked yet.")
        if account.source == "env":
            text += " " + self.tr("It comes from the environment (HF_TOKEN).")
        return text
