"""The details of the chosen model, asked for when the choice rests; an older answer never replaces a newer one."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal

from core.events import ErrorInfo
from core.hub.cache.layout import MAIN
from core.hub.events import AccountChanged, BadgeChanged
from core.hub.model import Fit, FitBadge, RepoDetails, RepoRef, RepoRow
from core.words import term
from gui.bridge import Call
from gui.desk import Desk
from gui.pages.models.endpoint import endpoint_of
from gui.pages.models.gate_card import GATED
from gui.pages.models.page import ModelsPage

REST_MS = 120


class DetailsPresenter(QObject):
    """`shown` with the row on every change of what the pane shows; `came` with the row and the id that was asked for;
    `not_found` with that id."""

    shown = Signal(object)
    came = Signal(object, str)
    not_found = Signal(str)

    def __init__(self, page: ModelsPage, desk: Desk) -> None:
        super().__init__(page)
        self._page = page
        self._pane = page.hub.details
        self._desk = desk
        self._call: Call | None = None
        self.ref: RepoRef | None = None
        self.details: RepoDetails | None = None
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST_MS)
        self._rest.timeout.connect(self._ask)
        self._pane.revision_chosen.connect(self._revision_chosen)
        self._pane.sibling_chosen.connect(self._sibling_chosen)
        self._pane.again.connect(self._ask)
        self._pane.gate.token_given.connect(self._token_given)
        self._pane.consent.changed.connect(self._consent_changed)
        desk.bridge.on(BadgeChanged, self._badge_changed, owner=self)
        desk.bridge.on(AccountChanged, self._account_changed, owner=self)

    def show(self, row: RepoRow, ref: RepoRef) -> None:
        self._stop()
        if self.ref is None or self.ref.repo_id != ref.repo_id:
            self._page.banner.dismiss()  # what it says is of another model
        self.ref, self.details = ref, None
        self._pane.show_loading(row, endpoint_of(self._desk))
        self.shown.emit(row)
        self._rest.start()

    def clear(self) -> None:
        self._stop()
        self.ref = self.details = None
        self._pane.show_empty()

    def show_gate(self, error: ErrorInfo) -> None:
        """A download was refused for want of a token or of a licence accepted."""
        self._pane.show_gate(error, self._desk.speech.explain(error))

    # ---- asking ----------------------------------------------------------------------------------------------------

    def _ask(self) -> None:
        self._stop()
        if self.ref is not None:
            self._call = self._desk.bridge.call(
                self._desk.services.hub.details, self.ref, owner=self, done=self._came, failed=self._failed
            )

    def _stop(self) -> None:
        self._rest.stop()
        if self._call is not None:
            self._call.cancel()
            self._call = None

    def _came(self, details: RepoDetails) -> None:
        self._call = None
        assert self.ref is not None
        asked = self.ref.repo_id
        self.ref = RepoRef(details.row.repo_id, self.ref.revision)
        self.details = details
        speech = self._desk.speech
        problem = speech.explain(details.refused_by_engine) if details.refused_by_engine else None
        warnings = tuple(term("repo_warning", warning, speech.language) for warning in details.warnings)
        if details.problem is not None:
            reason = speech.explain(details.problem).title
            warnings = (self.tr("Kept from an earlier look: {reason}").format(reason=reason), *warnings)
        self._pane.show_details(details, problem, warnings, self.ref.revision)
        self.came.emit(details.row, asked)
        self.shown.emit(details.row)

    def _failed(self, error: ErrorInfo) -> None:
        self._call = None
        words = self._desk.speech.explain(error)
        if error.code in GATED:
            self._pane.show_gate(error, words)
        else:
            self._pane.show_failure(words)
            self._no_fit()
        if error.code == "hub.not_found" and self.ref is not None:
            self.not_found.emit(self.ref.repo_id)

    def _no_fit(self) -> None:
        """Nobody looks any more whether it fits."""
        row = self._pane.row
        if row is not None and row.badge is None:
            self._page.hub.list.view.update_row(replace(row, badge=FitBadge(Fit.UNKNOWN, exact=False)))

    # ---- from the pane ---------------------------------------------------------------------------------------------

    def _revision_chosen(self, revision: str) -> None:
        if self.ref is not None and self._pane.row is not None:
            self.show(self._pane.row, RepoRef(self.ref.repo_id, "" if revision == MAIN else revision))

    def _sibling_chosen(self, repo_id: str) -> None:
        known = self.details.siblings if self.details is not None else ()
        row = next((sibling.row for sibling in known if sibling.row.repo_id == repo_id), RepoRow(repo_id))
        self._page.hub.list.view.select(repo_id)
        self.show(row, RepoRef(repo_id))

    def _consent_changed(self, allowed: bool) -> None:
        if self.details is not None:
            row = self.details.row
            self._desk.bridge.call(
                self._desk.services.hub.allow_code, row.repo_id, row.commit, allowed, owner=self, failed=self._failed
            )

    def _token_given(self, token: str) -> None:
        self._desk.bridge.call(self._desk.services.hub.sign_in, token, owner=self, failed=self._token_refused)

    def _token_refused(self, error: ErrorInfo) -> None:
        words = self._desk.speech.explain(error)
        self._pane.gate.show_token_problem(f"{words.title}. {words.next_step}")

    def _account_changed(self, event: AccountChanged) -> None:
        """With another account a gated model may be open now."""
        if event.account.user and self._pane.gate.isVisibleTo(self._pane):
            self._ask()

    def _badge_changed(self, event: BadgeChanged) -> None:
        self._pane.update_row(event.row)
