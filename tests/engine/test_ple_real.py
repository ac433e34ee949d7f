"""The plugin in the real engine: the same answers whatever tier the table lies in, the memory of it gone.

The processes ask for greedy answers to 50 prompts twice, 16 at a time. All starts are eager; the compiled graph is
looked into by `test_ple_parts.py`.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.engine.ple_proof import kept_off, read_counters
from core.events import EngineInfo
from tests.support.ple_runs import (
    TABLE_BYTES,
    Order,
    Run,
    check_read_once,
    check_same_answers,
    generate,
    make_checkpoint,
)

# Four models, twice each, and they are made first.
pytestmark = pytest.mark.timeout(600)

# Fewer rows than the longest of the prompts has tokens.
CACHE_MIB = 8
TEXT_ONLY = {"language_model_only": True}
# Gemma 3n's wrapper cannot run text-only (`docs/design/ple.md`); its tower of sound is the one that is real here.
NO_PICTURES = {"limit_mm_per_prompt": {"image": 0, "audio": 1}}
# The longest prompts are computed in parts: the rows of the later ones are read ahead.
IN_PARTS = {"max_num_batched_tokens": 512}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    made = tmp_path_factory.mktemp("ple")
    yield made
    shutil.rmtree(made, ignore_errors=True)  # gigabytes


@pytest.fixture(scope="module")
def models(real_engine: EngineInfo, starter_path: Path, folder: Path) -> dict[str, Path]:
    names = ("gemma4-ple", "gemma4-ple-mm", "gemma3n-ple", "gemma3n-ple-mm")
    return {name: make_checkpoint(real_engine, starter_path, folder, name) for name in names}


def all_of(models: dict[str, Path]) -> list[Order]:
    options = {"gemma4-ple": IN_PARTS, "gemma4-ple-mm": TEXT_ONLY, "gemma3n-ple-mm": NO_PICTURES}
    return [Order(model, options.get(name, {})) for name, model in models.items()]


@pytest.fixture(scope="module")
def stock(real_engine: EngineInfo, models: dict[str, Path], folder: Path) -> list[Run]:
    """The plugin is there and off."""
    return generate(real_engine, folder / "stock", "gpu", all_of(models), cache_mib=CACHE_MIB)


@pytest.fixture(scope="module")
def disk(real_engine: EngineInfo, models: dict[str, Path], folder: Path) -> list[Run]:
    return generate(real_engine, folder / "disk", "disk", all_of(models), cache_mib=CACHE_MIB)


@pytest.fixture(scope="module")
def ram(real_engine: EngineInfo, models: dict[str, Path], folder: Path) -> list[Run]:
    order = [Order(models["gemma4-ple"], IN_PARTS | {"enable_prefix_caching": False})]
    return generate(real_engine, folder / "ram", "ram", order, cache_mib=CACHE_MIB)


@pytest.mark.parametrize(
    "which", range(4), ids=["gemma4", "gemma4 in its wrapper", "gemma3n", "gemma3n in its wrapper"]
)
def test_answers_from_the_disk_are_the_stock_ones(stock: list[Run], disk: list[Run], which: int) -> None:
    assert len(stock[which].tokens) == 50
    check_same_answers(disk[which], stock[which])


def test_the_rows_of_gemma3n_make_its_answers(stock: list[Run]) -> None:
    """The same weights alone and in the wrapper: alone, vLLM never reads the table."""
    changed = [alone != wrapped for alone, wrapped in zip(stock[2].tokens, stock[3].tokens, strict=True)]
    assert sum(changed) > 25


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
    assert [(line.placement, line.rows, line.cache_bytes) for line in said] == [("disk", 49100, CACHE_MIB << 20)] * 4
    assert re.findall("stowage-ple", stock[0].log) == []
    check_read_once(folder / "disk" / "stats", CACHE_MIB)
    assert read_counters(folder / "disk" / "stats").ahead_rows > 0


def test_gemma3n_reads_rows_in_its_wrapper_and_nowhere_else(disk: list[Run], folder: Path) -> None:
    written = [json.loads(file.read_text()) for file in (folder / "disk" / "stats").glob("ple-*.json")]
    rows = {counted["table"]: counted["rows"] for counted in written if counted["table"].endswith("embed_tokens")}
    answered = sum(len(answer) for answer in (*disk[3].tokens, *disk[3].again))
    assert list(rows) == ["language_model.model.self_decoder.per_layer_embed_tokens"]
    assert rows["language_model.model.self_decoder.per_layer_embed_tokens"] > answered
