"""An app that fetches one model and does nothing else: `python -m tests.fakes.download_owner ENDPOINT REPO CACHE`.

Takes its folders from the environment as the product does. Prints one line per change: `<state> <done bytes>`; ends
when the download does.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from core.events import Event, EventBus
from core.hub.api import HubApi
from core.hub.connection import Connection
from core.hub.download.downloads import Downloads
from core.hub.events import DownloadsChanged
from core.hub.model import RepoRef
from core.paths import Paths
from core.settings import SettingsStore


def say(event: Event) -> None:
    if isinstance(event, DownloadsChanged):
        for info in event.downloads:
            print(info.state.value, info.done_bytes, info.waits_for, flush=True)


async def main(endpoint: str, repo_id: str, cache: str) -> None:
    paths, bus, api = Paths.of_user(), EventBus(), HubApi(Connection(endpoint))
    bus.subscribe(say)

    async def opened() -> HubApi:
        return api

    async def changed() -> None:
        print("changed", flush=True)

    downloads = Downloads(paths, SettingsStore(paths.settings_file), bus, opened, lambda: Path(cache), changed)
    await downloads.wait((await downloads.get(RepoRef(repo_id))).key)
    await downloads.close()
    await api.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
