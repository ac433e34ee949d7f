"""On a computer with an NVIDIA GPU: our figures against nvidia-smi's in the same second. Not run elsewhere."""

from __future__ import annotations

import asyncio
import csv
import shutil
import subprocess

import pytest

from core.machine.model import Gpu, Vendor
from core.machine.monitor import take
from core.machine.reader import Sources
from core.machine.reading import Known
from core.paths import Paths

QUERY = "uuid,name,memory.total,memory.used,memory.free,driver_version"
MIB = 1 << 20


def smi() -> list[list[str]]:
    program = shutil.which("nvidia-smi")
    if program is None:
        pytest.skip("not run: no nvidia-smi here, so there is no NVIDIA GPU to compare with")
    answer = subprocess.run(
        [program, f"--query-gpu={QUERY}", "--format=csv,noheader,nounits"], capture_output=True, text=True, timeout=60
    )
    rows = list(csv.reader(answer.stdout.splitlines(), skipinitialspace=True))
    if answer.returncode or not rows:
        pytest.skip(f"not run: nvidia-smi finds no GPU ({answer.stdout.strip()[:200]})")
    return rows


def test_totals_are_exact_and_used_within_one_percent(home: Paths) -> None:
    home.ensure()
    before = smi()
    machine, ledger = asyncio.run(take(Sources.of_user(home)))
    after = smi()
    ours = {gpu.id: gpu for gpu in machine.gpus if gpu.vendor is Vendor.NVIDIA and gpu.parent is None}
    assert list(ours) == [row[0] for row in before], "the same cards in the same order"
    assert machine.driver.version == Known(before[0][5])
    for first, second in zip(before, after, strict=True):
        _compare(ours[first[0]], first, second)
    for budget in ledger.gpus:
        if budget.segments:
            assert sum(segment.bytes for segment in budget.segments) == budget.total.or_none()


def _compare(gpu: Gpu, before: list[str], after: list[str]) -> None:
    assert gpu.name == before[1]
    if not before[2].isdecimal():  # [N/A]: unified memory, or a MIG parent without permission
        assert gpu.shares_ram or gpu.memory.total.or_none() is None
        return
    total, used = gpu.memory.total.or_none(), gpu.memory.used.or_none()
    assert total is not None
    assert used is not None
    assert round(total / MIB) == int(before[2])
    low, high = sorted((int(before[3]), int(after[3])))
    slack = int(before[2]) / 100
    assert low - slack <= used / MIB <= high + slack
