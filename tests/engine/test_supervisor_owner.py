"""What becomes of the server when its owner, or its guardian, is no more."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys

import msgspec
import pytest

from core.engine.ledger import Entry, Ledger, started
from core.engine.process_tree import boot_id, is_same
from core.events import Phase, ServerState
from tests.support.serving import Owner, Serving, until, wait_for

HARD = ("--fork", "3", "--fork-ignore-term", "--ignore-term")


def entry_of(serving: Serving) -> Entry:
    (path,) = serving.paths.launches.glob("*.json")
    return msgspec.json.decode(path.read_bytes(), type=Entry)


@pytest.mark.parametrize("switches", [("--fork", "3"), HARD])
def test_owner_killed_nothing_survives(serving: Serving, switches: tuple[str, ...]) -> None:
    owner = Owner(serving)
    assert owner.tell("start", *switches) == "ready"
    owner.kill()
    assert wait_for(lambda: not serving.left(), 10.0), serving.left()


def test_owner_killed_while_starting_nothing_survives(serving: Serving) -> None:
    owner = Owner(serving)
    owner.begin("start", "--hang-in", "load", *HARD)
    assert wait_for(lambda: "Starting to load model" in serving.logged, 10.0)
    owner.kill()
    assert wait_for(lambda: not serving.left(), 10.0), serving.left()


@pytest.mark.parametrize("end", ["kill", "leave"])
def test_a_kept_server_outlives_its_owner_and_is_taken_back(serving: Serving, end: str) -> None:
    first = Owner(serving)
    first.tell("start", "--fork", "2")
    assert first.tell("keep") == "idle"
    if end == "kill":
        first.kill()
    else:
        assert first.leave() == 0
    entry = entry_of(serving)

    second = Owner(serving)
    assert second.tell("reattach") is True
    assert second.tell("chat", "hello") == "echo: hello"
    assert is_same(entry.guardian_pid, entry.guardian_started)
    assert second.tell("stop") == "idle"
    assert wait_for(lambda: not is_same(entry.guardian_pid, entry.guardian_started), 1.0)
    assert second.leave() == 0
    assert serving.left() == []


def test_what_a_reattached_owner_gets_back(serving: Serving) -> None:
    owner = Owner(serving)
    owner.tell("start", "--say", "first words")
    owner.tell("keep")
    owner.leave()

    async def scenario() -> None:
        supervisor = serving.supervisor()
        assert await supervisor.reattach()
        status = supervisor.status
        assert (status.state, status.model, status.engine) == (ServerState.READY, "fake-model", "fake-1.0")
        assert (status.kept, status.reattached, status.max_model_len) == (True, True, 2048)
        assert [p.phase for p in status.phases][-2:] == [Phase.WARM_UP, Phase.READY]
        assert "first words" in supervisor.log_tail()
        assert supervisor.endpoint is not None
        await supervisor.close()  # not told to keep it again
        assert serving.left() == []

    asyncio.run(scenario())


def test_a_reattached_server_can_be_kept_again(serving: Serving) -> None:
    owner = Owner(serving)
    owner.tell("start")
    owner.tell("keep")
    owner.leave()
    for _ in range(2):
        again = Owner(serving)
        assert again.tell("reattach") is True
        assert again.tell("keep") == "idle"
        assert again.leave() == 0
    last = Owner(serving)
    assert last.tell("reattach") is True
    last.tell("close")
    last.leave()
    assert serving.left() == []


def test_a_server_of_another_living_app_is_left_alone(serving: Serving) -> None:
    owner = Owner(serving)
    owner.tell("start")
    entry = entry_of(serving)

    async def scenario() -> None:
        supervisor = serving.supervisor()
        assert await supervisor.reattach() is False
        assert supervisor.status.state is ServerState.IDLE
        await supervisor.close()

    asyncio.run(scenario())
    assert is_same(entry.guardian_pid, entry.guardian_started)
    assert owner.tell("chat", "still there?") == "echo: still there?"
    owner.tell("close")
    owner.leave()


def test_guardian_killed_the_owner_ends_the_tree(serving: Serving) -> None:
    async def scenario() -> None:
        supervisor = serving.supervisor()
        await supervisor.start(serving.request(*HARD))
        os.kill(entry_of(serving).guardian_pid, signal.SIGKILL)
        await until(lambda: supervisor.status.state is ServerState.FAILED, "failed", 10.0)
        error = supervisor.status.error
        assert error is not None
        assert (error.code, error.facts["signal"]) == ("server.killed", "SIGKILL")
        assert serving.left() == []

    asyncio.run(scenario())


def test_guardian_killed_while_starting(serving: Serving) -> None:
    async def scenario() -> None:
        supervisor = serving.supervisor()
        start = asyncio.ensure_future(supervisor.start(serving.request("--hang-in", "load", *HARD)))
        await until(lambda: bool(serving.lines), "lines")
        os.kill(entry_of(serving).guardian_pid, signal.SIGKILL)
        await asyncio.wait({start}, timeout=10.0)
        assert getattr(start.exception(), "code", None) == "server.killed"
        assert serving.left() == []

    asyncio.run(scenario())


def test_the_server_goes_when_all_who_guard_it_are_killed(serving: Serving) -> None:
    """Nobody is left to end it but the kernel, which sends the server SIGTERM."""
    owner = Owner(serving)
    owner.tell("start")
    server = entry_of(serving).server_pid
    born = started(server)
    owner.kill_with(entry_of(serving).guardian_pid)
    assert wait_for(lambda: not is_same(server, born), 5.0)
    assert asyncio.run(serving.supervisor().reattach()) is False
    assert serving.left() == []


def test_the_next_start_clears_what_ignored_that(serving: Serving) -> None:
    owner = Owner(serving)
    owner.tell("start", *HARD)
    entry = entry_of(serving)
    owner.kill_with(entry.guardian_pid)
    assert is_same(entry.server_pid, started(entry.server_pid))  # it ignores SIGTERM
    supervisor = serving.supervisor()
    assert asyncio.run(supervisor.reattach()) is False
    assert serving.left() == []
    assert not os.path.exists(entry.socket)
    assert supervisor.status.state is ServerState.IDLE


def test_a_recycled_pid_is_not_touched(serving: Serving) -> None:
    """The ledger names a guardian whose number now belongs to somebody else."""
    ledger = Ledger(serving.paths.launches)
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True) as stranger:
        for boot, offset in ((boot_id(), -1), ("another boot", 0)):
            entry = Entry(
                launch_id="0123456789abcdef",
                guardian_pid=stranger.pid,
                guardian_started=started(stranger.pid) + offset,
                boot=boot,
                server_pid=stranger.pid,
                socket=str(serving.root / "none.sock"),
                folder=str(serving.paths.launches / "0123456789abcdef"),
                model="m",
                engine="e",
                port=1,
            )
            ledger.write(entry)
            assert asyncio.run(serving.supervisor().reattach()) is False
            assert stranger.poll() is None
            assert ledger.entries() == []
        stranger.kill()


def test_a_damaged_ledger_entry_is_no_trouble(serving: Serving) -> None:
    (serving.paths.launches / "feed.json").write_bytes(b'{"launch_id": 3')
    assert asyncio.run(serving.supervisor().reattach()) is False
    assert list(serving.paths.launches.iterdir()) == []
