"""One small Gemma 4 with its per-layer table in the types that a file may hold, made by the engine's own Python:
`ple_types.py MODEL_FOLDER TARGET_FOLDER` writes TARGET_FOLDER/TYPE for every type.

"dequantized" is the table of "f8-scaled" in bf16, times its scales.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

NAME = "model.embed_tokens_per_layer.weight"
LARGEST = torch.finfo(torch.float8_e4m3fn).max


def tables(rows: int, width: int) -> dict[str, dict[str, torch.Tensor]]:
    """Values with more digits than any of the types keeps, so that a rounding of its own would show."""
    values = torch.randn(rows, width, generator=torch.Generator().manual_seed(5)) * 0.05
    scale = values.abs().amax(dim=1, keepdim=True) / LARGEST
    eight = (values / scale).to(torch.float8_e4m3fn)
    return {
        "f8": {NAME: values.to(torch.float8_e4m3fn)},
        "f16": {NAME: values.to(torch.float16)},
        "f32": {NAME: values},
        "f8-scaled": {NAME: eight, f"{NAME}_scale": scale},
        "dequantized": {NAME: (eight.to(torch.float32) * scale).to(torch.bfloat16)},
    }


def main(model: Path, target: Path) -> None:
    tensors = load_file(model / "model.safetensors")
    for name, table in tables(*tensors[NAME].shape).items():
        shutil.copytree(model, target / name, ignore=shutil.ignore_patterns("*.safetensors"))
        save_file({**tensors, **table}, target / name / "model.safetensors", {"format": "pt"})


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
