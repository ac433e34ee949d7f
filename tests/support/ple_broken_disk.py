"""A table whose disk fails under it, in the engine's own Python: `ple_broken_disk.py CHECKPOINT_FOLDER ROWS WIDTH`.

Says "ready" when the table is in place, looks row after row up for every line it is given, and says what came of it.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import torch
from safetensors import safe_open
from stowage_ple.file_rows import TableReadError
from stowage_ple.settings import Settings
from stowage_ple.table import PleTable


def main(made: Path, rows: int, width: int) -> None:
    ending = "embed_tokens_per_layer.weight"
    table = PleTable("broken", ending, rows, width, torch.bfloat16, made, Settings("disk", cache_bytes=0))
    with safe_open(made / "model.safetensors", framework="pt") as opened:
        table.weight.weight_loader(table.weight, opened.get_tensor(f"model.{ending}"))
    print("ready", flush=True)
    for line in sys.stdin:
        began = time.monotonic()
        try:
            found = table(torch.tensor([int(line)]))
            print(f"row {float(found[0, 0])}", flush=True)
        except TableReadError as error:
            print(f"{time.monotonic() - began:.3f} {error}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
