"""One model of the Hub beside the list: what it is, how it fits, its other sizes, its files, its card; the button."""

from __future__ import annotations

from PySide6.QtCore import QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from core.events import ErrorInfo
from core.hub.model import RepoDetails, RepoRow
from core.words import Words
from gui.pages.models.card_text import CardText
from gui.pages.models.consent_card import ConsentCard
from gui.pages.models.details_states import DetailsFailure, Skeleton
from gui.pages.models.download_words import DownloadWords
from gui.pages.models.facts_box import FactsBox
from gui.pages.models.file_table import FileTable
from gui.pages.models.fit_box import FitBox
from gui.pages.models.gate_card import GateCard
from gui.pages.models.get_panel import GetPanel
from gui.pages.models.repo_words import RepoWords
from gui.pages.models.revision_row import RevisionRow
from gui.pages.models.sibling_list import SiblingList
from gui.theme import STEP
from gui.widgets.cards import column
from gui.widgets.fold import Fold
from gui.widgets.scroll import scrolled
from gui.widgets.texts import quiet, toned

WORTH_SAYING_BYTES = 1_000_000


class DetailsPane(QFrame):
    """`revision_chosen` with a branch or tag; `sibling_chosen` with a repository's id; `again` to ask once more."""

    revision_chosen = Signal(str)
    sibling_chosen = Signal(str)
    again = Signal()

    def __init__(self, words: RepoWords) -> None:
        super().__init__()
        self.setObjectName("detailsPane")
        self.setProperty("card", "true")
        self._words = words
        self._endpoint = ""
        self._row: RepoRow | None = None
        self.facts = FactsBox(words)
        self.fit = FitBox(words)
        self.gate = GateCard()
        self.consent = ConsentCard()
        self.get = GetPanel(DownloadWords(words.language, self))
        self._notes: QLabel = toned("bad")
        self._notes.setObjectName("detailsNotes")
        self._warnings = quiet()
        self._warnings.setObjectName("detailsWarnings")
        self._revision = RevisionRow()
        self._siblings = SiblingList(words)
        self._files = FileTable(words)
        self._file_fold = Fold(self.tr("Files"), self._files, "filesFold")
        self._file_sizes = quiet()
        self._file_sizes.setObjectName("fileSizes")
        self._card = CardText()
        self._skeleton = Skeleton()
        self._failure = DetailsFailure()
        self._empty = quiet(self.tr("Choose a model to see how it fits, its files and what its makers say about it."))
        self._loaded = QWidget()
        self._inside = QWidget()
        self._foot = QWidget()
        self._connect()
        self._build()
        self.show_empty()

    def _connect(self) -> None:
        self.facts.page_wanted.connect(self._open_page)
        self._revision.chosen.connect(self.revision_chosen)
        self._siblings.chosen.connect(self.sibling_chosen)
        self._failure.again.connect(self.again)
        self.gate.again.connect(self.again)

    def _build(self) -> None:
        loaded = column(self._loaded, spacing=STEP + 4)
        for part in (self._notes, self.consent, self._warnings, self._siblings, self._revision):
            loaded.addWidget(part)
        files = column(spacing=0)
        files.addWidget(self._file_fold)
        files.addWidget(self._file_sizes)
        loaded.addLayout(files)
        loaded.addWidget(self._card)
        inside = column(self._inside, spacing=STEP + 4)
        inside.setContentsMargins(2 * STEP, 2 * STEP, STEP, STEP)
        for part in (self.facts, self.fit, self.gate, self._failure, self._skeleton, self._loaded):
            inside.addWidget(part)
        inside.addStretch(1)
        self._scroll = scrolled(self._inside)
        self._scroll.setObjectName("detailsScroll")
        foot = column(self._foot)
        foot.setContentsMargins(2 * STEP, STEP, 2 * STEP, STEP + 4)
        foot.addWidget(self.get)
        layout = column(self, spacing=0)
        self._empty.setContentsMargins(3 * STEP, 3 * STEP, 3 * STEP, 3 * STEP)
        layout.addWidget(self._empty)
        layout.addWidget(self._scroll, 1)
        layout.addWidget(self._foot)

    # ---- states ----------------------------------------------------------------------------------------------------

    @property
    def row(self) -> RepoRow | None:
        return self._row

    def show_empty(self) -> None:
        self._row = None
        self._empty.show()
        self._scroll.hide()
        self._foot.hide()

    def show_loading(self, row: RepoRow, endpoint: str) -> None:
        """What the list knows is shown at once; the rest is on its way."""
        other = self._row is None or self._row.repo_id != row.repo_id
        self._endpoint = endpoint
        self._show_row(row)
        if other:
            self._loaded.hide()
            self._skeleton.show()
            self._scroll.verticalScrollBar().setValue(0)
        self._failure.hide()
        self.gate.hide()
        self._empty.hide()
        self._scroll.show()
        self._foot.show()

    def show_details(
        self, details: RepoDetails, problem: Words | None, warnings: tuple[str, ...], revision: str
    ) -> None:
        """`problem`: why the chosen engine does not run it."""
        self._show_row(details.row)
        self._notes.setText(f"{problem.title}. {problem.sentence}" if problem else "")
        self._notes.setVisible(problem is not None)
        if details.renamed_from:
            text = self.tr("{old} is called {new} now.")
            warnings = (text.format(old=details.renamed_from, new=details.row.repo_id), *warnings)
        self._warnings.setText("\n".join(warnings))
        self._warnings.setVisible(bool(warnings))
        self.consent.show_code(
            details.row.repo_id, details.row.commit, details.remote_code, allowed=details.remote_code_allowed
        )
        self._siblings.show_siblings(details.siblings)
        self._revision.show_revisions(details, revision)
        self._files.show_files(details)
        self._file_sizes.setText(self._sizes(details))
        self._file_sizes.setVisible(details.loadable)
        self._card.show_card(details.card, f"{self._endpoint}/{details.row.repo_id}/resolve/{details.row.commit}/")
        self._card.setVisible(bool(details.card.strip()))
        self._skeleton.hide()
        self._failure.hide()
        self.gate.hide()
        self._loaded.show()

    def show_failure(self, words: Words) -> None:
        self._skeleton.hide()
        # Nobody looks any more.
        self.fit.setVisible(self._row is not None and self._row.badge is not None)
        self._failure.show_words(words)

    def show_gate(self, error: ErrorInfo, words: Words) -> None:
        self._skeleton.hide()
        self._failure.hide()
        self.gate.show_gate(error, words)
        # Once the layout has given it its place.
        QTimer.singleShot(0, self, self._see_gate)

    def _see_gate(self) -> None:
        self._scroll.ensureWidgetVisible(self.gate)

    def update_row(self, row: RepoRow) -> None:
        """A badge came, of the model shown or of one of its other sizes; that of another commit is not of this one."""
        if self._row is not None and self._row.repo_id == row.repo_id and self._row.commit in ("", row.commit):
            self._show_row(row)
        self._siblings.update_row(row)

    def restyle(self) -> None:
        self._card.restyle()

    def _show_row(self, row: RepoRow) -> None:
        self._row = row
        self.facts.show_row(row)
        self.fit.show_badge(row.badge)
        self.fit.show()

    def _sizes(self, details: RepoDetails) -> str:
        text = self.tr("{needed} are downloaded; {rest} are not needed by vLLM.")
        if details.other_bytes < WORTH_SAYING_BYTES:
            text = self.tr("{needed} are downloaded.")
        return text.format(
            needed=self._words.size(details.needed_bytes) or "–", rest=self._words.size(details.other_bytes)
        )

    def _open_page(self) -> None:
        if self._row is not None:
            QDesktopServices.openUrl(QUrl(f"{self._endpoint}/{self._row.repo_id}"))
