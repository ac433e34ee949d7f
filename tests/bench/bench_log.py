"""What reading the log costs: megabytes per second over the recorded logs, and microseconds per line in the supervisor.

CPU time, so that what else runs does not count. Facts and phases of every recorded log, read in the batches in which
the guardian sends them (`guardian_output`: 500 lines at most), again and again for some seconds. Then a server that
floods its log: the CPU time of the whole app's side (socket, JSON, log tail, facts, events) per line. Writes
`artefacts/bench/log.json`.
"""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path

import pytest

from core.engine.facts_reader import FactsReader
from core.engine.log_parser import PhaseTracker
from core.events import EventBus, LogLines, ServerState
from core.paths import Paths
from tests.support.serving import Serving, fake_engine, until

LOGS = Path(__file__).parents[1] / "data" / "engine-logs"
RESULT = Path(__file__).parents[2] / "artefacts" / "bench" / "log.json"
BATCH = 500
LEAST_MB_PER_S = 50.0
MOST_US_PER_LINE = 20.0
FLOOD_MB_PER_S = 1.0
FLOOD_S = 6.0


def write(name: str, **figures: float) -> None:
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    known = json.loads(RESULT.read_text("utf-8")) if RESULT.is_file() else {}
    RESULT.write_text(json.dumps(known | {name: figures}, indent=1) + "\n", "utf-8")


@pytest.mark.bench
def test_logs_are_read_fast() -> None:
    logs = [path.read_text("utf-8").splitlines() for path in sorted(LOGS.glob("*.log"))]
    size = sum(len(line.encode()) + 1 for lines in logs for line in lines)
    count = sum(len(lines) for lines in logs)
    best = 0.0
    for _ in range(20):
        began = time.process_time()
        rounds = 0
        while time.process_time() - began < 0.2:
            for lines in logs:
                facts, phases = FactsReader(), PhaseTracker()
                for at in range(0, len(lines), BATCH):
                    batch = lines[at : at + BATCH]
                    facts.feed(batch)
                    phases.feed(batch, 1.0)
            rounds += 1
        best = max(best, rounds * size / (time.process_time() - began))
    per_line = size / count / best * 1e6
    print(f"facts and phases: {best / 1e6:.0f} MB/s, {per_line:.2f} us per line of {size / count:.0f} bytes")
    write("reading", mb_per_s=best / 1e6, us_per_line=per_line)
    assert best / 1e6 >= LEAST_MB_PER_S


@pytest.mark.bench
def test_the_supervisor_spends_little_on_a_line(home: Paths, tmp_path: Path) -> None:
    home.ensure()
    bus = EventBus()
    serving = Serving(home, tmp_path, fake_engine(tmp_path), bus)
    lines = 0
    reader = FactsReader()

    def heard(event: object) -> None:
        nonlocal lines
        if isinstance(event, LogLines):
            lines += len(event.lines)
            reader.feed(event.lines)

    bus.subscribe(heard)

    async def work() -> tuple[float, int]:
        supervisor = serving.supervisor()
        await supervisor.start(serving.request("--flood", str(FLOOD_MB_PER_S), enforce_eager=True))
        await until(lambda: supervisor.status.state is ServerState.READY, "ready")
        serving.heard.clear()
        began, used = lines, time.process_time()
        await asyncio.sleep(FLOOD_S)
        spent, seen = time.process_time() - used, lines - began
        await supervisor.close()
        return spent, seen

    spent, seen = asyncio.run(work())
    per_line = spent / seen * 1e6
    print(f"supervisor: {per_line:.1f} us of CPU per line, {seen / FLOOD_S:.0f} lines/s")
    write("supervisor", us_per_line=per_line, lines_per_s=seen / FLOOD_S)
    assert seen > 1000
    assert per_line <= MOST_US_PER_LINE
