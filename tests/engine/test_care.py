"""After the click: facts and proof of a running server, fixes of one that failed, and the watch over its counters."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from core.care import Care
from core.computer import Computer, ComputerOptions
from core.engine.command import LaunchRequest
from core.engine.environments import Environments
from core.engine.finding import Verdict
from core.engine.launch_events import FactsChanged, FixesFound, LaunchFixed, ProofChanged, SleepChanged, VitalsChanged
from core.engine.options import LaunchOptions
from core.engine.sleep import is_asleep
from core.engine.supervisor import Supervisor
from core.engine.vitals import STUCK_S
from core.engine.watch import Rhythm
from core.errors import AppError
from core.events import LogLines, ServerState
from core.jobs import Jobs
from core.ledger.record import LaunchRecord
from core.machine.monitor import Pace
from core.machine.reader import Sources
from core.paths import Paths
from core.planning.choices import Choices
from core.services import Services
from core.settings import SettingsStore
from tests.support.launching import make_launching
from tests.support.serving import Serving, until

QUICK = Rhythm(seen_s=0.05, busy_s=0.05, idle_s=0.05, minute_s=0.2)


class Cared:
    """A supervisor with care around it, over the fake engine."""

    def __init__(self, serving: Serving, rhythm: Rhythm, minutes: int) -> None:
        self.serving = serving
        self.supervisor: Supervisor = serving.supervisor()
        self.settings = settings = SettingsStore(serving.paths.settings_file)
        settings.change(unload_after_idle_minutes=minutes)
        engines = Environments(serving.paths, settings, serving.bus)
        options = ComputerOptions(Sources.of_user(serving.paths), Pace(visible_s=5.0, hidden_s=5.0))
        self.computer = Computer(serving.paths, serving.bus, self.supervisor, engines, options)
        self.jobs = Jobs()
        self.care = Care(serving.bus, self.supervisor, self.computer, settings, self.jobs, rhythm=rhythm)

    def request(self, *switches: str, eager: bool = True) -> LaunchRequest:
        return replace(self.serving.request(*switches, enforce_eager=eager), max_model_len=2048)

    @property
    def proof(self) -> ProofChanged | None:
        told = [event for event in self.serving.heard if isinstance(event, ProofChanged) and event.complete]
        return told[-1] if told else None

    @property
    def vitals(self) -> list[VitalsChanged]:
        return [event for event in self.serving.heard if isinstance(event, VitalsChanged)]


@asynccontextmanager
async def cared(serving: Serving, rhythm: Rhythm = QUICK, minutes: int = 0) -> AsyncIterator[Cared]:
    it = Cared(serving, rhythm, minutes)
    try:
        yield it
    finally:
        await it.jobs.close()
        await it.supervisor.close()
        await it.care.close()
        await it.computer.close()


@pytest.mark.parametrize(
    ("switch", "verdict", "reason"), [((), Verdict.TOOK_EFFECT, ""), (("--no-hits",), Verdict.NO_EFFECT, "no_hit")]
)
def test_a_prompt_put_twice_shows_whether_the_cache_works(
    serving: Serving, switch: tuple[str, ...], verdict: Verdict, reason: str
) -> None:
    async def work() -> None:
        async with cared(serving) as it:
            await it.supervisor.start(it.request("--counters", "--enable-prefix-caching", *switch))
            await until(lambda: it.proof is not None, "a complete proof")
            found = {finding.option: finding for finding in it.care.findings}
            assert (found["prefix_caching"].verdict, found["prefix_caching"].reason) == (verdict, reason)
            assert it.care.facts.kv_tokens == 46_592
            assert it.care.facts.ram_bytes
            first = next(event for event in serving.heard if isinstance(event, ProofChanged))
            assert not first.complete  # what the log tells is said at once
            assert any(isinstance(event, FactsChanged) for event in serving.heard)

    asyncio.run(work())


def test_nobody_asks_the_server_when_the_log_tells_all(serving: Serving) -> None:
    async def work() -> None:
        async with cared(serving) as it:
            await it.supervisor.start(it.request("--counters"))
            await until(lambda: it.proof is not None, "a complete proof")
            assert {finding.option for finding in it.care.findings} == {"served_name", "context", "eager"}

    asyncio.run(work())
    assert not any("/v1/completions" in line for line in serving.lines)


def test_a_cause_that_can_be_mended_is_mended_without_a_word_from_the_person(serving: Serving) -> None:
    async def work() -> None:
        async with cared(serving) as it:
            message = "Failed to find C compiler. Please specify via CC environment variable"
            await it.supervisor.start(it.request("--fail-unless-eager", message, eager=False))
            assert it.supervisor.request is not None
            assert it.supervisor.request.enforce_eager
            (fixed,) = [event for event in serving.heard if isinstance(event, LaunchFixed)]
            assert (fixed.error.code, fixed.fix.kind) == ("engine.fail.no_compiler", "eager")
            assert message in fixed.error.detail

    asyncio.run(work())
    assert serving.states[:2] == [ServerState.STARTING, ServerState.READY]  # never seen as failed
    assert serving.left() == []


def test_a_fix_that_does_not_help_is_tried_once(serving: Serving) -> None:
    async def work() -> None:
        async with cared(serving) as it:
            failing = ("--say", "RuntimeError: Could not find nvcc and default cuda_home", "--die-in", "load")
            with pytest.raises(AppError) as caught:
                await it.supervisor.start(it.request(*failing))
            assert caught.value.code == "engine.fail.no_nvcc"
            assert len([event for event in serving.heard if isinstance(event, LaunchFixed)]) == 1

    asyncio.run(work())


def test_the_button_makes_the_fix_and_launches(serving: Serving) -> None:
    async def work() -> None:
        async with cared(serving) as it:
            with pytest.raises(AppError) as caught:
                await it.supervisor.start(it.request("--swap-space", "4"))
            assert caught.value.code == "engine.fail.unknown_flag"
            assert [fix.kind for fix in it.care.fixes] == ["drop_flag"]
            assert [event.fixes for event in serving.heard if isinstance(event, FixesFound)] == [it.care.fixes]
            with pytest.raises(AppError) as no_such:
                await it.care.relaunch("context")
            assert no_such.value.code == "server.not_running"
            endpoint = await it.care.relaunch("drop_flag")
            assert endpoint.model == "fake-model"
            assert it.care.fixes == ()
            assert it.supervisor.status.state is ServerState.READY

    asyncio.run(work())
    assert serving.left() == []


def test_the_report_holds_all_and_no_secret(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_" + "a1B2c3D4" * 4)

    async def work() -> tuple[str, str]:
        async with cared(serving) as it:
            with pytest.raises(AppError):
                await it.supervisor.start(it.request("--swap-space", "4", "--say", "token hf_" + "a1B2c3D4" * 4))
            first = await it.care.report()
            it.settings.change(language="ru")
            return first, await it.care.report()

    report, russian = asyncio.run(work())
    for part in ("## Команда", "## Итог", "## Журнал", "Этот vLLM", "unrecognized arguments"):
        assert part in russian
    assert "## Log" not in russian
    for part in (
        "## Command",
        "--swap-space 4",
        "engine.fail.unknown_flag",
        "unrecognized arguments",
        "## Computer",
        "## Log",
    ):
        assert part in report
    assert "a1B2c3D4" not in report
    assert str(Path.home()) + "/" not in report


def test_the_counters_are_read_only_while_somebody_looks_or_requests_run(serving: Serving) -> None:
    async def work() -> None:
        async with cared(serving) as it:
            await it.supervisor.start(it.request("--counters"))
            await until(lambda: it.proof is not None, "a complete proof")
            with pytest.raises(AssertionError):  # six times the rhythm of a look
                await until(lambda: it.vitals != [], "nobody looks", 0.3)
            await it.care.show_vitals(True)
            await until(lambda: it.vitals != [], "vitals while somebody looks")
            assert it.vitals[-1].vitals.kv_used == 0.25
            await it.care.show_vitals(False)

    asyncio.run(work())


def test_vllms_own_line_of_running_requests_wakes_the_watch(serving: Serving) -> None:
    async def work() -> None:
        async with cared(serving) as it:
            await it.supervisor.start(it.request("--counters", "--always-running", "2"))
            await until(lambda: it.proof is not None, "a complete proof")
            assert it.vitals == []
            line = "Engine 000: Avg prompt throughput: 1.0 tokens/s, Running: 2 reqs, Waiting: 0 reqs"
            serving.bus.emit(LogLines(it.supervisor.status.launch_id, (line,)))
            await until(lambda: it.vitals != [], "vitals while requests run")
            assert it.vitals[-1].vitals.running == 2

    asyncio.run(work())


def test_a_server_without_work_is_unloaded_after_the_time_that_was_chosen(serving: Serving) -> None:
    async def work() -> None:
        async with cared(serving, minutes=1) as it:
            await it.supervisor.start(it.request("--counters"))
            await until(lambda: it.supervisor.status.state is ServerState.IDLE, "unloaded")

    asyncio.run(work())
    assert serving.left() == []


def test_a_server_at_work_is_not_unloaded(serving: Serving) -> None:
    async def work() -> None:
        async with cared(serving, minutes=1) as it:
            await it.supervisor.start(it.request("--counters", "--always-running", "1"))
            await until(lambda: bool(it.vitals) and it.vitals[-1].vitals.still_s > 0.4, "a second look")
            assert it.supervisor.status.state is ServerState.READY
            assert STUCK_S > 0.4

    asyncio.run(work())


def test_a_server_sleeps_and_wakes_where_its_build_can(serving: Serving) -> None:
    serving.engine = replace(serving.engine, platform="cuda")

    async def work() -> None:
        async with cared(serving) as it:
            with pytest.raises(AppError) as without:
                await it.care.sleep()
            assert without.value.code == "server.not_running"
            assert it.care.prepared(it.request()) == it.request()  # nobody wished it
            it.settings.change(sleep_mode=True)
            endpoint = await it.supervisor.start(it.care.prepared(it.request()))
            await it.care.sleep()
            assert await is_asleep(endpoint)
            await it.care.wake()
            assert not await is_asleep(endpoint)
            await it.care.sleep()
            await it.care.rouse()
            assert not await is_asleep(endpoint), "a question wakes it"
            told = [event.asleep for event in serving.heard if isinstance(event, SleepChanged)]
            assert told == [True, False, True, False]
            await it.care.rouse()
            assert len([event for event in serving.heard if isinstance(event, SleepChanged)]) == 4

    asyncio.run(work())


def test_who_cannot_sleep_says_so(serving: Serving) -> None:
    async def work() -> None:
        async with cared(serving) as it:
            it.settings.change(sleep_mode=True)
            request = it.care.prepared(it.request())
            assert request == it.request()  # a CPU build would answer 200 and do nothing
            shared = replace(it.request(), engine=replace(serving.engine, platform="cuda"), host="0.0.0.0")
            assert it.care.prepared(shared) == shared  # its developer endpoints would be open to everybody
            await it.supervisor.start(request)
            with pytest.raises(AppError) as caught:
                await it.care.sleep()
            assert caught.value.code == "server.cannot_sleep"

    asyncio.run(work())


def test_a_fixed_launch_stands_in_the_history_with_its_own_command(home: Paths, tmp_path: Path) -> None:
    """Through the product's own services: a click that fails, the button, a server, and both in the ledger."""
    launching = make_launching(home, tmp_path)
    choices = Choices(context=512, max_num_seqs=4, more=LaunchOptions(extra=("--swap-space", "4")))

    async def work(services: Services) -> list[LaunchRecord]:
        with pytest.raises(AppError) as caught:
            await services.launch(str(launching.model), choices=choices)
        assert caught.value.code == "engine.fail.unknown_flag"
        await services.care.relaunch("drop_flag")
        assert services.server_status.state is ServerState.READY
        await services.stop_server()
        return await services.launches.history(2)

    fixed, failed = launching.run(work)
    assert "--swap-space" in failed.command
    assert "--swap-space" not in fixed.command
    assert (failed.choices["more"]["extra"], fixed.choices["more"]["extra"]) == (["--swap-space", "4"], [])
    assert fixed.choices["context"] == 512
