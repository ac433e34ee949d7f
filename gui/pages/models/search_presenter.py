"""The search: typing to a list, pages, badges, a pasted name straight to its model. A newer one ends an older one."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, QTimer, Signal

from core.events import ErrorInfo
from core.hub.events import BadgeChanged
from core.hub.model import RepoRef, RepoRow, SearchPage, SearchQuery
from core.hub.refs import is_address, parse_reference
from gui.bridge import Call
from gui.desk import Desk
from gui.pages.models.endpoint import endpoint_of
from gui.pages.models.filter_bar import Filters
from gui.pages.models.page import ModelsPage

SKELETON_DELAY_MS = 150
# Pages fetched in a row because the fit filter left nothing to see.
MOST_PAGES_UNSEEN = 5
SHOWN_CHARACTERS = 48


@dataclass(frozen=True, slots=True)
class Looking:
    """What a person looks for: the tab that is shown, the text, the filters, the model that is chosen ("" none)."""

    tab: str
    text: str
    filters: Filters
    chosen: str


class SearchPresenter(QObject):
    """`repo_chosen` with the row and the `RepoRef` that the user means; `nothing_chosen` when the list is a new one."""

    repo_chosen = Signal(object, object)
    nothing_chosen = Signal()

    def __init__(self, page: ModelsPage, desk: Desk) -> None:
        super().__init__(page)
        self._page = page
        self._desk = desk
        self._call: Call | None = None
        self._text = self._chosen_before = ""
        self._query: SearchQuery | None = None
        self._cursor = ""
        self._straight: RepoRef | None = None
        self._pages_unseen = 0
        self._skeleton = QTimer(self)
        self._skeleton.setSingleShot(True)
        self._skeleton.setInterval(SKELETON_DELAY_MS)
        view = page.hub.list.view
        self._skeleton.timeout.connect(page.hub.list.begin_loading)
        page.searched.connect(self._typed)
        page.tab_shown.connect(self._tab_shown)
        page.hub.filters.changed.connect(self._search)
        page.hub.filters.fit_changed.connect(self._fit_changed)
        page.hub.list.again.connect(self._again)
        page.hub.list.clear_wanted.connect(page.hub.filters.clear)
        view.picked.connect(self._picked)
        view.more_wanted.connect(self._more)
        desk.bridge.on(BadgeChanged, self._badge_changed, owner=self)

    # ---- another language ------------------------------------------------------------------------------------------

    @property
    def looking(self) -> Looking:
        page = self._page
        chosen = page.hub.list.view.chosen
        return Looking(page.shown_tab, page.search.text(), page.hub.filters.state, chosen.repo_id if chosen else "")

    def bring_back(self, looking: Looking) -> None:
        """As it was before the window was made anew. The answers are kept, so this asks next to nothing."""
        self._page.search.bring_back(looking.text)
        self._page.hub.filters.bring_back(looking.filters)
        self._text, self._chosen_before = looking.text.strip(), looking.chosen
        if looking.tab == "hub":
            self._typed(looking.text, True)

    # ---- what the user wants ---------------------------------------------------------------------------------------

    def _tab_shown(self, name: str) -> None:
        if name == "hub" and self._query is None and self._straight is None:
            self._search()

    def _typed(self, text: str, meant: bool) -> None:
        self._text = text.strip()
        ref = parse_reference(self._text, endpoint_of(self._desk)) if self._text else None
        if ref is not None and "/" in ref.repo_id and (meant or is_address(self._text)):
            self._go_to(ref)
        else:
            self._search()
        # After the search has begun: showing the tab must not begin another one.
        self._page.show_tab("hub")

    def _fit_changed(self, wished: str) -> None:
        self._pages_unseen = 0
        self._page.hub.list.view.set_fit(wished)

    def _picked(self, row: RepoRow) -> None:
        ref = self._straight if self._straight is not None and self._straight.repo_id == row.repo_id else None
        self.repo_chosen.emit(row, ref or RepoRef(row.repo_id))

    def _again(self) -> None:
        if self._straight is not None:
            self._go_to(self._straight)
        else:
            self._search()

    # ---- one model by its name -------------------------------------------------------------------------------------

    def _go_to(self, ref: RepoRef) -> None:
        self._stop()
        self._straight, self._query = ref, None
        row = RepoRow(ref.repo_id)
        view = self._page.hub.list.view
        self._page.hub.list.show_page(SearchPage(SearchQuery(), (row,)), "")
        view.select(ref.repo_id)
        self.repo_chosen.emit(row, ref)

    def found(self, row: RepoRow, asked: str) -> None:
        """The details of a model came: the row knows more now; a renamed one has its new name."""
        view = self._page.hub.list.view
        if self._straight is not None and asked == self._straight.repo_id != row.repo_id:
            self._straight = replace(self._straight, repo_id=row.repo_id)
            view.show_page((row,), more=False)
            view.select(row.repo_id)
        view.update_row(row)

    def not_found(self, asked: str) -> None:
        """No model has the name that was typed: then it is something to search for."""
        if self._straight is not None and asked == self._straight.repo_id:
            self._search()

    # ---- the search ------------------------------------------------------------------------------------------------

    def _search(self) -> None:
        query = self._page.hub.filters.query(self._text)
        if self._call is not None and query == self._query:
            return
        self._stop()
        self._straight, self._query = None, query
        self._pages_unseen = 0
        self._page.hub.list.view.set_fit(self._page.hub.filters.fit)
        self._skeleton.start()
        self._call = self._desk.bridge.call(
            self._desk.services.hub.search, query, owner=self, done=self._came, failed=self._failed
        )

    def _more(self) -> None:
        """The end of the list is in sight."""
        if self._call is not None or not self._cursor or self._query is None:
            return
        if self._pages_unseen >= MOST_PAGES_UNSEEN:
            return
        self._call = self._desk.bridge.call(
            self._desk.services.hub.search,
            self._query,
            self._cursor,
            owner=self,
            done=self._more_came,
            failed=self._more_failed,
        )

    def _stop(self) -> None:
        """Whatever is on its way is not wanted any more."""
        self._skeleton.stop()
        self._cursor = ""
        if self._call is not None:
            self._call.cancel()
            self._call = None

    def _came(self, page: SearchPage) -> None:
        self._skeleton.stop()
        self._call = None
        self._cursor = page.cursor
        if not page.rows:
            self._nothing()
            self.nothing_chosen.emit()
            return
        stale = ""
        if page.stale:
            words = self._desk.speech.explain(page.problem) if page.problem else None
            stale = self.tr("Kept from an earlier search: {reason}").format(reason=words.title if words else "")
        self._page.hub.list.show_page(page, stale)
        self._choose_after_search()
        self._page.hub.list.view.look_at_end()

    def _choose_after_search(self) -> None:
        """A name that was typed in full is chosen at once; else what was chosen stays chosen if it is still there."""
        view = self._page.hub.list.view
        typed = parse_reference(self._text, endpoint_of(self._desk)) if self._text else None
        if typed is not None:
            for row in view.rows.rows:
                if row.repo_id.lower() == typed.repo_id.lower():
                    view.select(row.repo_id)
                    self.repo_chosen.emit(row, RepoRef(row.repo_id, typed.revision))
                    return
        before, self._chosen_before = self._chosen_before, ""
        row = view.rows.row_at(view.rows.place_of(before))
        if view.chosen is None and row is not None:
            view.select(before)
            self.repo_chosen.emit(row, RepoRef(before))
        elif view.chosen is None:
            self.nothing_chosen.emit()

    def _nothing(self) -> None:
        filters = self._page.hub.filters.any_set()
        named = parse_reference(self._text, endpoint_of(self._desk)) if self._text else None
        if named is not None and "/" in named.repo_id and not filters:
            # Surely a model's name: it may be private.
            words = self._desk.speech.explain(ErrorInfo("hub.not_found", facts={"repo": named.repo_id}))
            self._page.hub.list.show_nothing(words.title, f"{words.sentence} {words.next_step}", filters=False)
            return
        text = self.tr("Try other words, or a part of the name.")
        if filters:
            text = self.tr("Try other words, or let more pass the filters.")
        title = self.tr("Nothing found")
        if self._text:
            title = self.tr("Nothing found for “{text}”").format(text=shortened(self._text))
        self._page.hub.list.show_nothing(title, text, filters=filters)

    def _failed(self, error: ErrorInfo) -> None:
        if error.code == "hub.superseded":
            return
        self._skeleton.stop()
        self._call = None
        self._query = None
        self._page.hub.list.show_failure(self._desk.speech.explain(error))
        self.nothing_chosen.emit()

    def _more_came(self, page: SearchPage) -> None:
        self._call = None
        self._cursor = page.cursor
        view = self._page.hub.list.view
        before = len(view.rows.rows)
        view.add_page(page.rows, more=bool(page.cursor))
        self._pages_unseen = 0 if len(view.rows.rows) > before else self._pages_unseen + 1
        view.look_at_end()

    def _more_failed(self, error: ErrorInfo) -> None:
        """The list so far stays; scrolling to its end asks again."""
        self._call = None
        if error.code == "hub.superseded":
            return
        self._page.hub.list.view.add_page((), more=False)
        words = self._desk.speech.explain(error)
        self._page.hub.list.show_stale(f"{words.title}. {words.sentence}")

    def _badge_changed(self, event: BadgeChanged) -> None:
        self._page.hub.list.view.update_row(event.row)


def shortened(text: str) -> str:
    """For a title: what somebody pasted may be a page long."""
    text = " ".join(text.split())
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS].rstrip()}…"
