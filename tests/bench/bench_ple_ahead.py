"""A long prompt of cold rows with and without reading ahead: time to the first token, and of it waiting for the disk.

One process takes turns between the two. No row is asked for twice, and the file is dropped from the page cache before
each prompt. The kernel's limit for reading is no model of a slow disk here: what is not read while a part is computed
may be read all the faster afterwards (tried at 50 MiB/s: nothing gained, nothing lost).
Writes `artefacts/bench/ple_ahead.json`.
"""

from __future__ import annotations

import json
import statistics
from pathlib import Path

import pytest

from core.events import EngineInfo
from tests.bench.bench_ple import ROOT, Figures, engine
from tests.support.ple_runs import ROW_BYTES, make_checkpoint

RUNS = 5
AHEAD_ROWS = 10_000
# Of the waiting without it. The first part of six has to be waited for in any case.
MOST_WAITING = 0.7
RESULT = ROOT / "artefacts" / "bench" / "ple_ahead.json"


@pytest.mark.bench
@pytest.mark.engine
@pytest.mark.timeout(300)
def test_reading_ahead_saves_waiting(
    tmp_path: Path, real_engine: EngineInfo, starter_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = make_checkpoint(real_engine, starter_path, tmp_path, "gemma4-ple")
    turns: dict[str, list[Figures]] = {"without": [], "with": []}
    with engine(real_engine, model, tmp_path, "disk") as child:
        child.ask("prompt", AHEAD_ROWS)  # the first prompt is slower
        for run in range(RUNS):
            for side in sorted(turns, reverse=run % 2 == 1):
                turns[side].append(child.ask("prompt", AHEAD_ROWS if side == "with" else 0))
    (model / "model.safetensors").unlink()  # a gigabyte
    first = {side: statistics.median(run["first_token_s"] for run in runs) for side, runs in turns.items()}
    waiting = {side: statistics.median(run["read_s"] for run in runs) for side, runs in turns.items()}
    figures = {
        "row_bytes": ROW_BYTES,
        "first_token_s": first,
        "first_token_ratio": first["with"] / first["without"],
        "waiting_for_reads_s": waiting,
        "waiting_ratio": waiting["with"] / waiting["without"],
    }
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    with capsys.disabled():
        print(
            f"\nple ahead: waiting for reads {waiting['with'] * 1e3:.0f} ms of a prompt of cold rows against"
            f" {waiting['without'] * 1e3:.0f} without ({figures['waiting_ratio']:.2f}, at most {MOST_WAITING}); first"
            f" token after {first['with']:.3f} s against {first['without']:.3f} ({figures['first_token_ratio']:.2f})"
        )
    assert figures["waiting_ratio"] <= MOST_WAITING
