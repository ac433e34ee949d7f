"""A start, its ends, and what must not count as one. Real children, real loopback."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import threading
import time
from collections.abc import Coroutine, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import msgspec
import pytest

from core.errors import AppError
from core.events import Phase, ServerState, ServerStatus
from tests.support.serving import Serving, until

ALL_PHASES = [Phase.ENVIRONMENT, Phase.LOAD, Phase.COMPILE, Phase.KV_CACHE, Phase.WARM_UP, Phase.READY]


def server_pid(serving: Serving) -> int:
    """The server's own process, from the ledger."""
    (entry,) = serving.paths.launches.glob("*.json")
    return int(msgspec.json.decode(entry.read_bytes())["server_pid"])


async def failure(work: Coroutine[Any, Any, Any]) -> AppError:
    with pytest.raises(AppError) as caught:
        await work
    return caught.value


def test_start_to_ready_and_stop(serving: Serving) -> None:
    async def scenario() -> None:
        supervisor = serving.supervisor()
        endpoint = await supervisor.start(serving.request("--fork", "2"))
        status = supervisor.status
        assert endpoint.base_url == f"http://127.0.0.1:{status.port}"
        assert (endpoint.model, status.model, status.engine) == ("fake-model", "fake-model", "fake-1.0")
        assert status.max_model_len == 2048
        assert supervisor.endpoint is endpoint
        assert [p.phase for p in status.phases] == ALL_PHASES
        assert status.phases[1].fraction == 1.0
        assert all(p.ended_s is not None and p.ended_s >= p.began_s for p in status.phases)
        await supervisor.stop()
        assert serving.left() == []
        assert supervisor.endpoint is None

    asyncio.run(scenario())
    assert serving.states == [ServerState.STARTING, ServerState.READY, ServerState.STOPPING, ServerState.IDLE]
    assert not any("/health" in line for line in serving.lines)


def test_eager_skips_the_compile_phase(serving: Serving) -> None:
    async def scenario() -> list[Phase]:
        supervisor = serving.supervisor()
        await supervisor.start(serving.request(enforce_eager=True))
        phases = [p.phase for p in supervisor.status.phases]
        await supervisor.close()
        return phases

    assert asyncio.run(scenario()) == [phase for phase in ALL_PHASES if phase is not Phase.COMPILE]


@pytest.mark.parametrize("phase", ALL_PHASES[:-1])
@pytest.mark.parametrize("how", ["cancel", "stop"])
def test_a_start_ends_in_every_phase(serving: Serving, phase: Phase, how: str) -> None:
    async def scenario() -> None:
        supervisor = serving.supervisor()
        start = asyncio.ensure_future(supervisor.start(serving.request("--hang-in", phase, "--fork", "2")))
        await until(lambda: supervisor.status.phase is phase and bool(serving.lines), f"phase {phase}")
        if how == "cancel":
            start.cancel()
            with pytest.raises(asyncio.CancelledError):
                await start
        else:
            await supervisor.stop()
            error = await failure(start)  # type: ignore[arg-type]
            assert (error.code, error.facts["phase"]) == ("server.cancelled", phase)
        assert serving.left() == []
        assert supervisor.status == ServerStatus()

    asyncio.run(scenario())


def test_cancel_at_once_leaves_nothing(serving: Serving) -> None:
    """At every one of the first steps, before the guardian says that it has spawned the server included."""

    async def scenario(steps: int) -> None:
        supervisor = serving.supervisor()
        start = asyncio.ensure_future(supervisor.start(serving.request("--hang-in", "load")))
        for _ in range(steps):
            await asyncio.sleep(0)
        start.cancel()
        with pytest.raises(asyncio.CancelledError):
            await start
        assert serving.left() == []
        assert supervisor.status == ServerStatus()

    for steps in range(0, 12, 2):
        asyncio.run(scenario(steps))


def test_a_second_start_is_refused_and_changes_nothing(serving: Serving) -> None:
    async def scenario() -> None:
        supervisor = serving.supervisor()
        await supervisor.start(serving.request())
        before = supervisor.status
        assert (await failure(supervisor.start(serving.request()))).code == "server.busy"
        assert supervisor.status is before
        await supervisor.close()

    asyncio.run(scenario())


@pytest.mark.parametrize("phase", ["environment", "load", "kv_cache", "warm_up"])
def test_death_while_starting_is_said_with_its_cause(serving: Serving, phase: str) -> None:
    async def scenario() -> None:
        supervisor = serving.supervisor()
        error = await failure(supervisor.start(serving.request("--die-in", phase, "--exit-code", "7", "--fork", "2")))
        assert error.code == "server.start_failed"
        assert error.facts == {"exit_code": 7, "reason": "ValueError: the fake cause"}
        assert "the fake cause" in error.detail
        assert supervisor.status.state is ServerState.FAILED
        info = supervisor.status.error
        assert info is not None
        assert info.code == error.code
        assert info.last_words[-1].startswith("RuntimeError: Engine core initialization failed")
        assert any("the fake cause" in line for line in supervisor.log_tail())
        assert serving.left() == []
        await supervisor.start(serving.request())  # and it can be tried again
        await supervisor.close()

    asyncio.run(scenario())


def test_death_by_a_signal_names_it(serving: Serving) -> None:
    async def scenario() -> AppError:
        switches = ("--die-in", "load", "--die-by", str(int(signal.SIGKILL)))
        return await failure(serving.supervisor().start(serving.request(*switches)))

    error = asyncio.run(scenario())
    assert (error.code, error.facts["signal"]) == ("server.killed", "SIGKILL")


def test_an_argument_that_vllm_does_not_know(serving: Serving) -> None:
    error = asyncio.run(failure(serving.supervisor().start(serving.request("--swap-space", "4"))))
    assert (error.code, error.facts) == ("engine.fail.unknown_flag", {"flag": "--swap-space"})
    assert "unrecognized arguments: --swap-space" in error.detail


def test_an_engine_that_is_not_there(serving: Serving) -> None:
    Path(serving.engine.python).unlink()
    supervisor = serving.supervisor()
    error = asyncio.run(failure(supervisor.start(serving.request())))
    assert error.code == "server.spawn_failed"
    assert error.facts == {"path": serving.engine.python, "reason": "No such file or directory"}
    assert supervisor.status.state is ServerState.FAILED
    assert serving.left() == []


def test_a_tree_that_ignores_term_is_killed(serving: Serving) -> None:
    async def scenario() -> None:
        supervisor = serving.supervisor(grace_s=0.5)
        await supervisor.start(serving.request("--ignore-term", "--fork", "4", "--fork-ignore-term"))
        began = time.monotonic()
        await supervisor.stop()
        assert 0.5 <= time.monotonic() - began < 5.0
        assert serving.left() == []

    asyncio.run(scenario())


def test_death_when_ready_is_noticed_and_the_tree_ended(serving: Serving) -> None:
    async def scenario() -> None:
        supervisor = serving.supervisor()
        await supervisor.start(serving.request("--die-after", "0.2", "--fork", "3", "--fork-ignore-term"))
        await until(lambda: supervisor.status.state is ServerState.FAILED, "failed")
        error = supervisor.status.error
        assert error is not None
        assert (error.code, error.facts["exit_code"]) == ("server.died", 3)
        assert supervisor.endpoint is None
        assert serving.left() == []

    asyncio.run(scenario())


def test_sigkill_of_the_server_ends_the_tree(serving: Serving) -> None:
    async def scenario() -> None:
        supervisor = serving.supervisor()
        await supervisor.start(serving.request("--fork", "3", "--fork-ignore-term"))
        os.kill(server_pid(serving), signal.SIGKILL)
        await until(lambda: supervisor.status.state is ServerState.FAILED, "failed", 10.0)
        assert supervisor.status.error is not None
        assert supervisor.status.error.code == "server.killed"
        assert serving.left() == []

    asyncio.run(scenario())


def test_an_engine_that_died_behind_the_server(serving: Serving) -> None:
    """vLLM answers /health with 503 then; the process itself may live on."""

    async def scenario() -> None:
        supervisor = serving.supervisor()
        await supervisor.start(serving.request("--unhealthy-after", "0.3", "--fork", "1"))
        await until(lambda: supervisor.status.state is ServerState.FAILED, "failed", 10.0)
        assert supervisor.status.error is not None
        assert supervisor.status.error.code == "server.engine_died"
        assert serving.left() == []

    asyncio.run(scenario())


def test_silence_without_work_is_a_standstill(serving: Serving) -> None:
    async def scenario() -> None:
        supervisor = serving.supervisor(stall_s=1.2)
        error = await failure(supervisor.start(serving.request("--hang-in", "load")))
        assert error.code == "server.stalled"
        assert "Loading safetensors" in error.detail
        assert serving.left() == []

    asyncio.run(scenario())


def test_silence_with_work_is_none(serving: Serving) -> None:
    async def scenario() -> None:
        # Long against what a loaded machine may withhold from the busy child.
        supervisor = serving.supervisor(stall_s=4.0)
        await supervisor.start(serving.request("--busy-in", "load", "--busy-for", "7.0"))
        await supervisor.close()

    asyncio.run(scenario())


def test_a_port_taken_meanwhile_is_replaced(serving: Serving) -> None:
    marker = serving.root / "taken"

    async def scenario() -> ServerStatus:
        supervisor = serving.supervisor()
        await supervisor.start(serving.request("--first-time-taken", str(marker)))
        status = supervisor.status
        await supervisor.close()
        return status

    status = asyncio.run(scenario())
    assert status.state is ServerState.READY
    assert status.port != int(marker.read_text())
    notices = [line for line in serving.lines if line.startswith("Stowage: port ")]
    assert len(notices) == 1
    assert marker.read_text() in notices[0]


class Foreign(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def foreign_server() -> Iterator[ThreadingHTTPServer]:
    """Somebody else's server, which says 200 to everything."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Foreign) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_a_wanted_port_that_is_taken(serving: Serving, foreign_server: ThreadingHTTPServer) -> None:
    port = foreign_server.server_address[1]
    error = asyncio.run(failure(serving.supervisor().start(serving.request(port=port))))
    assert (error.code, error.facts["port"]) == ("server.port_taken", port)


def test_ok_from_a_foreign_server_does_not_count(serving: Serving, foreign_server: ThreadingHTTPServer) -> None:
    """The child hangs before it binds, while another program answers 200 on the very port."""
    port = foreign_server.server_address[1]

    async def scenario() -> None:
        supervisor = serving.supervisor(stall_s=1.5)
        error = await failure(supervisor.start(serving.request("--hang-in", "bound", port=port)))
        assert error.code == "server.stalled"

    asyncio.run(scenario())
    assert ServerState.READY not in serving.states


def test_proxies_have_no_say(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as dead:
        proxy = f"http://127.0.0.1:{dead.getsockname()[1]}"
        for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.setenv("no_proxy", "example.org")

        async def scenario() -> dict[str, str]:
            supervisor = serving.supervisor()
            await supervisor.start(serving.request())
            assert supervisor.status.max_model_len == 2048
            environment = environment_of(server_pid(serving))
            await supervisor.close()
            return environment

        environment = asyncio.run(scenario())
    assert environment["HTTPS_PROXY"] == proxy  # the Hub may need it
    assert environment["NO_PROXY"] == "127.0.0.1,localhost"
    assert environment["no_proxy"] == "example.org,127.0.0.1,localhost"


def environment_of(pid: int) -> dict[str, str]:
    raw = Path(f"/proc/{pid}/environ").read_bytes().decode()
    return dict(entry.split("=", 1) for entry in raw.split("\0") if "=" in entry)


def test_leaks_of_the_app_do_not_reach_the_engine(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    """With PYTHONHOME through, the child's Python would not even start."""
    for name in ("PYTHONHOME", "PYTHONPATH", "LD_LIBRARY_PATH", "QT_PLUGIN_PATH", "VIRTUAL_ENV"):
        monkeypatch.setenv(name, "/nowhere")

    async def scenario() -> dict[str, str]:
        supervisor = serving.supervisor()
        await supervisor.start(serving.request())
        environment = environment_of(server_pid(serving))
        await supervisor.close()
        return environment

    environment = asyncio.run(scenario())
    assert not {"PYTHONHOME", "PYTHONPATH", "LD_LIBRARY_PATH", "QT_PLUGIN_PATH", "VIRTUAL_ENV"} & set(environment)


def test_stop_and_close_without_a_server_do_nothing(serving: Serving) -> None:
    async def scenario() -> None:
        supervisor = serving.supervisor()
        await supervisor.stop()
        await supervisor.keep()
        await supervisor.close()
        assert supervisor.status == ServerStatus()

    asyncio.run(scenario())
    assert serving.heard == []
