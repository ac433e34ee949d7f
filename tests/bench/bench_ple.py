"""The per-layer embedding table on disk: decode speed against stock vLLM, cold rows against the disk's own limit, CPU.

Two engines at once, one stock and one with the plugin, take turns at the same greedy answer; the fastest third of each
side is compared, as other load only slows a run. The model is a random one with few and small layers, so a lookup
weighs more than in any real model. Cold rows and the disk's limit are read by turns too.
Writes `artefacts/bench/ple.json`.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from core.engine.ple_plugin import Placement, plugin_env, plugin_folder
from core.events import EngineInfo
from tests.support.ple_runs import ROW_BYTES, make_checkpoint
from tests.support.throttle import forget

RUNS = 9
TOKENS = 120
COLD_S = 1.5
LOOKUPS = 2000
LEAST_RATIO = 0.95
ROOT = Path(__file__).parents[2]
RESULT = ROOT / "artefacts" / "bench" / "ple.json"


class Child:
    def __init__(self, process: subprocess.Popen[str], said: int) -> None:
        self._process = process
        self._said = os.fdopen(said)
        self.start_s = self._read()["start_s"]

    def ask(self, verb: str, amount: float) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{verb} {amount}\n")
        self._process.stdin.flush()
        return self._read()

    def close(self) -> None:
        self._said.close()

    def _read(self) -> dict[str, Any]:
        line = self._said.readline()
        assert line, "the engine ended; its log is above"
        return json.loads(line)


@contextmanager
def engine(info: EngineInfo, model: Path, scratch: Path, placement: Placement) -> Generator[Child]:
    stats = scratch / f"stats-{placement}"
    stats.mkdir()
    env = plugin_env(plugin_folder(scratch / "cache"), placement, cache_mib=256, stats=stats)
    env |= {"VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_NO_USAGE_STATS": "1", "HF_HUB_OFFLINE": "1"}
    env["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"
    # One thread each: two that wait for one another at every barrier measure the machine's other load, not the lookup.
    env |= {"OMP_NUM_THREADS": "1", "VLLM_CPU_OMP_THREADS_BIND": "nobind"}
    reader, writer = os.pipe()
    command = [info.python, str(ROOT / "tests/bench/ple_child.py"), str(model), str(writer)]
    with subprocess.Popen(
        command, env=os.environ | env, stdin=subprocess.PIPE, text=True, pass_fds=(writer,)
    ) as process:
        os.close(writer)
        child = Child(process, reader)
        try:
            yield child
        finally:
            child.close()


def fastest(rates: list[float]) -> float:
    return statistics.mean(sorted(rates)[-(len(rates) // 3) :])


@pytest.mark.bench
@pytest.mark.engine
@pytest.mark.timeout(280)
def test_a_table_on_disk_costs_little(
    tmp_path: Path, real_engine: EngineInfo, starter_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = make_checkpoint(real_engine, starter_path, tmp_path, "gemma4-ple")
    decoded: dict[str, list[dict[str, float]]] = {"stock": [], "disk": []}
    cold: list[dict[str, float]] = []
    raw: list[float] = []
    with (
        engine(real_engine, model, tmp_path, "gpu") as stock,
        engine(real_engine, model, tmp_path, "disk") as disk,
    ):
        both = (("stock", stock), ("disk", disk))
        for _, child in both:
            child.ask("decode", TOKENS)  # the first answer is slower, and warms the rows
        for run in range(RUNS):
            for name, child in both if run % 2 else both[::-1]:
                decoded[name].append(child.ask("decode", TOKENS))
        warm = disk.ask("warm", LOOKUPS)
        for _ in range(3):
            forget(model / "model.safetensors")
            cold.append(disk.ask("cold", COLD_S))
            raw.append(disk.ask("raw", COLD_S)["reads_per_s"])
    (model / "model.safetensors").unlink()  # a gigabyte
    rates = {name: fastest([run["tokens_per_s"] for run in runs]) for name, runs in decoded.items()}
    cpu = {name: min(run["cpu_s"] for run in runs) for name, runs in decoded.items()}
    rows, limit = max(run["rows_per_s"] for run in cold), max(raw)
    figures = {
        "row_bytes": ROW_BYTES,
        "decode_tokens_per_s": rates,
        "decode_ratio": rates["disk"] / rates["stock"],
        "cpu_s_per_token": cpu,
        "warm_lookup_s": warm["lookup_s"],
        "warm_lookup_cpu_s": warm["cpu_s"],
        "cold_rows_per_s": rows,
        "disk_reads_per_s": limit,
        "cold_ratio": rows / limit,
        "cold_cpu_s_per_row": min(run["cpu_s"] for run in cold),
        "start_s": {"stock": stock.start_s, "disk": disk.start_s},
    }
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    with capsys.disabled():
        print(
            f"\nple: decode {rates['disk']:.1f} tokens/s from disk (warm), {rates['stock']:.1f} stock, ratio"
            f" {figures['decode_ratio']:.3f} (at least {LEAST_RATIO}); a warm lookup {warm['lookup_s'] * 1e6:.0f} us,"
            f" {warm['cpu_s'] * 1e6:.0f} us of CPU; cold {rows:.0f} rows/s of {ROW_BYTES} bytes, the disk gives"
            f" {limit:.0f} ({figures['cold_ratio']:.2f}); {figures['cold_cpu_s_per_row'] * 1e6:.0f} us of CPU each"
        )
    assert figures["decode_ratio"] >= LEAST_RATIO
