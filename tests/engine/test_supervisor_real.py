"""The supervisor with the real engine: a start that is ended in a way that vLLM itself does not survive cleanly (the
other way is the end of `test_chat_real.py`), and one that fails."""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from core.engine.command import LaunchRequest
from core.engine.ledger import Entry
from core.engine.process_tree import Process, descendants
from core.engine.supervisor import Supervisor
from core.errors import AppError
from core.events import EngineInfo, EventBus, LogLines, Phase, ServerState, ServerStatus
from core.paths import Paths
from tests.support.real_server import alive
from tests.support.serving import until

pytestmark = [pytest.mark.timeout(280), pytest.mark.patient]

EAGER_PHASES = [Phase.ENVIRONMENT, Phase.LOAD, Phase.KV_CACHE, Phase.WARM_UP, Phase.READY]
NOTICED_S = 10.0


class Real:
    """A supervisor over the real engine, and what was heard from it."""

    def __init__(self, paths: Paths, engine: EngineInfo, model: Path) -> None:
        paths.ensure()
        self.paths = paths
        self.heard: list[ServerStatus] = []
        self.lines: list[str] = []
        bus = EventBus()
        bus.subscribe(lambda e: self.heard.append(e) if isinstance(e, ServerStatus) else None)
        bus.subscribe(lambda e: self.lines.extend(e.lines) if isinstance(e, LogLines) else None)
        self.supervisor = Supervisor(paths, bus)
        self.request = LaunchRequest("starter", str(model), engine, max_model_len=1024)

    @property
    def entry(self) -> Entry:
        (path,) = self.paths.launches.glob("*.json")
        return msgspec.json.decode(path.read_bytes(), type=Entry)

    def tree(self) -> list[Process]:
        return descendants(self.entry.guardian_pid)


@pytest.fixture
def real(home: Paths, real_engine: EngineInfo, starter_path: Path) -> Real:
    return Real(home, real_engine, starter_path)


def test_start_and_the_api_server_killed(real: Real) -> None:
    """SIGKILL of the API server leaves EngineCore and Worker for ever, were it not for the guardian."""

    async def scenario() -> None:
        supervisor = real.supervisor
        endpoint = await supervisor.start(real.request)
        status = supervisor.status
        assert [p.phase for p in status.phases] == EAGER_PHASES
        seen = [s.phase for s in real.heard if s.state is ServerState.STARTING]
        assert Phase.LOAD in seen  # shown while it lasted, not only afterwards
        assert status.phases[1].fraction == 1.0
        assert (status.max_model_len, status.engine) == (1024, real.request.engine.id)
        tree = real.tree()
        assert {"VLLM::EngineCor", "VLLM::Worker"} <= {p.name for p in tree}
        cmdlines = [Path(f"/proc/{p.pid}/cmdline").read_bytes() for p in tree]
        assert endpoint.api_key.encode() not in b"".join(cmdlines)

        os.kill(real.entry.server_pid, signal.SIGKILL)
        await until(lambda: supervisor.status.state is ServerState.FAILED, "failed", NOTICED_S)
        assert alive(tree) == []
        assert supervisor.status.error is not None
        assert supervisor.status.error.code == "server.killed"
        assert list(real.paths.launches.iterdir()) == []

    asyncio.run(scenario())
    assert not any('"GET /health HTTP/1.0" 200' in line for line in real.lines)


def test_a_context_that_the_model_does_not_have(real: Real) -> None:
    """The first cut of a diagnosis, on the real thing; vLLM says so before it loads anything."""

    async def scenario() -> AppError:
        with pytest.raises(AppError) as caught:
            await real.supervisor.start(replace(real.request, max_model_len=999_999))
        return caught.value

    error = asyncio.run(scenario())
    assert (error.code, error.facts) == ("engine.fail.context_too_long", {"context": 999_999, "limit": 8192})
    assert "User-specified max_model_len (999999) is greater" in error.detail
