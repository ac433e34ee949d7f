"""The starter made from nothing by the real engine."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from core.engine import starter_manifest
from core.events import EngineInfo, Event, EventBus, ModelInfo, Progress
from core.models import STARTER, Models
from core.paths import Paths
from core.settings import SettingsStore
from tests.support.fake_chat_server import until


@pytest.mark.timeout(280)
@pytest.mark.patient
def test_cancelled_while_converting_then_made_whole(home: Paths, real_engine: EngineInfo) -> None:
    home.ensure()
    events: list[Event] = []
    bus = EventBus()
    bus.subscribe(events.append)
    models = Models(home, SettingsStore(home.settings_file), bus)

    async def reads() -> bool:
        return any(isinstance(event, Progress) and event.note == "read" for event in events)

    async def make() -> ModelInfo:
        return await models.prepare(await models.resolve(STARTER), real_engine)

    async def cancel() -> None:
        making = asyncio.create_task(make())
        await until(reads, 120.0)
        making.cancel()
        with pytest.raises(asyncio.CancelledError):
            await making

    asyncio.run(cancel())
    assert [path.name for path in home.models.iterdir()] == [".starter.lock"]

    made = asyncio.run(make())
    assert (made.architecture, made.context_tokens) == ("LlamaForCausalLM", 8192)
    assert made.path is not None
    assert starter_manifest.is_whole(Path(made.path))
    downloads = [event for event in events if isinstance(event, Progress) and event.step == "download"]
    assert max(event.total_bytes for event in downloads) == 92_871_040
