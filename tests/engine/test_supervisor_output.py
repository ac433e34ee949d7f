"""Whatever the server prints: it is never blocked, and the app's memory stays bounded."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from pathlib import Path

import psutil

from core.engine.log_lines import CUT_MARK, LINE_BYTES
from core.events import LogLines
from tests.support.serving import Owner, Serving

MB = 1_000_000


def test_odd_output_arrives_as_clean_lines(serving: Serving) -> None:
    async def scenario() -> list[str]:
        supervisor = serving.supervisor()
        switches = (
            "--one-megabyte-line",
            "--carriage-returns",
            "50",
            "--invalid-utf8",
            "--say",
            "\x1b[32mgreen\x1b[0m",
        )
        await supervisor.start(serving.request(*switches))
        tail = list(supervisor.log_tail())
        await supervisor.close()
        return tail

    tail = asyncio.run(scenario())
    assert "green" in tail
    assert [line for line in tail if line.startswith("progress ")] == [f"progress {n}%" for n in range(50)]
    assert "bad \ufffd\ufffd\ufffd( bytes" in tail
    (cut,) = [line for line in tail if line.startswith("xxx")]
    assert cut.endswith(CUT_MARK)
    assert len(cut) <= LINE_BYTES + len(CUT_MARK)
    assert all(line in serving.logged for line in tail)


def written(serving: Serving) -> int:
    """Bytes that the server's own process has written, by the kernel's count."""
    (entry,) = serving.paths.launches.glob("*.json")
    text = Path(f"/proc/{json.loads(entry.read_bytes())['server_pid']}/io").read_text("ascii")
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("wchar:"))


def test_a_flood_blocks_nobody(serving: Serving) -> None:
    """10 MB/s for three seconds: the child keeps its pace, the app its memory and its pace, the disk its room."""
    process = psutil.Process()
    late_s: list[float] = []

    async def ticks(seconds: float) -> None:
        end = time.monotonic() + seconds
        while (before := time.monotonic()) < end:
            await asyncio.sleep(0.02)
            late_s.append(time.monotonic() - before - 0.02)

    async def scenario() -> int:
        supervisor = serving.supervisor()
        await supervisor.start(serving.request("--flood", "10"))
        before = process.memory_info().rss
        began, sent_before = time.monotonic(), written(serving)
        await ticks(3.0)
        pace = (written(serving) - sent_before) / (time.monotonic() - began)
        assert pace > 7 * MB
        grown = process.memory_info().rss - before
        began = time.monotonic()
        await supervisor.stop()
        assert time.monotonic() - began < 4.0
        return grown

    grown = asyncio.run(scenario())
    events = [event for event in serving.heard if isinstance(event, LogLines)]
    assert sum(event.dropped for event in events) > 10_000
    assert all(len(event.lines) <= 500 for event in events)
    assert grown < 64 * MB
    assert sorted(late_s)[len(late_s) // 2] < 0.05
    assert serving.left() == []
    sizes = [path.stat().st_size for path in serving.paths.logs.glob("server-*")]
    assert len(sizes) == 3
    assert sum(sizes) < 3 * 9 * 1024 * 1024
    assert "BLOCKED" not in serving.logged


def test_an_owner_that_does_not_listen_blocks_nobody(serving: Serving) -> None:
    """Stopped by a signal: the guardian drops lines instead of collecting them."""
    owner = Owner(serving)
    owner.tell("start", "--flood", "10")
    (entry,) = serving.paths.launches.glob("*.json")
    guardian = psutil.Process(json.loads(entry.read_bytes())["guardian_pid"])
    os.kill(owner.pid, signal.SIGSTOP)
    before = written(serving)
    began = time.monotonic()
    while written(serving) - before < 40 * MB:
        assert time.monotonic() - began < 20.0
        time.sleep(0.05)
    grown = guardian.memory_info().rss
    os.kill(owner.pid, signal.SIGCONT)
    assert owner.tell("stop") == "idle"
    owner.leave()
    assert grown < 64 * MB
    assert serving.left() == []


def test_log_files_are_private(serving: Serving) -> None:
    async def scenario() -> None:
        supervisor = serving.supervisor()
        await supervisor.start(serving.request())
        await supervisor.close()

    asyncio.run(scenario())
    (log,) = serving.paths.logs.glob("server-*")
    assert log.stat().st_mode & 0o777 == 0o600
    assert os.stat(serving.paths.sockets).st_mode & 0o777 == 0o700


def test_only_the_newest_logs_are_kept(serving: Serving) -> None:
    for number in range(15):
        path = serving.paths.logs / f"server-{number:016x}.log"
        path.write_text("old")
        os.utime(path, (number, number))

    async def scenario() -> None:
        supervisor = serving.supervisor()
        await supervisor.start(serving.request())
        await supervisor.close()

    asyncio.run(scenario())
    kept = sorted(path.name for path in serving.paths.logs.glob("server-*.log"))
    assert len(kept) == 10
    assert f"server-{14:016x}.log" in kept
    assert f"server-{5:016x}.log" not in kept
