"""The plan against real launches on the CPU: what the server's own log says of weights and KV cache, and what was said
before it started. The starter's is among the tests of the chat, which have it running."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from core.engine.command import LaunchRequest
from core.engine.supervisor import Supervisor
from core.events import EngineInfo, EventBus
from core.paths import Paths
from tests.support import engine_cache
from tests.support.plan_log import CONTEXT, assert_as_planned

pytestmark = [pytest.mark.timeout(240), pytest.mark.patient]


def log_of_a_start(home: Paths, engine: EngineInfo, model: Path) -> str:
    """What a server says until it is ready; it is stopped then."""
    home.ensure()

    async def main() -> str:
        supervisor = Supervisor(home, EventBus())
        try:
            await supervisor.start(LaunchRequest("model", str(model), engine, max_model_len=CONTEXT))
            return "\n".join(supervisor.log_tail())
        finally:
            await supervisor.close()

    return asyncio.run(main())


@pytest.mark.parametrize("name", ["qwen3", "gemma3", "gemma3n"])
def test_weights_and_kv_tokens_are_what_the_server_says(
    home: Paths, real_engine: EngineInfo, starter_path: Path, name: str
) -> None:
    with engine_cache.checkpoint(real_engine, starter_path, name) as model:
        assert_as_planned(real_engine, model, log_of_a_start(home, real_engine, model))
