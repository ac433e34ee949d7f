"""The verbs of the Hub: search, look closely, sign in; get, keep and remove models. Reached as `services.hub`."""

from __future__ import annotations

import logging
from pathlib import Path

from core.events import AccountChanged, EventBus
from core.hub import account
from core.hub.api import HubApi
from core.hub.cache.service import Cache
from core.hub.connection import Connection, cache_folder, read_connection
from core.hub.ground import Grounds
from core.hub.model import Account
from core.jobs import Jobs
from core.paths import Paths
from core.settings import SettingsStore

log = logging.getLogger(__name__)


class Hub:
    """Owner of everything that talks to the Hub or lies in its cache. Lives on the loop's thread.

    `open` before the first verb, `close` at the end. What lies on this computer has verbs of its own in `cache`.
    """

    def __init__(self, paths: Paths, settings: SettingsStore, bus: EventBus, grounds: Grounds, cache: Cache) -> None:
        self._paths = paths
        self._settings = settings
        self._bus = bus
        self._grounds = grounds
        self.cache = cache
        self._jobs = Jobs()
        self._api: HubApi | None = None

    async def open(self) -> None:
        """Say what there is. Asks the Hub nothing."""
        self._bus.emit(AccountChanged(account.known_account()))

    async def close(self) -> None:
        await self._jobs.close()
        await self.cache.close()
        await self._drop_api()

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
