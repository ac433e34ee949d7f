"""What lies in the Hugging Face cache, whichever tool brought it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from core.events import Progress
from core.hub.model import CacheState
from gui.pages.models.cache_row import CacheRow
from gui.pages.models.cache_words import CacheWords
from gui.theme import STEP
from gui.widgets.buttons import button
from gui.widgets.cards import column, row
from gui.widgets.progress_row import ProgressRow
from gui.widgets.texts import heading, quiet, selectable
from gui.words import Speech


class CacheList(QWidget):
    """`wanted` with a repository's id and a verb; `sweep_wanted`, `move_wanted`, `stop_wanted` with a job's name."""

    wanted = Signal(str, str)
    sweep_wanted = Signal()
    move_wanted = Signal()
    look_wanted = Signal()
    stop_wanted = Signal(str)

    def __init__(self, speech: Speech) -> None:
        super().__init__()
        self.setObjectName("cacheList")
        self.words = CacheWords(speech.language, self)
        self._rows: dict[str, CacheRow] = {}
        self._folder = selectable(quiet())
        self._summary = quiet(self.tr("Looking at the cache…"))
        self._summary.setObjectName("cacheSummary")
        self._leftovers = quiet()
        self._leftovers.setObjectName("cacheLeftovers")
        self._warnings = quiet()
        self._sweep = button(self.tr("Remove leftovers…"), "sweepCache", kind="small")
        self._move = button(self.tr("Move to another disk…"), "moveCache", kind="small")
        self._look = button(self.tr("Look again"), "lookCache", kind="small")
        self._sweep.clicked.connect(self.sweep_wanted)
        self._move.clicked.connect(self.move_wanted)
        self._look.clicked.connect(self.look_wanted)
        self.progress = ProgressRow(speech, "cacheProgress")
        self.progress.cancelled.connect(self.stop_wanted)
        head = row()
        head.addWidget(heading(self.tr("From the Hub")), 1)
        head.addWidget(self._look)
        head.addWidget(self._move)
        left = row()
        left.addWidget(self._leftovers, 1)
        left.addWidget(self._sweep)
        self._list = column(spacing=STEP)
        layout = column(self, spacing=STEP)
        layout.addLayout(head)
        for part in (self._summary, self._folder, self._warnings):
            layout.addWidget(part)
        layout.addWidget(self.progress)
        layout.addLayout(left)
        layout.addLayout(self._list)
        for part in (self._leftovers, self._sweep, self._warnings):
            part.hide()

    def show_cache(self, cache: CacheState, warnings: tuple[str, ...]) -> None:
        self._summary.setText(self.words.summary(cache))
        self._folder.setText(self.words.folder(cache).replace("/", "/\u200b"))
        leftovers = self.words.orphans(cache)
        self._leftovers.setText(leftovers)
        self._leftovers.setVisible(bool(leftovers))
        self._sweep.setVisible(bool(leftovers))
        self._warnings.setText("\n".join(warnings))
        self._warnings.setVisible(bool(warnings))
        wanted = {repo.repo_id for repo in cache.repos}
        for gone in [repo_id for repo_id in self._rows if repo_id not in wanted]:
            old = self._rows.pop(gone)
            old.hide()
            old.deleteLater()
        for place, repo in enumerate(cache.repos):
            shown = self._rows.get(repo.repo_id)
            if shown is None:
                shown = self._rows[repo.repo_id] = CacheRow(repo, self.words)
                shown.wanted.connect(self.wanted)
                self._list.insertWidget(place, shown)
            else:
                shown.show_repo(repo)

    def show_busy(self, repo_id: str, words: str) -> None:
        if repo_id in self._rows:
            self._rows[repo_id].show_busy(words)

    def show_progress(self, progress: Progress) -> None:
        self.progress.show_progress(progress)
