"""Launches through the product's own services, and what is written of them. The servers are real processes."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from core.errors import AppError
from core.events import Notice, Phase, ServerState, ServerStatus
from core.ledger.record import KV_TOKENS, PROCESSES, SPEED, LaunchRecord, Outcome
from core.paths import Paths
from core.planning.choices import Choices
from core.services import Services
from tests.support.launching import Launching, asked, make_launching
from tests.support.serving import until

ROOT = Path(__file__).parents[2]
CALM = Choices(context=512, enforce_eager=True)
LONG = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"


@pytest.fixture
def launching(home: Paths, tmp_path: Path) -> Launching:
    return make_launching(home, tmp_path)


async def record_of_a_launch(services: Services, launching: Launching, *, ask: bool = False) -> LaunchRecord:
    await services.launch(str(launching.model), choices=CALM)
    if ask:
        await asked(services, LONG)
    await services.stop_server()
    return await newest(services)


async def newest(services: Services, *, kind: Outcome = Outcome.READY) -> LaunchRecord:
    """The newest record, once all of it is written."""
    records = await services.launches.history(1)
    for _ in range(500):
        if records and records[0].outcome is kind and (kind is not Outcome.READY or records[0].figure(PROCESSES)):
            break
        await asyncio.sleep(0.01)
        records = await services.launches.history(1)
    return records[0]


def test_a_launch_is_remembered_with_phases_and_figures(launching: Launching) -> None:
    launching.engine.behave(FAKE_TOKENS_PER_S="200")
    record = launching.run(lambda services: record_of_a_launch(services, launching, ask=True))
    assert record.outcome is Outcome.READY
    assert record.model == str(launching.model)
    assert record.choices["context"] == 512
    assert "--max-model-len 512 --enforce-eager" in record.command
    assert record.identity.architecture == "LlamaForCausalLM"
    assert record.machine
    assert record.ready_s is not None
    assert set(record.phases) == {"environment", "load", "kv_cache", "warm_up"}  # eager: no compile
    assert sum(record.phases.values()) == pytest.approx(record.ready_s, abs=0.2)
    tokens, kv = record.figure(KV_TOKENS), record.figure("ram.kv_cache")
    assert tokens is not None
    assert tokens.actual == 46592  # what the fake says
    assert kv is not None
    assert kv.predicted == kv.actual == 1 << 30
    speed = record.figure(SPEED)
    assert speed is not None
    assert speed.actual is not None
    assert speed.actual > 0


def test_the_second_launch_knows_how_long_the_first_one_took(launching: Launching) -> None:
    launching.engine.behave("--step", "0.2")
    launching.run(lambda services: record_of_a_launch(services, launching))
    first = [event for event in launching.heard if isinstance(event, ServerStatus)]
    assert all(event.expected == () for event in first)
    launching.heard.clear()
    launching.run(lambda services: record_of_a_launch(services, launching))
    starting = [e for e in launching.heard if isinstance(e, ServerStatus) and e.state is ServerState.STARTING]
    expected = dict(starting[0].expected)
    assert set(expected) == {Phase.ENVIRONMENT, Phase.LOAD, Phase.KV_CACHE, Phase.WARM_UP}
    assert all(0.1 < seconds < 5 for seconds in expected.values())


def test_failures_deaths_and_cancels_are_told_apart(launching: Launching) -> None:
    async def work(services: Services) -> list[LaunchRecord]:
        launching.engine.behave("--die-in", "load")
        with pytest.raises(AppError):
            await services.launch(str(launching.model), choices=CALM)
        launching.engine.behave("--die-after", "0.3")
        await services.launch(str(launching.model), choices=CALM)
        await until(lambda: services.server_status.state is ServerState.FAILED, "the server died")
        launching.engine.behave("--hang-in", "load")
        launch = asyncio.create_task(services.launch(str(launching.model), choices=CALM))
        await until(lambda: services.server_status.phase is Phase.LOAD, "it loads")
        await services.cancel_launch()
        with pytest.raises(AppError):
            await launch
        await newest(services, kind=Outcome.CANCELLED)
        return await services.launches.history()

    cancelled, died, failed = launching.run(work)
    assert [record.outcome for record in (cancelled, died, failed)] == [
        Outcome.CANCELLED, Outcome.DIED, Outcome.FAILED,
    ]  # fmt: skip
    assert failed.error is not None
    assert any("the fake cause" in line for line in failed.error.last_words)
    assert failed.ready_s is None
    assert died.error is not None
    assert died.ready_s is not None
    shown = subprocess.run(
        [sys.executable, str(ROOT / "stowage_start.py"), "history", "--errors", "--json"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    launches = json.loads(shown.stdout)["launches"]
    assert [launch["outcome"] for launch in launches] == ["died", "failed"]
    assert launches[1]["error"]["code"] == failed.error.code
    told = subprocess.run(
        [sys.executable, str(ROOT / "stowage_start.py"), "history"], capture_output=True, text=True, check=True
    )
    assert "cancelled" in told.stdout
    assert "the fake cause" in told.stdout or "did not start" in told.stdout.lower()


def test_a_failure_after_a_good_launch_names_what_changed(launching: Launching) -> None:
    async def good(services: Services) -> None:
        model = await services.add_model_folder(str(launching.model))
        await services.launch(model.id, choices=Choices(context=512, enforce_eager=True))
        await newest(services)
        assert await services.launches.since_good(model.id) is None

    launching.run(good)
    launching.engine.behave("--die-in", "load")
    command = [
        sys.executable,
        str(ROOT / "stowage_start.py"),
        "ask",
        str(launching.model),
        "hello",
        "--context",
        "1024",
    ]
    failed = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert failed.returncode == 1
    assert "Unlike the last launch that worked: context is 1024, it was 512." in failed.stderr
    assert failed.stderr.count("Unlike") == 1


def test_a_damaged_ledger_is_told_and_launches_go_on(launching: Launching) -> None:
    launching.paths.state.mkdir(parents=True)
    launching.paths.launch_history.write_bytes(b"no database" * 1000)
    record = launching.run(lambda services: record_of_a_launch(services, launching))
    assert record.outcome is Outcome.READY
    notices = [event.error.code for event in launching.heard if isinstance(event, Notice)]
    assert notices == ["ledger.corrupt"]


def test_a_fixed_key_and_sharing_reach_the_server(launching: Launching) -> None:
    async def work(services: Services) -> tuple[str, str]:
        """The key, and the address that the server's process listens on."""
        endpoint = await services.launch(str(launching.model), choices=CALM)
        port = services.server_status.port
        listening = [c for c in psutil.net_connections("tcp") if c.status == psutil.CONN_LISTEN]
        return endpoint.api_key, next(c.laddr.ip for c in listening if c.laddr and c.laddr.port == port)

    assert launching.run(work, api_key="my-own-key-123", share=True) == ("my-own-key-123", "0.0.0.0")
    key, address = launching.run(work, api_key="", share=False)
    assert key not in ("", "my-own-key-123")
    assert address == "127.0.0.1"
    records = launching.run(lambda services: services.launches.history())
    assert all("my-own-key-123" not in record.command for record in records)
