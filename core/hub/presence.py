"""Which models of a list are on this computer already, as the cache tells."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from core.events import Event, EventBus
from core.hub.events import CacheChanged
from core.hub.model import CacheState, RepoRow


class Presence:
    """Hears of the cache; asks nothing."""

    def __init__(self, bus: EventBus) -> None:
        self._states: dict[str, Literal["part", "whole"]] = {}
        self._unsubscribe = bus.subscribe(self._hear)

    def close(self) -> None:
        self._unsubscribe()

    def mark(self, row: RepoRow) -> RepoRow:
        return replace(row, cached=self._states.get(row.repo_id.lower(), ""))

    def _hear(self, event: Event) -> None:
        if isinstance(event, CacheChanged):
            self.learn(event.cache)

    def learn(self, cache: CacheState) -> None:
        self._states = {
            repo.repo_id.lower(): "whole" if any(revision.whole for revision in repo.revisions) else "part"
            for repo in cache.repos
        }
