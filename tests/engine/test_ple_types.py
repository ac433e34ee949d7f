"""Tables of other types than the model's, in the real engine: the answers are stock vLLM's.

Stock casts them to the model's type while it loads; the plugin keeps the file's bytes and casts the rows. What stock
cannot load at all is float8 with scales ("There is no module or parameter named ...weight_scale"), so there the answers
are those to the same table written out in bf16.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.events import EngineInfo
from tests.support.ple_runs import ROOT, Order, Run, check_same_answers, generate

pytestmark = pytest.mark.timeout(300)

TYPES = ("f8", "f16", "f32", "f8-scaled")
STOCK = ("f8", "f16", "f32", "dequantized")
PROMPTS = 12
CACHE_MIB = 1  # fewer rows than a long prompt has tokens


@pytest.fixture(scope="module")
def folder(real_engine: EngineInfo, gemma4_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    made = tmp_path_factory.mktemp("types")
    program = ROOT / "tests" / "support" / "ple_types.py"
    command = [real_engine.python, "-I", str(program), str(gemma4_path), str(made)]
    subprocess.run(command, check=True, capture_output=True, timeout=100)
    yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture(scope="module")
def stock(real_engine: EngineInfo, folder: Path) -> dict[str, Run]:
    order = [Order(folder / name, prompts=PROMPTS) for name in STOCK]
    runs = generate(real_engine, folder / "stock", "gpu", order, cache_mib=CACHE_MIB)
    return dict(zip(STOCK, runs, strict=True))


@pytest.fixture(scope="module")
def disk(real_engine: EngineInfo, folder: Path) -> dict[str, Run]:
    order = [Order(folder / name, prompts=PROMPTS) for name in TYPES]
    runs = generate(real_engine, folder / "disk", "disk", order, cache_mib=CACHE_MIB)
    return dict(zip(TYPES, runs, strict=True))


@pytest.mark.parametrize(("kind", "like"), list(zip(TYPES, STOCK, strict=True)))
def test_answers_are_the_stock_ones(stock: dict[str, Run], disk: dict[str, Run], kind: str, like: str) -> None:
    check_same_answers(disk[kind], stock[like])


def test_each_was_read_in_place(disk: dict[str, Run]) -> None:
    said = re.findall(r"kept off the device: placement=(\w+)", disk["f8"].log)
    assert said == ["disk"] * len(TYPES)


def test_the_types_make_a_difference(stock: dict[str, Run]) -> None:
    """Else nothing would tell which table was read."""
    assert stock["f8"].tokens != stock["f32"].tokens != stock["dequantized"].tokens
