"""Downloads on their own, against a loopback Hub: what the window and the command line drive."""

from __future__ import annotations

import asyncio
import hashlib
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final

from core.events import EventBus
from core.hub.api import HubApi
from core.hub.connection import Connection
from core.hub.download.downloads import Downloads
from core.hub.download.job import JobStore, Running
from core.hub.download.worker.order import Timing
from core.hub.events import DownloadsChanged
from core.hub.model import DownloadInfo, RepoRef
from core.paths import Paths
from core.settings import SettingsStore
from tests.fakes.fake_hub import FakeHub, made_up_model
from tests.support.hub import running_hub

ROOT: Final = Path(__file__).parents[2]
MIB: Final = 1 << 20
QUICK: Final = Timing(connect_s=5.0, stall_s=1.0, patience_s=10.0, back_off_s=0.1)


class Rig:
    """Downloads with one connection and one cache folder. `heard`: the newest event."""

    def __init__(
        self,
        hub: FakeHub,
        home: Paths,
        cache: Path,
        connection: dict[str, Any],
        settings: dict[str, Any],
        timing: Timing,
    ) -> None:
        self.hub, self.cache, self.home = hub, cache, home
        self.settings = SettingsStore(home.settings_file)
        if settings:
            self.settings.change(**settings)
        self.api = HubApi(Connection(endpoint=hub.url, **connection))
        self.history: list[tuple[DownloadInfo, ...]] = []
        self.bus = EventBus()
        self.bus.subscribe(self._hear)
        self.downloads = Downloads(home, self.settings, self.bus, self._open_api, lambda: cache, self._changed, timing)
        self.cache_changes = 0

    async def _open_api(self) -> HubApi:
        return self.api

    async def _changed(self) -> None:
        self.cache_changes += 1

    def _hear(self, event: object) -> None:
        if isinstance(event, DownloadsChanged):
            self.history.append(event.downloads)

    def ref(self, text: str) -> RepoRef:
        return RepoRef(text)

    async def get(self, repo_id: str, revision: str = "") -> DownloadInfo:
        """To the end, whatever it is."""
        info = await self.downloads.get(RepoRef(repo_id, revision))
        return info if info.state == "done" else await self.wait(info.key)

    async def wait(self, key: str, deadline_s: float = 30.0) -> DownloadInfo:
        async with asyncio.timeout(deadline_s):
            return await self.downloads.wait(key)

    async def until(self, condition: Callable[[DownloadInfo], bool], deadline_s: float = 20.0) -> DownloadInfo:
        """The first download, as soon as it is so."""
        end = time.monotonic() + deadline_s
        while not ((found := self.downloads.list()) and condition(found[0])):
            assert time.monotonic() < end, f"it did not come true: {found}"
            await asyncio.sleep(0.01)
        return found[0]

    @property
    def waits(self) -> set[str]:
        """Everything that any download has waited for."""
        return {info.waits_for for infos in self.history for info in infos} - {""}


@asynccontextmanager
async def downloading(
    hub: FakeHub,
    home: Paths,
    cache: Path,
    *,
    connection: dict[str, Any] | None = None,
    settings: dict[str, Any] | None = None,
    timing: Timing = QUICK,
) -> AsyncGenerator[Rig]:
    """Opened; closed at the end, as an app is."""
    rig = Rig(hub, home, cache, connection or {}, settings or {}, timing)
    await rig.downloads.open()
    try:
        yield rig
    finally:
        await rig.downloads.close()
        await rig.api.close()


@contextmanager
def slow_hub(rate: float = 40 * MIB, count: int = 1, size: int = 64 * MIB) -> Generator[FakeHub]:
    """With org/a in `count` files of `size` bytes in all, at `rate` bytes/s for each connection (0: no limit)."""
    with running_hub() as hub:
        hub.add("org/a", made_up_model(size, count))
        hub.rate = rate
        yield hub


@contextmanager
def app(hub: FakeHub, cache: Path) -> Generator[subprocess.Popen[str]]:
    """Another Stowage that gets org/a."""
    command = [sys.executable, "-m", "tests.fakes.download_owner", hub.url, "org/a", str(cache)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def read_until(process: subprocess.Popen[str], done_bytes: int) -> None:
    """Until that app has so many bytes."""
    assert process.stdout is not None
    while not (line := process.stdout.readline()).startswith("running") or int(line.split()[1]) < done_bytes:
        assert line, "it ended too early"


def parts(cache: Path) -> list[int]:
    """Sizes of the unfinished files."""
    return [path.stat().st_size for path in cache.glob("models--*/blobs/*.incomplete")]


def is_right(cache: Path, hub: FakeHub) -> bool:
    """Whether the weights of org/a are the server's, to the last bit."""
    data = next(cache.glob("models--org--a/snapshots/*/model.safetensors")).read_bytes()
    return hashlib.sha256(data).hexdigest() == hub.repos["org/a"].head.files["model.safetensors"].sha256


def worker_of(home: Paths) -> Running:
    """The worker of the only download."""
    [job] = JobStore(home.state / "downloads").all()
    assert job.worker is not None
    return job.worker
