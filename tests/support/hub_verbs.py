"""The Hub's verbs of a user whose computer is a recorded one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from core.events import EngineInfo, EngineState, Event, EventBus, MachineChanged
from core.hub.cache.service import Cache
from core.hub.details import Registry, unknown_registry
from core.hub.events import BadgeChanged
from core.hub.ground import Ground, Grounds
from core.hub.hub import Hub
from core.hub.model import RepoRow
from core.paths import Paths
from core.planner.options import Engine
from core.settings import Settings, SettingsStore
from tests.fakes.fake_hub import FakeHub
from tests.support import machines

CUDA = Engine((0, 33, 0), "cuda")
CUDA_ENGINE = EngineInfo("cuda-0.33.0", EngineState.READY, "0.33.0", "cuda", "/engines/cuda/bin/python", "3.12.0", True)


class FixedGrounds(Grounds):
    """A computer that is what the test says; `sample` may be changed while it runs."""

    def __init__(
        self, sample: MachineChanged | None = None, engine: EngineInfo | None = CUDA_ENGINE, build: Engine = CUDA
    ) -> None:
        self.sample = sample or machines.idle_desktop()
        self.engine = engine
        self.build = build

    async def now(self, engine_id: str | None = None) -> Ground:
        return Ground(self.sample.machine, self.build, self.engine)

    async def installed(self, engine_id: str | None = None) -> EngineInfo | None:
        return self.engine


@dataclass
class User:
    """`rows`: the newest state of every row that was told of, by id; `events` everything in order."""

    hub: Hub
    bus: EventBus
    settings: SettingsStore
    grounds: FixedGrounds
    events: list[Event] = field(default_factory=list[Event])
    heard: asyncio.Event = field(default_factory=asyncio.Event)

    def hear(self, event: Event) -> None:
        self.events.append(event)
        self.heard.set()

    @property
    def rows(self) -> dict[str, RepoRow]:
        return {event.row.repo_id: event.row for event in self.events if isinstance(event, BadgeChanged)}

    async def until(self, happened: Callable[[], bool], deadline_s: float = 20.0) -> None:
        """`happened` is looked at after every event."""
        async with asyncio.timeout(deadline_s):
            while not happened():
                self.heard.clear()
                await self.heard.wait()

    async def badges(self, *repo_ids: str) -> dict[str, RepoRow]:
        await self.until(lambda: set(repo_ids) <= set(self.rows))
        return self.rows


@asynccontextmanager
async def hub_user(
    paths: Paths, grounds: FixedGrounds | None = None, registry: Registry = unknown_registry, **settings: object
) -> AsyncGenerator[User]:
    """Args: `settings` of this user, as `Settings` has them."""
    store, bus = SettingsStore(paths.settings_file), EventBus()
    if settings:
        known: Settings = store.change(**settings)
        assert known
    grounds = grounds or FixedGrounds()
    hub = Hub(paths, store, bus, grounds, Cache(paths, store, bus), registry)
    user = User(hub, bus, store, grounds)
    bus.subscribe(user.hear)
    await hub.open()
    try:
        yield user
    finally:
        await hub.close()


async def asked(hub: FakeHub, deadline_s: float = 20.0) -> None:
    """Until the Hub has seen a request."""
    async with asyncio.timeout(deadline_s):
        while not hub.log.all():  # noqa: ASYNC110 (it is seen on another thread)
            await asyncio.sleep(0.005)
