"""Downloads: the button of the shown model, the drawer with all of them, and the launch that may follow."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QObject, Signal

from core.events import ErrorInfo
from core.hub.cache.layout import MAIN
from core.hub.cache.scan import commit_of
from core.hub.events import CacheChanged, DownloadsChanged
from core.hub.model import CachedRepo, CachedRevision, DownloadInfo, DownloadState, RepoRef, RepoRow
from core.settings import Settings
from gui.desk import Desk
from gui.pages.models.cache_words import newest
from gui.pages.models.details_presenter import DetailsPresenter
from gui.pages.models.gate_card import GATED
from gui.pages.models.page import ModelsPage


class GetPresenter(QObject):
    """Both with a model's id. `launch_wanted`: "Launch" was pressed; `talk_wanted`: a model that was got to be launched
    is whole."""

    launch_wanted = Signal(str)
    talk_wanted = Signal(str)

    def __init__(self, page: ModelsPage, details: DetailsPresenter, desk: Desk) -> None:
        super().__init__(page)
        self._page = page
        self._details = details
        self._desk = desk
        # By key: two branches of one model are two downloads.
        self._downloads: dict[str, DownloadInfo] = {}
        self._cached: dict[str, CachedRepo] | None = None
        # Whole, while the cache was not looked at again yet: the button must not turn back to "Get" for a moment.
        self._just_done: set[str] = set()
        self._gates_shown: set[str] = set()
        panel = page.hub.details.get
        panel.get_wanted.connect(self._get)
        panel.pause_wanted.connect(self._pause)
        panel.resume_wanted.connect(self._resume)
        panel.cancel_wanted.connect(self._cancel)
        panel.launch_wanted.connect(self._launch)
        page.hub.details.consent.changed.connect(self._consent_changed)
        page.drawer.wanted.connect(self._wanted)
        page.drawer.limit_chosen.connect(self._limit)
        page.drawer.show_limit(desk.services.settings.current.download_limit_bytes_per_s)
        page.downloads_shown.connect(self._drawer_shown)
        details.shown.connect(self._show)
        desk.bridge.on(DownloadsChanged, self._downloads_changed, owner=self)
        desk.bridge.on(CacheChanged, self._cache_changed, owner=self)

    # ---- the button of the shown model -----------------------------------------------------------------------------

    def _show(self, row: RepoRow) -> None:
        panel, download = self._page.hub.details.get, self._download_of(row)
        if download is not None:
            gated = download.error is not None and download.error.code in GATED
            panel.show_download(download, reason_shown=gated)
            return
        here = self._here(row)
        if here == "whole":
            newer = self._newer_on_hub(row)
            note = self.tr("An earlier version is here") if newer else self.tr("On this computer")
            panel.show_here(note, may_launch=newer or self._trusted(), newer=newer)
        else:
            details = self._details.details
            enabled = details is not None and details.loadable
            panel.show_offer(self._note(row), enabled=enabled, may_launch=self._trusted(), resume=here == "part")

    def _download_of(self, row: RepoRow) -> DownloadInfo | None:
        """The unfinished one of the revision that is shown."""
        wished, loaded = self._revision or MAIN, self._details.details is not None
        for download in self._downloads.values():
            if download.repo_id == row.repo_id and download.state is not DownloadState.DONE:
                same = wished in (download.ref, download.commit) or (loaded and download.commit == row.commit)
                if same:
                    return download
        return None

    @property
    def _revision(self) -> str:
        """What of the model is shown, "" for its main branch."""
        return self._details.ref.revision if self._details.ref is not None else ""

    def _here(self, row: RepoRow) -> str:
        """How much of the revision that is shown is on this computer: "", "part" or "whole"."""
        if f"{row.repo_id}@{row.commit}" in self._just_done:
            return "whole"
        if self._cached is None:
            return row.cached
        repo = self._cached.get(row.repo_id)
        if repo is None:
            return ""
        if not repo.revisions:
            return "part"
        found = self._cached_revision(repo, row)
        return "" if found is None else "whole" if found.whole else "part"

    def _cached_revision(self, repo: CachedRepo, row: RepoRow) -> CachedRevision | None:
        """The very commit that the Hub shows, else what is called so here."""
        exact = next((found for found in repo.revisions if found.commit == row.commit), None)
        if self._revision:
            return exact if self._details.details is not None else commit_of(repo, self._revision)
        main = next((found for found in repo.revisions if MAIN in found.refs), None)
        return exact if exact is not None and (exact.whole or main is None) else main

    def _newer_on_hub(self, row: RepoRow) -> bool:
        """Whether the main branch has moved on since it was fetched."""
        details = self._details.details
        repo = (self._cached or {}).get(row.repo_id)
        if details is None or details.problem is not None or repo is None or not details.row.commit:
            return False
        found = self._cached_revision(repo, details.row)
        return found is not None and found.commit != details.row.commit

    def _note(self, row: RepoRow) -> str:
        words = self._page.hub.list.words
        size = words.size(row.download_bytes or row.weight_bytes)
        parts = [self.tr("{size} to download").format(size=size) if size else ""]
        if row.gated:
            parts.append(self.tr("its owner must let you in first"))
        return " · ".join(part for part in parts if part)

    def _trusted(self) -> bool:
        """Whether it may be started: its own code needs a yes first."""
        details = self._details.details
        return details is None or not details.remote_code or self._page.hub.details.consent.given

    def _consent_changed(self, _given: bool) -> None:
        self._refresh()

    def _refresh(self) -> None:
        if (row := self._page.hub.details.row) is not None:
            self._show(row)

    def _get(self, launch: bool) -> None:
        ref = self._details.ref
        if ref is None:
            return
        self._page.banner.dismiss()
        self._gates_shown.discard(ref.repo_id)
        self._desk.bridge.call(
            self._desk.services.hub.get, ref, launch_after=launch, owner=self, failed=self._get_failed
        )

    def get(self, ref: RepoRef) -> None:
        """The rest of a model that lies in the cache in part; one that is being fetched goes on as it was begun."""
        for download in self._downloads.values():
            if not ref.revision and download.repo_id == ref.repo_id and download.state is not DownloadState.DONE:
                ref = RepoRef(ref.repo_id, download.ref or download.commit)
        self._desk.bridge.call(self._desk.services.hub.get, ref, owner=self, failed=self._failed)

    def _get_failed(self, error: ErrorInfo) -> None:
        if error.code in GATED:
            self._details.show_gate(error)
        else:
            self._failed(error)

    def _pause(self) -> None:
        self._wanted(self._shown_key(), "pause")

    def _resume(self) -> None:
        self._wanted(self._shown_key(), "resume")

    def _cancel(self) -> None:
        self._wanted(self._shown_key(), "cancel")

    def _launch(self) -> None:
        if self._details.ref is not None:
            self.launch_wanted.emit(str(self._details.ref))

    def _shown_key(self) -> str:
        row = self._page.hub.details.row
        download = self._download_of(row) if row is not None else None
        return download.key if download is not None else ""

    # ---- all downloads ---------------------------------------------------------------------------------------------

    def _wanted(self, key: str, verb: str) -> None:
        download = self._downloads.get(key)
        if download is None:
            return
        if verb == "launch":
            self.launch_wanted.emit(download.model_id)
            return
        self._gates_shown.discard(download.repo_id)
        hub = self._desk.services.hub
        verbs = {"pause": hub.pause, "resume": hub.resume, "cancel": hub.cancel}
        self._desk.bridge.call(verbs[verb], key, owner=self, failed=self._failed)

    def _limit(self, bytes_per_s: int) -> None:
        self._desk.bridge.call(
            self._desk.services.change_settings,
            owner=self,
            done=self._limit_changed,
            failed=self._failed,
            download_limit_bytes_per_s=bytes_per_s,
        )

    def _limit_changed(self, settings: Settings) -> None:
        self._page.drawer.show_limit(settings.download_limit_bytes_per_s)

    def _drawer_shown(self) -> None:
        """The limit may have been changed on the Settings page."""
        self._page.drawer.show_limit(self._desk.services.settings.current.download_limit_bytes_per_s)

    def _downloads_changed(self, event: DownloadsChanged) -> None:
        before = self._downloads
        for download in event.downloads:
            known = before.get(download.key)
            if download.state is DownloadState.DONE and known is not None and known.state is not DownloadState.DONE:
                self._just_done.add(download.key)
        self._downloads = {download.key: download for download in event.downloads}
        self._page.drawer.show_downloads(event.downloads)
        self._page.count_downloads(event.downloads)
        self._refresh()
        for download in event.downloads:
            self._look_at(before.get(download.key), download)

    def _look_at(self, before: DownloadInfo | None, now: DownloadInfo) -> None:
        """What follows from a change of one download: a launch, or the way into a gated model."""
        if now.state is DownloadState.DONE:
            fresh = before is not None and before.state is not DownloadState.DONE
            if fresh and now.launch_after:
                self.talk_wanted.emit(now.model_id)
        elif now.state is DownloadState.FAILED and now.error is not None and now.error.code in GATED:
            self._show_gate(now.repo_id, now.error)

    def _show_gate(self, repo_id: str, error: ErrorInfo) -> None:
        """Once for each failure, and only while that model is the one shown."""
        row = self._page.hub.details.row
        if row is not None and row.repo_id == repo_id and repo_id not in self._gates_shown:
            self._gates_shown.add(repo_id)
            self._details.show_gate(error)

    def _cache_changed(self, event: CacheChanged) -> None:
        here: dict[str, Literal["part", "whole"]] = {}
        for repo in event.cache.repos:
            revision = newest(repo)
            here[repo.repo_id] = "whole" if revision is not None and revision.whole else "part"
        self._cached = {repo.repo_id: repo for repo in event.cache.repos}
        self._just_done.clear()
        self._page.hub.list.view.rows.show_here(here)
        self._refresh()

    def _failed(self, error: ErrorInfo) -> None:
        self._page.banner.show_words(self._desk.speech.explain(error))
