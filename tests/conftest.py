"""Fixtures for all tests. What needs the real engine is marked `engine` by itself and runs last."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from core.events import EngineInfo
from core.paths import ENGINES_ENV, HOME_ENV, Paths
from tests.support import survivors

SURVIVORS_DEADLINE_S = 10.0
# How long an example takes says how busy the machine is, not whether the code is right.
settings.register_profile("busy machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy machine")
_REAL = {"real_engine", "older_engine", "real_models", "starter_path"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if _REAL & set(getattr(item, "fixturenames", ())):
            item.add_marker("engine")
        if item.get_closest_marker("engine") is not None:
            _time_without_fixtures(item)
    items.sort(key=lambda item: item.get_closest_marker("engine") is not None)


def _time_without_fixtures(item: pytest.Item) -> None:
    """Making the engine may take half an hour on a new machine; it has deadlines of its own."""
    own = item.get_closest_marker("timeout")
    limit = float(own.args[0]) if own is not None and own.args else float(item.config.getini("timeout"))
    item.add_marker(pytest.mark.timeout(limit, func_only=True), append=False)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paths:
    """A user without any file yet, who speaks English."""
    monkeypatch.setenv(HOME_ENV, str(tmp_path / "home"))
    monkeypatch.delenv(ENGINES_ENV, raising=False)
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "huggingface"))
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_TOKEN", "HF_ENDPOINT", "HF_HUB_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    return Paths.of_user()


@pytest.fixture(autouse=True)
def no_survivors(tmp_path: Path) -> Iterator[None]:
    """Fails a test that leaves a process behind. What wider fixtures started before the test may stay."""
    before = survivors.descendants()
    yield
    left = survivors.wait_until_gone(tmp_path, before, SURVIVORS_DEADLINE_S)
    if left:
        survivors.end(tmp_path, before)
        pytest.fail("processes were left behind:\n" + "\n".join(left))


@pytest.fixture(scope="session")
def cache_paths(tmp_path_factory: pytest.TempPathFactory) -> Paths:
    """Folders for making the engine and the starter: nothing of the user's own."""
    root = tmp_path_factory.mktemp("cache-user")
    paths = replace(
        Paths.of_user(), config=root / "config", data=root / "data", cache=root / "cache", state=root / "state"
    )
    paths.ensure()
    return paths


@pytest.fixture(scope="session")
def real_engine(cache_paths: Paths) -> Iterator[EngineInfo]:
    """A real vLLM on the CPU, installed by the product, verified just before."""
    from tests.support import engine_cache

    with engine_cache.engine(cache_paths) as info:
        yield info


@pytest.fixture(scope="session")
def older_engine(cache_paths: Paths) -> Iterator[EngineInfo]:
    """Another real vLLM, of the release before."""
    from core.engine.recipe_names import find
    from core.engine.recipes import RECIPES
    from tests.support import engine_cache

    with engine_cache.engine(cache_paths, find("cpu==0.31.0", RECIPES)) as info:
        yield info


@pytest.fixture(scope="session")
def starter_path(cache_paths: Paths, real_engine: EngineInfo) -> Iterator[Path]:
    """The starter's checkpoint folder."""
    from tests.support import engine_cache

    with engine_cache.starter(cache_paths, real_engine) as model:
        assert model.path is not None
        yield Path(model.path)


@pytest.fixture(scope="session")
def real_models(starter_path: Path) -> Path:
    """A models folder (`Paths.models`) that holds the starter."""
    return starter_path.parent


@pytest.fixture(scope="session")
def gemma4_path(real_engine: EngineInfo, starter_path: Path) -> Iterator[Path]:
    """A small random Gemma 4 with a per-layer table."""
    from tests.support import engine_cache

    with engine_cache.checkpoint(real_engine, starter_path, "gemma4") as model:
        yield model


@pytest.fixture
def user_with_engine(home: Paths, real_engine: EngineInfo, real_models: Path, monkeypatch: pytest.MonkeyPatch) -> Paths:
    """A user who has the engine and the starter already; every other folder is new."""
    monkeypatch.setenv(ENGINES_ENV, str(Path(real_engine.python).parents[2]))
    home.data.mkdir(parents=True)
    home.models.symlink_to(real_models)
    return Paths.of_user()
