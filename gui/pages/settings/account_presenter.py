"""What the account part of the Settings page does."""

from __future__ import annotations

from PySide6.QtCore import QObject

from core.events import ErrorInfo
from core.hub.events import AccountChanged
from core.hub.model import Account
from gui.desk import Desk
from gui.pages.settings.page import SettingsPage


class AccountPresenter(QObject):
    def __init__(self, page: SettingsPage, desk: Desk) -> None:
        super().__init__(page)
        self._page = page
        self._section = page.account
        self._desk = desk
        self._account = Account("")
        self._section.token_given.connect(self._sign_in)
        self._section.check_wanted.connect(self._check)
        self._section.sign_out_wanted.connect(self._sign_out)
        desk.bridge.on(AccountChanged, self._changed, owner=self)

    def _sign_in(self, token: str) -> None:
        self._section.show_checking()
        self._desk.bridge.call(self._desk.services.hub.sign_in, token, owner=self, failed=self._refused)

    def _check(self) -> None:
        self._section.show_checking()
        self._desk.bridge.call(self._desk.services.hub.account, owner=self, failed=self._failed)

    def _sign_out(self) -> None:
        self._desk.bridge.call(self._desk.services.hub.sign_out, owner=self, failed=self._failed)

    def _changed(self, event: AccountChanged) -> None:
        self._account = event.account
        self._show()

    def _show(self) -> None:
        problem = self._account.problem
        self._section.show_account(self._account, self._desk.speech.explain(problem) if problem else None)

    def _refused(self, error: ErrorInfo) -> None:
        self._show()
        words = self._desk.speech.explain(error)
        self._section.show_token_problem(f"{words.title}. {words.next_step}")

    def _failed(self, error: ErrorInfo) -> None:
        self._show()
        self._page.banner.show_words(self._desk.speech.explain(error))
