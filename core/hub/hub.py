"""The verbs of the Hub: search, look closely, sign in; get, keep and remove models. Reached as `services.hub`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from core.errors import AppError
from core.events import EventBus
from core.hub import account
from core.hub.answers import Answers
from core.hub.api import HubApi
from core.hub.badge_store import BadgeStore
from core.hub.badges import Badges
from core.hub.cache.service import Cache
from core.hub.connection import Connection, read_connection, ssl_context
from core.hub.consents import Consents
from core.hub.details import Details, Registry, unknown_registry
from core.hub.download.downloads import Downloads
from core.hub.events import AccountChanged
from core.hub.ground import Grounds
from core.hub.kept import Kept
from core.hub.model import Account, DownloadInfo, RepoDetails, RepoRef, SearchPage, SearchQuery
from core.hub.places import cache_folder
from core.hub.presence import Presence
from core.hub.search import Search
from core.hub.wishes import check_wishes
from core.jobs import Jobs
from core.paths import Paths
from core.runtime import Tasks
from core.settings import SettingsStore

log = logging.getLogger(__name__)

SEARCH_JOB: Final = "hub:search"
KEPT_ANSWERS: Final = 500
KEPT_BADGES: Final = 3000


class Hub:
    """Owner of everything that talks to the Hub or lies in its cache. Lives on the loop's thread.

    `open` before the first verb, `close` at the end. What lies on this computer has verbs of its own in `cache`.
    """

    def __init__(
        self,
        paths: Paths,
        settings: SettingsStore,
        bus: EventBus,
        grounds: Grounds,
        cache: Cache,
        registry: Registry = unknown_registry,
    ) -> None:
        self._paths = paths
        self._settings = settings
        self._bus = bus
        self._grounds = grounds
        self.cache = cache
        self._jobs = Jobs()
        self._tasks = Tasks()
        self._api: HubApi | None = None
        self.downloads = Downloads(paths, settings, bus, self.api, lambda: self.cache_folder, self._look_at_cache)
        cache.add_user(self.downloads.in_use)
        cache.add_listener(self.downloads.recount)
        self._presence = Presence(bus)
        self._consents = Consents(paths.data)
        store = BadgeStore(Kept(paths.cache / "hub" / "badges", KEPT_BADGES))
        answers = Answers(Kept(paths.cache / "hub" / "answers", KEPT_ANSWERS))
        self.badges = Badges(bus, store, grounds, settings, self.api)
        self._search = Search(answers, self.api)
        self._details = Details(answers, self.api, self.badges, self._consents, self._presence, registry)

    async def open(self) -> None:
        """Say what there is; go on with downloads that an earlier run left."""
        self._bus.emit(AccountChanged(account.known_account()))
        self._tasks.start(self._warm_up(), "certificates")
        await self.downloads.open()

    async def close(self) -> None:
        await self.downloads.close()
        await self._tasks.close()
        await self._jobs.close()
        await self.badges.close()
        self._presence.close()
        await self.cache.close()
        await self._drop_api()

    # ---- looking ---------------------------------------------------------------------------------------------------

    async def search(self, query: SearchQuery, cursor: str = "") -> SearchPage:
        """A page of rows; their sizes and badges follow as `BadgeChanged`. A new search ends the one before.

        Raises:
            AppError: `hub.superseded` when a newer search came, else `hub.*` when the Hub cannot be asked and no
                older answer is kept.
        """
        await self._jobs.cancel(SEARCH_JOB)
        superseded = AppError("hub.superseded")
        page = await self._jobs.run(SEARCH_JOB, self._search.page(query, cursor), busy=superseded, cancelled=superseded)
        rows = tuple(self._presence.mark(row) for row in page.rows)
        self.badges.show(rows, add=bool(cursor))
        return replace(page, rows=rows)

    async def details(self, ref: RepoRef, engine_id: str | None = None) -> RepoDetails:
        """One model at one revision, for the engine that a launch would take or for another one.

        Raises:
            AppError: `hub.*` when the Hub cannot be asked and nothing is kept of it; `engine.unknown`.
        """
        return await self._details.of(ref, engine_id)

    async def allow_code(self, repo_id: str, commit: str, allowed: bool) -> None:
        """Whether the Python files of this commit may run when it is loaded. Never so before a person said it.

        Raises:
            AppError: `settings.not_saved`, `hub.bad_reference` when `commit` is a branch or a tag.
        """
        await asyncio.to_thread(self._consents.change, repo_id, commit, allowed=allowed)

    async def launch_arguments(self, path: str) -> tuple[str, ...]:
        """What the launch of a model at `path` needs besides its plan: consent to its own code, where it was given."""
        return await asyncio.to_thread(self._consents.arguments, path)

    # ---- getting ---------------------------------------------------------------------------------------------------

    async def get(self, ref: RepoRef, *, launch_after: bool = False) -> DownloadInfo:
        """As `Downloads.get`."""
        return await self.downloads.get(ref, launch_after=launch_after)

    async def wait(self, key: str) -> DownloadInfo:
        """As `Downloads.wait`."""
        return await self.downloads.wait(key)

    async def pause(self, key: str) -> None:
        """As `Downloads.pause`; `key` is a `DownloadInfo.key`."""
        await self.downloads.pause(key)

    async def resume(self, key: str) -> None:
        """As `Downloads.resume`."""
        await self.downloads.resume(key)

    async def cancel(self, key: str) -> None:
        """As `Downloads.cancel`."""
        await self.downloads.cancel(key)

    async def _look_at_cache(self) -> None:
        """A download changed it."""
        try:
            await self.cache.look()
        except AppError as error:
            log.warning("the cache cannot be looked at: %s", error)

    # ---- the connection --------------------------------------------------------------------------------------------

    @property
    def connection(self) -> Connection:
        """As settings and environment say now. Raises `AppError` `hub.bad_endpoint`."""
        return read_connection(self._settings.current)

    @property
    def cache_folder(self) -> Path:
        return cache_folder(self._settings.current)

    async def api(self) -> HubApi:
        """The client of the present connection; a changed setting or token makes a new one."""
        connection = self.connection
        if self._api is None or self._api.connection != connection:
            await self._drop_api()
            self._api = HubApi(connection)
        return self._api

    async def check_wishes(self, values: Mapping[str, Any]) -> None:
        """Before settings are changed. Raises `AppError` as `wishes.check_wishes`."""
        await asyncio.to_thread(check_wishes, values)

    async def wishes_changed(self, values: Mapping[str, Any]) -> None:
        """Settings were changed: another cache folder holds other models."""
        if "hub_cache" in values:
            await self._look_at_cache()

    async def _warm_up(self) -> None:
        """Reading the system's certificates takes long enough to be felt in a first search."""
        try:
            await asyncio.to_thread(ssl_context, self.connection.ca_bundle)
        except AppError as error:
            log.info("certificates: %s", error)  # told by the first verb that needs them

    async def _drop_api(self) -> None:
        old, self._api = self._api, None
        if old is not None:
            await old.close()

    # ---- the account -----------------------------------------------------------------------------------------------

    async def account(self) -> Account:
        """Who the Hub takes us for, checked with it; everyone hears it too. Its failure is in `Account.problem`.

        Raises:
            AppError: `hub.bad_endpoint`.
        """
        return self._tell(await account.check_account(await self.api()))

    async def sign_in(self, token: str) -> Account:
        """Check a pasted token and keep it where every Hugging Face tool looks.

        Raises:
            AppError: `hub.no_token`, `hub.token_from_env`, `hub.bad_token`, `hub.token_not_saved`, or why the Hub could
                not be asked.
        """
        return self._tell(await account.sign_in(token, self.connection))

    async def sign_out(self) -> Account:
        """Raises: AppError: `hub.token_from_env`, `hub.token_not_saved`."""
        account.sign_out()
        return self._tell(account.known_account())

    def _tell(self, found: Account) -> Account:
        self._bus.emit(AccountChanged(found))
        return found
