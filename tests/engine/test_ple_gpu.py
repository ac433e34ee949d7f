"""The plugin on a GPU: the answers of the three placements, the device's memory, the counters. Skips where there is no
GPU with a vLLM (`tests/support/cuda_engine.py` says how one is found)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.engine.ple_proof import kept_off, read_counters
from core.events import EngineInfo
from core.paths import Paths
from tests.support import cuda_engine
from tests.support.ple_runs import (
    TABLE_BYTES,
    Order,
    Run,
    check_read_once,
    check_same_answers,
    generate,
    make_checkpoint,
)

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(1200)]

CACHE_MIB = 8
# A KV cache of a fixed size, so that the table's share shows: vLLM would fill what the table leaves. And a GPU that
# draws a screen beside has less free than vLLM asks for by itself.
FIXED = {"kv_cache_memory_bytes": 1 << 30, "gpu_memory_utilization": 0.5}
# Compiled as well: graphs are cut around a lookup that lies inside them, so stock is cut there too.
COMPILED = {"enforce_eager": False, "compilation_config": {"cudagraph_mode": "PIECEWISE"}}
CASES = ("gemma4", "gemma4 compiled", "gemma4 in its wrapper", "gemma3n")


@pytest.fixture(scope="session")
def engine() -> EngineInfo:
    try:
        return cuda_engine.find(Paths.of_user())
    except cuda_engine.NoGpu as error:
        pytest.skip(str(error))


# `engine` comes first wherever it is asked for: where it skips, nothing else is made.
@pytest.fixture(scope="module")
def folder(engine: EngineInfo, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    del engine
    made = tmp_path_factory.mktemp("gpu")
    yield made
    shutil.rmtree(made, ignore_errors=True)  # gigabytes


@pytest.fixture(scope="module")
def order(engine: EngineInfo, starter_path: Path, folder: Path) -> list[Order]:
    text, wrapper, older = (
        make_checkpoint(engine, starter_path, folder, name) for name in ("gemma4-ple", "gemma4-ple-mm", "gemma3n-ple")
    )
    return [
        Order(text, FIXED),
        Order(text, {**FIXED, **COMPILED}),
        Order(wrapper, {**FIXED, "language_model_only": True}),
        Order(older, FIXED),
    ]


@pytest.fixture(scope="module")
def stock(engine: EngineInfo, order: list[Order], folder: Path) -> list[Run]:
    return generate(engine, folder / "stock", "gpu", order, cache_mib=CACHE_MIB, deadline_s=900)


@pytest.fixture(scope="module")
def ram(engine: EngineInfo, order: list[Order], folder: Path) -> list[Run]:
    return generate(engine, folder / "ram", "ram", order, cache_mib=CACHE_MIB, deadline_s=900)


@pytest.fixture(scope="module")
def disk(engine: EngineInfo, order: list[Order], folder: Path) -> list[Run]:
    return generate(engine, folder / "disk", "disk", order, cache_mib=CACHE_MIB, deadline_s=900)


@pytest.mark.parametrize("which", range(len(CASES)), ids=CASES)
def test_answers_are_the_stock_ones(stock: list[Run], ram: list[Run], disk: list[Run], which: int) -> None:
    check_same_answers(ram[which], stock[which])
    check_same_answers(disk[which], stock[which])


@pytest.mark.parametrize("which", range(len(CASES)), ids=CASES)
def test_the_table_is_not_on_the_device(stock: list[Run], ram: list[Run], disk: list[Run], which: int) -> None:
    held = [run[which].device_bytes for run in (stock, ram, disk)]
    print("device MiB of stock, ram, disk:", [size >> 20 for size in held])
    assert held[0] - held[1] == pytest.approx(TABLE_BYTES, rel=0.05)
    assert held[0] - held[2] == pytest.approx(TABLE_BYTES, rel=0.05)


def test_rows_are_counted_and_ram_is_pinned(stock: list[Run], ram: list[Run], disk: list[Run], folder: Path) -> None:
    assert "stowage-ple" not in stock[0].log
    assert {(line.placement, line.pinned) for line in kept_off(ram[0].log.splitlines())} == {("ram", True)}
    assert {line.placement for line in kept_off(disk[0].log.splitlines())} == {"disk"}
    assert read_counters(folder / "ram" / "stats").rows > 0
    check_read_once(folder / "disk" / "stats", CACHE_MIB)
