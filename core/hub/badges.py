"""Fit badges of a list, filled in as they arrive: facts from the disk or the Hub, then the planner in a thread.

Facts belong to a commit and stay true. A badge belongs to a computer too: it is kept with the figures that it rests on
and made again when those have changed a lot.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from typing import Final

from core.errors import AppError
from core.events import EngineInfo, Event, EventBus, MachineChanged
from core.hub.api import HubApi, Json
from core.hub.badge_store import BadgeStore
from core.hub.events import BadgeChanged
from core.hub.facts import RepoFacts
from core.hub.fit import filled_row
from core.hub.footing import Footing, footing_of
from core.hub.ground import Ground, Grounds
from core.hub.model import Fit, FitBadge, RepoRow
from core.hub.read_facts import read_facts
from core.runtime import ErrorHook, Tasks
from core.settings import SettingsStore

log = logging.getLogger(__name__)

AT_ONCE: Final = 4
"""Models that are looked at at the same time, each with a few small requests."""
LONGEST_WAIT_S: Final = 60
AGAIN_S: Final = 10.0
"""Least time between two looks at whether the computer has changed a lot."""


class Badges:
    """Owner of the work behind the badges. Lives on the loop's thread."""

    def __init__(
        self,
        bus: EventBus,
        store: BadgeStore,
        grounds: Grounds,
        settings: SettingsStore,
        api: Callable[[], Awaitable[HubApi]],
        on_error: ErrorHook | None = None,
    ) -> None:
        self._bus = bus
        self._store = store
        self._grounds = grounds
        self._settings = settings
        self._api = api
        self._tasks = Tasks(on_error)
        self._gate = asyncio.Semaphore(AT_ONCE)
        self._shown: dict[str, RepoRow] = {}
        self._footing: Footing | None = None
        self._looked_at = 0.0
        self.look_again_s = AGAIN_S
        self._not_before = 0.0
        self._unsubscribe = bus.subscribe(self._hear)

    async def close(self) -> None:
        self._unsubscribe()
        await self._tasks.close()

    def show(self, rows: Iterable[RepoRow], *, add: bool = False) -> None:
        """Fill in these rows, `BadgeChanged` each. Without `add` the work for earlier ones ends."""
        rows = tuple(rows)
        if not add:
            self._tasks.cancel()
            self._shown.clear()
        self._shown |= {row.repo_id: row for row in rows}
        if rows:
            self._tasks.start(self._fill(rows), "fit badges")

    async def look_closely(
        self, row: RepoRow, info: Json | None = None, *, engine_id: str | None = None
    ) -> tuple[RepoRow, RepoFacts]:
        """One row filled in, with the whole plan in its badge, and what it rests on.

        Raises:
            AppError: `hub.*`, `engine.unknown`.
        """
        ground = await self._grounds.now(engine_id)
        facts = await self.facts(row.repo_id, row.commit, info)
        settings = self._settings.current
        return await asyncio.to_thread(filled_row, row, facts, ground, settings, with_plan=True), facts

    async def facts(self, repo_id: str, commit: str, info: Json | None = None) -> RepoFacts:
        """From the disk, else from the Hub. Raises `AppError` `hub.*`."""
        if (known := await asyncio.to_thread(self._store.facts, repo_id, commit)) is not None:
            return known
        facts = await read_facts(await self._api(), repo_id, commit, info)
        await asyncio.to_thread(self._store.keep, facts)
        return facts

    async def engine(self, engine_id: str | None = None) -> EngineInfo | None:
        """The engine that the badges are for; None when none is installed. Raises `AppError` `engine.unknown`."""
        return await self._grounds.installed(engine_id)

    @staticmethod
    def unknown(row: RepoRow, error: AppError) -> RepoRow:
        return replace(row, badge=FitBadge(Fit.UNKNOWN, exact=False, reason=reason_of(error)))

    # ---- filling ---------------------------------------------------------------------------------------------------

    async def _fill(self, rows: tuple[RepoRow, ...]) -> None:
        """What is known first, all in one go; then the rest, some at once."""
        ground = await self._grounds.now()
        footing = footing_of(ground, self._settings.current)
        self._footing, self._looked_at = footing, time.monotonic()
        unknown: list[RepoRow] = []
        for row in rows:
            filled = await asyncio.to_thread(self._from_disk, row, ground, footing) if row.commit else None
            if filled is None:
                unknown.append(row)
            else:
                self._tell(filled)
        async with asyncio.TaskGroup() as group:
            for row in unknown:
                group.create_task(self._look(row, ground, footing))

    def _from_disk(self, row: RepoRow, ground: Ground, footing: Footing) -> RepoRow | None:
        """In a thread. None when the commit's facts are not here."""
        if (filled := self._store.row(row, footing)) is not None:
            return filled
        facts = self._store.facts(row.repo_id, row.commit)
        return None if facts is None else self._filled(row, facts, ground, footing)

    def _filled(self, row: RepoRow, facts: RepoFacts, ground: Ground, footing: Footing) -> RepoRow:
        """In a thread: the planner's answer, kept."""
        filled = filled_row(row, facts, ground, self._settings.current)
        self._store.keep(facts, filled, footing)
        return filled

    async def _look(self, row: RepoRow, ground: Ground, footing: Footing) -> None:
        async with self._gate:
            try:
                facts = await self._patiently(row)
            except AppError as error:
                log.info("no badge for %s: %s", row.repo_id, error)
                self._tell(self.unknown(row, error))
                return
            self._tell(await asyncio.to_thread(self._filled, row, facts, ground, footing))

    async def _patiently(self, row: RepoRow) -> RepoFacts:
        """Asked to wait, all rows wait; a second refusal is final."""
        for last in (False, True):
            await asyncio.sleep(max(0.0, self._not_before - time.monotonic()))
            try:
                return await read_facts(await self._api(), row.repo_id, row.commit)
            except AppError as error:
                wait_s = float(error.facts.get("seconds") or 1) if error.code == "hub.rate_limited" else None
                if wait_s is None or last or wait_s > LONGEST_WAIT_S:
                    raise
                self._not_before = time.monotonic() + wait_s
        raise AssertionError("the second refusal is raised")

    def _tell(self, row: RepoRow) -> None:
        if row.repo_id in self._shown:
            self._shown[row.repo_id] = row
        self._bus.emit(BadgeChanged(row))

    # ---- the computer changes --------------------------------------------------------------------------------------

    def _hear(self, event: Event) -> None:
        if not isinstance(event, MachineChanged) or self._footing is None or not self._shown:
            return
        now = time.monotonic()
        if now - self._looked_at < self.look_again_s:
            return
        self._looked_at = now
        self._tasks.start(self._again(), "fit badges of a changed computer")

    async def _again(self) -> None:
        ground = await self._grounds.now()
        footing = footing_of(ground, self._settings.current)
        if self._footing is not None and not self._footing.near(footing):
            done = tuple(row for row in self._shown.values() if row.badge is not None)
            self._footing = footing
            await self._fill(done)


def reason_of(error: AppError) -> str:
    """A word of the group [fit_reason] for why nothing could be read."""
    if error.code in ("hub.offline", "hub.rate_limited"):
        return error.code.removeprefix("hub.")
    return "gated" if error.code.startswith("hub.gated") else "unreachable"
