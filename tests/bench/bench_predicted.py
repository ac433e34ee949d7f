"""Five real launches: what each plan said, and what came.

Weights and tokens of the KV cache must be equal every time; the memory of the server's processes and the decode speed
are learned, and from the third launch on the former must be within 10 %. Writes `artefacts/bench/predicted.json`.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from core.events import EventBus
from core.ledger.record import KV_TOKENS, PROCESSES, SPEED, Figure, LaunchRecord
from core.paths import Paths
from core.planner.options import GIB
from core.planning.choices import Choices
from core.services import Services
from core.settings import SettingsStore
from tests.support.launching import asked

LAUNCHES = (
    Choices(2048, True, 1),
    Choices(1024, True, 2, max_num_seqs=8),
    Choices(4096, True, 1, max_num_seqs=4),
    Choices(2048, True, 2, max_num_batched_tokens=1024),
    Choices(512, True, 1, max_num_seqs=2),
)
TAUGHT_AFTER = 2
WITHIN = 0.10
QUESTION = "Write a long story about a lighthouse keeper who finds a letter."
RESULT = Path(__file__).parents[2] / "artefacts" / "bench" / "predicted.json"


@pytest.mark.bench
@pytest.mark.timeout(900)
def test_five_launches(user_with_engine: Paths) -> None:
    records = asyncio.run(five(user_with_engine))
    rows = [row(record) for record in records]
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps([asdict(record) for record in records], indent=1), encoding="utf-8")
    for number, shown in enumerate(rows, 1):
        print(number, shown)
    for number, record in enumerate(records):
        weights, tokens = figure(record, "ram.weights"), figure(record, KV_TOKENS)
        assert weights.predicted is not None
        assert weights.actual is not None
        # The log prints hundredths of a GiB.
        assert round(weights.predicted / GIB, 2) == round(weights.actual / GIB, 2)
        assert tokens.predicted == tokens.actual
        if number >= TAUGHT_AFTER:
            error = figure(record, PROCESSES).error
            assert error is not None
            assert abs(error) <= WITHIN


async def five(paths: Paths) -> list[LaunchRecord]:
    paths.ensure()
    services = Services(paths, SettingsStore(paths.settings_file), EventBus())
    await services.open(reattach=False)
    try:
        await services.computer.probe()
        for choices in LAUNCHES:
            await services.launch("starter", choices=choices)
            for number in range(2):
                await asked(services, QUESTION, f"answer {number}", max_tokens=96)
            await services.stop_server()
        records = await services.launches.history(len(LAUNCHES))
    finally:
        await services.close()
    return records[::-1]


def figure(record: LaunchRecord, name: str) -> Figure:
    found = record.figure(name)
    assert found is not None, f"{name} is missing"
    return found


def row(record: LaunchRecord) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    for name in ("ram.weights", "ram.kv_cache", PROCESSES, KV_TOKENS, SPEED):
        found = record.figure(name)
        if found is None or found.predicted is None or found.actual is None:
            continue
        scale = 1 if name in (KV_TOKENS, SPEED) else GIB
        shown[name] = f"{found.predicted / scale:,.2f} -> {found.actual / scale:,.2f} ({found.error or 0:+.1%})"
    return shown
