"""The small files of the plugin for per-layer tables, read while its server runs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from core.engine.ple_proof import Counted, read_counters

# The plugin writes at once when it was still, else within a second (`core/ple/stowage_ple/counters.py`).
WRITTEN_S: Final = 1.2
SETTLED_S: Final = 3.0
_PAUSE_S: Final = 0.1


class TableCounters:
    """What was looked up since the first look at a server: what came before that was its own warm-up.

    Args:
        folder: of the present server, None without one.
    """

    def __init__(self, folder: Callable[[], Path | None]) -> None:
        self._folder = folder
        self._base: Counted | None = None

    def begin(self) -> None:
        """Another server."""
        self._base = None

    async def now(self) -> Counted | None:
        """None where the plugin keeps no table in this server."""
        folder = self._folder()
        if folder is None:
            return None
        total = await asyncio.to_thread(read_counters, folder)
        if self._base is None:
            self._base = total
        return total.since(self._base) if total.lookups else None

    async def whole(self) -> Counted | None:
        """With all that was looked up until now: some of it may not be written yet."""
        if await self.now() is not None:
            await asyncio.sleep(WRITTEN_S)
        return await self.now()

    async def after(self, before: Counted | None) -> Counted | None:
        """When they have moved since `before`, or after some seconds as they are."""
        begin = before.lookups if before is not None else 0
        until = time.monotonic() + SETTLED_S
        while True:
            found = await self.now()
            if (found is not None and found.lookups > begin) or time.monotonic() > until:
                return found
            await asyncio.sleep(_PAUSE_S)
