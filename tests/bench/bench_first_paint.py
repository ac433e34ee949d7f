"""Time to the first paint of the real window, against the barest Qt window, in alternating fresh processes."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.paths import Paths

ROOT = Path(__file__).parents[2]
CHILD = Path(__file__).with_name("first_paint_child.py")
ROUNDS = 15
ALLOWED = 1.2

LATE = {"httpx2", "asyncio", "pygments", "markdown_it", "psutil", "msgspec", "typer"}


def start(kind: str) -> tuple[float, set[str]]:
    """(milliseconds from the start of the process to its first paint, top-level modules loaded by then)."""
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # as on a user's computer: only the first start compiles
    command = [sys.executable, str(CHILD), kind, str(time.monotonic())]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    milliseconds, modules = done.stdout.split()
    return float(milliseconds), set(modules.split(","))


@pytest.mark.bench
def test_first_paint_is_nearly_that_of_a_bare_window(home: Paths) -> None:
    for kind in ("bare", "stowage"):
        start(kind)  # warm the page cache
    times: dict[str, list[float]] = {"bare": [], "stowage": []}
    for _ in range(ROUNDS):
        for kind, measured in times.items():
            measured.append(start(kind)[0])
    medians = {kind: statistics.median(measured) for kind, measured in times.items()}
    ratio = medians["stowage"] / medians["bare"]
    out = ROOT / "artefacts" / "bench"
    out.mkdir(parents=True, exist_ok=True)
    result = {"median_ms": medians, "ratio": round(ratio, 3), "allowed": ALLOWED, "rounds": ROUNDS, "all_ms": times}
    (out / "first_paint.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    assert ratio <= ALLOWED, result
