"""Two real vLLM builds side by side: an update with its trial, a trial that fails, the way back, removal."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from pathlib import Path

import pytest

from core.engine.environments import Environments
from core.engines import Engines, Helpers
from core.errors import AppError
from core.events import EngineInfo, EngineState, EventBus, ModelInfo
from core.jobs import Jobs
from core.paths import Paths
from core.settings import SettingsStore
from tests.support import engine_cache

# The worker of the CPU build: imports do not touch it, every server starts it.
SABOTAGED = "vllm/v1/worker/cpu_worker.py"


@pytest.mark.timeout(600)
def test_an_update_passes_its_trial_and_a_broken_build_does_not(
    home: Paths, real_engine: EngineInfo, older_engine: EngineInfo, starter_path: Path
) -> None:
    async def starter(_engine: EngineInfo) -> ModelInfo:
        return ModelInfo("starter", "starter", str(starter_path), 1)

    async def none(_engine: EngineInfo) -> None:
        return None

    home.ensure()
    with engine_cache.clones(real_engine, older_engine) as folder:
        paths = replace(home, engines=folder)
        settings, bus = SettingsStore(paths.settings_file), EventBus()
        environments = Environments(paths, settings, bus)
        engines = Engines(paths, bus, environments, Jobs(), Helpers(starter, none, lambda: None))
        old, new = older_engine.id, real_engine.id

        async def walk() -> None:
            assert {engine.id: engine.version for engine in await environments.list()} == {old: "0.31.0", new: "0.32.0"}
            await environments.select(old)
            updated = await engines.update(None, "0.32.0")
            assert updated.canary is not None
            assert updated.canary.passed
            assert updated.canary.rate is not None
            assert updated.canary.before_rate is not None
            print(f"\ntrial: {updated.canary.rate:.1f} tokens/s, before {updated.canary.before_rate:.1f}")
            assert (await environments.default()).id == new

            began = time.monotonic()
            assert (await engines.roll_back()).id == old
            assert time.monotonic() - began < 1.0
            assert (await environments.default()).id == old

            worker = next((folder / new).glob(f"lib/python3*/site-packages/{SABOTAGED}"))
            worker.unlink()
            worker.write_text("raise RuntimeError('this build is broken')\n")
            with pytest.raises(AppError, match=r"engine\.canary_failed") as caught:
                await engines.update(None, "0.32.0")
            assert caught.value.facts["step"] == "canary_start"
            assert (await environments.default()).id == old
            broken = next(engine for engine in await environments.list() if engine.id == new)
            assert broken.canary is not None
            assert not broken.canary.passed

            assert await environments.remove(new) > 3_000_000_000
            (left,) = await environments.list()
            assert (left.id, (await environments.verify(old)).state) == (old, EngineState.READY)

        asyncio.run(walk())
