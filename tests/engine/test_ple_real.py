"""The plugin in the real engine: the same answers whatever tier the table lies in, the memory of it gone.

The processes ask for greedy answers to 50 prompts twice, 16 at a time. All starts are eager; the compiled graph is
looked into by `test_ple_parts.py`.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.engine.ple_proof import kept_off, read_counters
from core.events import EngineInfo
from tests.support.ple_runs import ROW_BYTES, TABLE_BYTES, Run, generate, make_checkpoint

pytestmark = pytest.mark.timeout(300)

# Fewer rows than the longest of the prompts has tokens.
CACHE_MIB = 8
TEXT_ONLY = {"language_model_only": True}
# The longest prompts are computed in parts: the rows of the later ones are read ahead.
IN_PARTS = {"max_num_batched_tokens": 512}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    made = tmp_path_factory.mktemp("ple")
    yield made
    shutil.rmtree(made, ignore_errors=True)  # gigabytes


@pytest.fixture(scope="module")
def models(real_engine: EngineInfo, starter_path: Path, folder: Path) -> dict[str, Path]:
    names = ("gemma4-ple", "gemma4-ple-mm", "gemma3n-ple")
    return {name: make_checkpoint(real_engine, starter_path, folder, name) for name in names}


@pytest.fixture(scope="module")
def stock(real_engine: EngineInfo, models: dict[str, Path], folder: Path) -> list[Run]:
    """The plugin is there and off."""
    order = [(models["gemma4-ple"], IN_PARTS), (models["gemma4-ple-mm"], TEXT_ONLY), (models["gemma3n-ple"], {})]
    return generate(real_engine, folder / "stock", "gpu", order, cache_mib=CACHE_MIB)


@pytest.fixture(scope="module")
def disk(real_engine: EngineInfo, models: dict[str, Path], folder: Path) -> list[Run]:
    order = [(models["gemma4-ple"], IN_PARTS), (models["gemma4-ple-mm"], TEXT_ONLY), (models["gemma3n-ple"], {})]
    return generate(real_engine, folder / "disk", "disk", order, cache_mib=CACHE_MIB)


@pytest.fixture(scope="module")
def ram(real_engine: EngineInfo, models: dict[str, Path], folder: Path) -> list[Run]:
    order = [(models["gemma4-ple"], IN_PARTS | {"enable_prefix_caching": False})]
    return generate(real_engine, folder / "ram", "ram", order, cache_mib=CACHE_MIB)


@pytest.mark.parametrize("which", [0, 1, 2], ids=["gemma4", "gemma4 in its wrapper", "gemma3n"])
def test_answers_from_the_disk_are_the_stock_ones(stock: list[Run], disk: list[Run], which: int) -> None:
    assert len(stock[which].tokens) == 50
    assert len({tuple(answer) for answer in stock[which].tokens}) > 25  # not one answer to everything
    assert disk[which].tokens == stock[which].tokens
    assert disk[which].again == stock[which].again  # out of the prefix cache this time


def test_answers_from_ram_without_prefix_caching_are_the_stock_ones(stock: list[Run], ram: list[Run]) -> None:
    assert ram[0].tokens == stock[0].tokens
    assert ram[0].again == stock[0].tokens


def test_the_table_is_not_in_memory(stock: list[Run], disk: list[Run], ram: list[Run]) -> None:
    """In RAM it is there once. vLLM's CPU build itself holds every embedding twice (0.32, vocab_parallel_embedding.py:
    `dispatch_cpu_unquantized_gemm(layer, remove_weight=False)` packs a copy)."""
    held = [run[0].private_bytes for run in (stock, ram, disk)]
    print("private MiB of stock, ram, disk:", [size >> 20 for size in held])
    assert held[1] - held[2] == pytest.approx(TABLE_BYTES, rel=0.05)
    assert held[0] - held[2] == pytest.approx(2 * TABLE_BYTES, rel=0.05)


def test_the_start_is_no_slower(stock: list[Run], disk: list[Run]) -> None:
    print("start s of stock and disk:", [(a.start_s, b.start_s) for a, b in zip(stock, disk, strict=True)])
    assert sum(run.start_s for run in disk) <= sum(run.start_s for run in stock)


def test_the_log_and_the_counters_tell_what_was_done(stock: list[Run], disk: list[Run], folder: Path) -> None:
    said = kept_off(disk[0].log.splitlines())
    assert [(line.placement, line.rows, line.cache_bytes) for line in said] == [("disk", 49100, CACHE_MIB << 20)] * 3
    assert re.findall("stowage-ple", stock[0].log) == []
    counted = read_counters(folder / "disk" / "stats")
    assert counted.rows > counted.unique_rows > counted.hits > 0
    assert counted.ahead_rows > 0
    # Nothing is read twice within a lookup, and a cache so small does not hold it all.
    assert counted.read_bytes == (counted.unique_rows - counted.hits) * ROW_BYTES
    assert counted.unique_rows - counted.hits > (CACHE_MIB << 20) // ROW_BYTES
