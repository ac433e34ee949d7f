"""One measured process: `monitor_child.py monitor|naive SECONDS` prints what its sampling cost as JSON.

`monitor`: our monitor as the window runs it, with its thread, ring and events. `naive`: what the same figures take with
psutil: totals, disks, and every process's name and memory, once a second.
"""

from __future__ import annotations

import asyncio
import gc
import json
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

import psutil  # noqa: E402

from core.events import Event, EventBus, MachineChanged  # noqa: E402
from core.machine.history import CAPACITY  # noqa: E402
from core.machine.monitor import MachineMonitor  # noqa: E402
from core.machine.reader import Sources  # noqa: E402


def cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def private_mib() -> float:
    """Memory that only this process holds, without the files it maps."""
    fields = Path("/proc/self/statm").read_text().split()
    return (int(fields[1]) - int(fields[2])) * resource.getpagesize() / (1 << 20)


class Meter:
    """Memory counts from the start, CPU time from `steady` on: the first samples find out what there is."""

    def __init__(self) -> None:
        gc.collect()
        self._memory = private_mib()
        self._began = time.monotonic()
        self._cpu = cpu_s()

    def steady(self) -> None:
        self._began, self._cpu = time.monotonic(), cpu_s()

    def result(self, samples: int) -> dict[str, Any]:
        elapsed = time.monotonic() - self._began
        cpu = cpu_s() - self._cpu
        return {
            "cpu_percent": round(100 * cpu / elapsed, 3),
            "ms_per_sample": round(1000 * cpu / samples, 3),
            "grown_mib": round(private_mib() - self._memory, 2),
            "samples": samples,
            "processes": sum(1 for path in Path("/proc").iterdir() if path.name.isdecimal()),
        }


async def monitor(seconds: float) -> dict[str, Any]:
    heard: list[int] = []
    bus = EventBus()

    def hear(event: Event) -> None:
        if isinstance(event, MachineChanged):
            heard.append(len(event.history.times))

    bus.subscribe(hear)
    meter = Meter()
    folders = {"models": Path.home(), "engines": ROOT, "temp": Path(tempfile.gettempdir())}
    watching = MachineMonitor(Sources(folders), bus)
    watching.start()
    for _ in range(CAPACITY):
        await watching.now()  # as after ten minutes: the ring is full
    watching.show(True)
    await asyncio.sleep(0.5)
    meter.steady()
    before = len(heard)
    await asyncio.sleep(seconds)
    result = meter.result(len(heard) - before)
    await watching.close()
    return result


def naive(seconds: float) -> dict[str, Any]:
    meter = Meter()
    samples = 0
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        psutil.virtual_memory()
        psutil.swap_memory()
        psutil.disk_usage("/")
        by_name: dict[str, int] = {}
        for process in psutil.process_iter(["name", "memory_info"]):
            memory = process.info["memory_info"]
            if memory is not None:
                by_name[process.info["name"]] = by_name.get(process.info["name"], 0) + memory.rss
        samples += 1
        time.sleep(1)
    return meter.result(samples)


if __name__ == "__main__":
    duration = float(sys.argv[2])
    print(json.dumps(asyncio.run(monitor(duration)) if sys.argv[1] == "monitor" else naive(duration)))
