"""The cache on the page: look, verify, delete, sweep, move; every deletion is asked about with its bytes first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog

from core.events import ErrorInfo, JobDone, Progress, ServerState, ServerStatus
from core.hub.cache.layout import MAIN
from core.hub.cache.scan import model_id
from core.hub.cache.service import MOVE_JOB, VERIFY_JOB
from core.hub.events import CacheChanged
from core.hub.model import CachedRepo, CachedRevision, CacheState, RepoRef, Verified
from core.words import Words
from gui.desk import Desk
from gui.dialogs.question import Question
from gui.pages.models.cache_words import newest
from gui.pages.models.page import ModelsPage


class CachePresenter(QObject):
    """`launch_wanted` with a model's id; `get_wanted` with the `RepoRef` of a model that is not whole."""

    launch_wanted = Signal(str)
    get_wanted = Signal(object)

    def __init__(self, page: ModelsPage, desk: Desk) -> None:
        super().__init__(page)
        self._page = page
        self._list = page.local.cache
        self._desk = desk
        self._cache: CacheState | None = None
        self._verifying = ""
        self._server = ServerState.IDLE
        self._ended = False
        self._list.wanted.connect(self._wanted)
        self._list.sweep_wanted.connect(self._sweep)
        self._list.move_wanted.connect(self._choose_place)
        self._list.look_wanted.connect(self.look)
        self._list.stop_wanted.connect(self._stop)
        page.tab_shown.connect(self._tab_shown)
        desk.bridge.on(CacheChanged, self._changed, owner=self)
        desk.bridge.on(Progress, self._progress, owner=self)
        desk.bridge.on(JobDone, self._job_done, owner=self)
        desk.bridge.on(ServerStatus, self._server_changed, owner=self)

    def look(self) -> None:
        # Not an answer to a click: what the banner says stays.
        self._desk.bridge.call(self._desk.services.hub.cache.look, owner=self, failed=self._failed)

    def end(self) -> None:
        """The services are about to close: their server's end is no reason to look."""
        self._ended = True

    def _tab_shown(self, name: str) -> None:
        """Other tools may have changed it meanwhile."""
        if name == "local":
            self.look()

    def _server_changed(self, status: ServerStatus) -> None:
        """What it serves is in use, and then no more."""
        before, self._server = self._server, status.state
        settled = status.state in (ServerState.READY, ServerState.IDLE, ServerState.FAILED)
        if settled and status.state is not before and self._cache is not None and not self._ended:
            self.look()

    def _changed(self, event: CacheChanged) -> None:
        self._cache = event.cache
        words = tuple(self._desk.speech.explain(warning).sentence for warning in event.cache.warnings)
        self._list.show_cache(event.cache, words)

    # ---- one model -------------------------------------------------------------------------------------------------

    def _wanted(self, repo_id: str, verb: str) -> None:
        if verb == "launch":
            repo, revision = self._repo(repo_id), self._newest(repo_id)
            self.launch_wanted.emit(model_id(repo, revision) if repo is not None and revision is not None else repo_id)
        elif verb == "get":
            self._get_rest(repo_id)
        elif verb == "verify":
            self._verify(repo_id)
        elif verb == "stop":
            self._stop(VERIFY_JOB)
        else:
            self._call(self._desk.services.hub.cache.frees, repo_id, done=lambda freed: self._ask(repo_id, freed))

    def _get_rest(self, repo_id: str) -> None:
        """Damaged files are taken away first, so that they are fetched anew."""
        revision = self._newest(repo_id)
        if revision is not None and revision.damaged:
            repair = self._desk.services.hub.cache.repair
            self._call(repair, repo_id, revision.commit, done=lambda _gone: self._fetch(repo_id, revision))
        else:
            self._fetch(repo_id, revision)

    def _fetch(self, repo_id: str, revision: CachedRevision | None) -> None:
        """Of the branch or tag that it is a part of."""
        refs = revision.refs if revision is not None else ()
        self.get_wanted.emit(RepoRef(repo_id, "" if not refs or MAIN in refs else refs[0]))

    def _repo(self, repo_id: str) -> CachedRepo | None:
        return next((repo for repo in self._cache.repos if repo.repo_id == repo_id), None) if self._cache else None

    def _newest(self, repo_id: str) -> CachedRevision | None:
        repo = self._repo(repo_id)
        return newest(repo) if repo is not None else None

    def _ask(self, repo_id: str, freed: int) -> None:
        size = self._list.words.size(freed)
        question = Question(
            self._page.window(),
            name="deleteModelDialog",
            heading=self.tr("Delete {model}?").format(model=repo_id),
            text=self.tr("This frees {size}. Other tools that use the Hugging Face cache lose it too.").format(
                size=size
            ),
            choices=(("delete", self.tr("Delete, free {size}").format(size=size)), ("keep", self.tr("Keep"))),
        )
        question.chosen.connect(lambda choice: self._delete(repo_id) if choice == "delete" else None)
        question.open()

    def _delete(self, repo_id: str) -> None:
        self._call(self._desk.services.hub.cache.delete, repo_id)

    def _verify(self, repo_id: str) -> None:
        self._verifying = repo_id
        self._list.show_busy(repo_id, self.tr("Reading all files…"))
        revision = self._newest(repo_id)
        commit = revision.commit if revision is not None else ""
        verify = self._desk.services.hub.cache.verify
        self._call(verify, repo_id, commit, done=self._verified, failed=self._verify_failed)

    def _verified(self, found: Verified) -> None:
        self._end_verify()
        if found.damaged:
            return  # its card says which files
        text = self.tr("{model} is whole: {size} in {count} have the hashes of the Hub.")
        self._page.banner.show_words(
            Words(
                self.tr("Verified"),
                text.format(
                    model=found.repo_id,
                    size=self._list.words.size(found.hashed_bytes),
                    count=self.tr("%Ln file(s)", "", found.files - len(found.unknown)),
                ),
                "",
            ),
            error=False,
        )

    def _verify_failed(self, error: ErrorInfo) -> None:
        self._end_verify()
        if error.code != "hub.verify_cancelled":
            self._failed(error)

    def _end_verify(self) -> None:
        self._list.show_busy(self._verifying, "")
        self._verifying = ""
        if self._cache is not None:
            self._changed(CacheChanged(self._cache))

    # ---- the whole cache -------------------------------------------------------------------------------------------

    def _sweep(self) -> None:
        if self._cache is None:
            return
        size = self._list.words.size(self._cache.orphan_bytes)
        question = Question(
            self._page.window(),
            name="sweepDialog",
            heading=self.tr("Remove the leftovers?"),
            text=self._list.words.orphans(self._cache)
            + " "
            + self.tr("No download of Stowage needs them; another tool could still go on with them."),
            choices=(("sweep", self.tr("Remove, free {size}").format(size=size)), ("keep", self.tr("Keep"))),
        )
        question.chosen.connect(
            lambda choice: self._call(self._desk.services.hub.cache.sweep) if choice == "sweep" else None
        )
        question.open()

    def _choose_place(self) -> None:
        dialog = QFileDialog(self._page, self.tr("Choose an empty folder for the cache"))
        dialog.setObjectName("moveCacheDialog")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self.move_to)
        dialog.fileSelected.connect(dialog.deleteLater)
        dialog.rejected.connect(dialog.deleteLater)
        dialog.open()

    def move_to(self, folder: str) -> None:
        self._call(self._desk.services.hub.cache.move, folder, failed=self._move_failed, done=lambda _none: self.look())

    def _move_failed(self, error: ErrorInfo) -> None:
        if error.code != "hub.move_cancelled":
            self._failed(error)

    def _stop(self, job: str) -> None:
        self._call(self._desk.services.hub.cache.cancel, job)

    def _progress(self, event: Progress) -> None:
        if event.job in (MOVE_JOB, VERIFY_JOB):
            self._list.show_progress(event)

    def _job_done(self, event: JobDone) -> None:
        if event.job in (MOVE_JOB, VERIFY_JOB):
            self._list.progress.hide()

    # ---- means -----------------------------------------------------------------------------------------------------

    def _call(
        self,
        verb: Callable[..., Any],
        *args: Any,
        done: Callable[[Any], None] | None = None,
        failed: Callable[[ErrorInfo], None] | None = None,
    ) -> None:
        self._page.banner.dismiss()
        self._desk.bridge.call(verb, *args, owner=self, done=done, failed=failed or self._failed)

    def _failed(self, error: ErrorInfo) -> None:
        self._page.banner.show_words(self._desk.speech.explain(error))
