"""What the checks of the plugin's parts share. They run in the engine's Python, where numpy and torch live, with the
plugin on the import path: `CHECKS.py SCRATCH_FOLDER` prints one JSON object of check name to "" or what went wrong."""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import torch
from safetensors.torch import save_file
from stowage_ple.file_rows import TableReadError
from stowage_ple.settings import Settings
from stowage_ple.table import PleTable

SCRATCH = Path(sys.argv[1])
ROWS, WIDTH = 1000, 96
ENDING = "embed_tokens_per_layer.weight"
NAME = "model.embed_tokens_per_layer.weight"


def folder(name: str) -> Path:
    made = SCRATCH / name
    made.mkdir()
    return made


def values(dtype: torch.dtype = torch.bfloat16) -> torch.Tensor:
    return torch.randn(ROWS, WIDTH, generator=torch.Generator().manual_seed(3)).to(dtype)


def checkpoint(name: str, table: torch.Tensor, **more: torch.Tensor) -> Path:
    made = folder(name)
    save_file({NAME: table, "model.norm.weight": torch.ones(8), **more}, made / "model.safetensors")
    return made


def table_of(made: Path, placement: str, dtype: torch.dtype = torch.bfloat16, **settings: object) -> PleTable:
    from safetensors import safe_open

    table = PleTable(str(made), ENDING, ROWS, WIDTH, dtype, made, Settings(placement, **settings))  # type: ignore[arg-type]
    with safe_open(made / "model.safetensors", framework="pt") as opened:
        for name in sorted(opened.keys()):
            if "per_layer" in name:
                parameter = getattr(table, name.rsplit(".", 1)[1])
                parameter.weight_loader(parameter, opened.get_tensor(name))
    return table


def fails(work: Callable[[], object], words: str) -> None:
    said = "nothing"
    try:
        work()
    except TableReadError as error:
        said = str(error)
    assert words in said, said


def run_checks(named: dict[str, object]) -> None:
    """Every `check_...` of a module's names; prints the results."""
    results: dict[str, str] = {}
    for name, check in list(named.items()):
        if name.startswith("check_"):
            try:
                check()  # type: ignore[operator]
                results[name] = ""
            except Exception:
                results[name] = traceback.format_exc()
    print(json.dumps(results))
