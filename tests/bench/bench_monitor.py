"""What watching the computer costs, with a real monitor in a process of its own, beside psutil's naive loop.

The child samples at 1 Hz for a while; its CPU time and the growth of its memory are read when the imports are done and
at the end. The crowd are real sleeping processes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support import fake_nvml

ROOT = Path(__file__).parents[2]
CHILD = Path(__file__).with_name("monitor_child.py")
SECONDS = 20
CROWD = 1000
STEADY_PERCENT, CROWD_PERCENT, GROWTH_MIB = 0.5, 2.0, 3.0


def measure(kind: str, seconds: int = SECONDS, environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    command = [sys.executable, str(CHILD), kind, str(seconds)]
    env = os.environ | dict(environment or {})
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def fake_driver(folder: Path) -> dict[str, str]:
    """The environment in which nvidia-ml-py finds a driver with two GPUs."""
    state = folder / "state"
    values = {"count": "2", "driver": "580.65.06", "cuda": "13000"} | fake_nvml.gpu(0) | fake_nvml.gpu(1)
    state.write_text("".join(f"{key}={value}\n" for key, value in values.items()), encoding="utf-8")
    return {"LD_LIBRARY_PATH": str(fake_nvml.build(folder)), "FAKE_NVML_STATE": str(state)}


@contextmanager
def crowd(count: int) -> Generator[None]:
    """`count` sleeping processes, started by one shell and ended with it."""
    script = f"for n in $(seq {count}); do sleep 600 & done; echo ready; read line; kill $(jobs -p); wait"
    shell = subprocess.Popen(
        ["bash", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert shell.stdout is not None
    assert shell.stdout.readline() == "ready\n"
    try:
        yield
    finally:
        shell.communicate("\n", timeout=60)


@pytest.mark.bench
@pytest.mark.timeout(300)
def test_watching_is_cheap(tmp_path: Path) -> None:
    results = {"monitor": measure("monitor"), "naive psutil": measure("naive")}
    # Not held to the limits: nvidia-ml-py takes most of it, and what real answers cost only a real driver can tell.
    results["monitor, two GPUs of a fake driver"] = measure("monitor", 10, fake_driver(tmp_path))
    with crowd(CROWD):
        results[f"monitor, {CROWD} more processes"] = busy = measure("monitor")
        results[f"naive psutil, {CROWD} more processes"] = measure("naive", 10)
    out = ROOT / "artefacts" / "bench"
    out.mkdir(parents=True, exist_ok=True)
    (out / "monitor.json").write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    for name, result in results.items():
        print(f"\n{name}: {result}", end="")
    assert results["monitor"]["cpu_percent"] <= STEADY_PERCENT
    assert results["monitor"]["grown_mib"] <= GROWTH_MIB
    assert busy["cpu_percent"] <= CROWD_PERCENT
    assert busy["grown_mib"] <= GROWTH_MIB
