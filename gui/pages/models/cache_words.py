"""The shared cache in words."""

from __future__ import annotations

import time
from pathlib import Path

from PySide6.QtCore import QObject

from core.hub.model import CachedRepo, CachedRevision, CacheState
from core.words import show_bytes
from gui import figures

DAY_S = 86_400
SHOWN_FILES = 2
WORTH_SAYING_BYTES = 1_000_000


def newest(repo: CachedRepo) -> CachedRevision | None:
    """The revision that a launch would take: that of a branch first."""
    whole = [revision for revision in repo.revisions if revision.whole]
    named = [revision for revision in whole if revision.refs]
    return next(iter(named or whole or repo.revisions), None)


def is_model(repo: CachedRepo) -> bool:
    return not repo.repo_id.startswith(("datasets/", "spaces/"))


class CacheWords(QObject):
    """One language."""

    def __init__(self, language: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.language = language

    def size(self, count: int) -> str:
        return show_bytes(count, self.language)

    def facts(self, repo: CachedRepo) -> str:
        parts = [self.size(repo.size_bytes), self._used(repo.last_used)]
        if len(repo.revisions) > 1:
            parts.append(self.tr("%Ln revision(s)", "", len(repo.revisions)))
        if repo.duplicate_bytes >= WORTH_SAYING_BYTES:
            parts.append(self.tr("{size} of it twice in the cache").format(size=self.size(repo.duplicate_bytes)))
        return " · ".join(part for part in parts if part)

    def state(self, repo: CachedRepo) -> str:
        revision = newest(repo)
        if repo.in_use:
            whole = revision is not None and revision.whole
            return self.tr("In use now") if whole else self.tr("Being downloaded")
        if revision is None or not revision.whole or not is_model(repo):
            return ""
        if revision.verified:
            return self.tr("Whole, verified on {day}").format(day=revision.verified[:10])
        return self.tr("Whole by names and sizes")

    def problem(self, repo: CachedRepo) -> str:
        revision = newest(repo)
        if repo.in_use or not is_model(repo):
            return ""
        if revision is None:
            return self.tr("Only a part of a download is here")
        if revision.damaged:
            return self.tr("Damaged: {files}").format(files=self._files(revision.damaged))
        if revision.missing:
            return self.tr("Not whole, missing: {files}").format(files=self._files(revision.missing))
        return ""

    def folder(self, cache: CacheState) -> str:
        """Where it lies, the home folder as "~"."""
        home = str(Path.home())
        return f"~{cache.folder.removeprefix(home)}" if cache.folder.startswith(f"{home}/") else cache.folder

    def summary(self, cache: CacheState) -> str:
        if not cache.repos:
            return self.tr("Empty. What you get from the Hub lies here, shared with every tool that uses Hugging Face.")
        text = self.tr("{size} in {count}").format(
            size=self.size(cache.size_bytes), count=self.tr("%Ln model(s)", "", len(cache.repos))
        )
        if cache.free_bytes is not None:
            text += " · " + self.tr("{size} free on this disk").format(size=self.size(cache.free_bytes))
        return text

    def orphans(self, cache: CacheState) -> str:
        if not cache.orphans:
            return ""
        files = self.tr("%Ln unfinished file(s)", "", len(cache.orphans))
        return self.tr("Leftovers of broken downloads: {files}, {size}.").format(
            files=files, size=self.size(cache.orphan_bytes)
        )

    def _used(self, when: float) -> str:
        if not when:
            return ""
        days = int((time.time() - when) // DAY_S)
        if days < 1:
            return self.tr("used today")
        if days < 31:
            return self.tr("used %Ln day(s) ago", "", days)
        return self.tr("last used {day}").format(day=figures.day(when, self.language))

    def _files(self, files: tuple[str, ...]) -> str:
        shown = ", ".join(files[:SHOWN_FILES])
        more = len(files) - SHOWN_FILES
        return shown if more <= 0 else self.tr("{files} and %Ln more", "", more).format(files=shown)
